"""Files that are filled in before they are read: by Jinja, by Helm, placeholders by sed."""

from __future__ import annotations

import re
from typing import Any

from cfglint.model.tree import Mapping, Scalar, walk
from cfglint.patterns import lazy

_NAME = lazy(r"\.(j2|jinja2?|tmpl|tpl|tftpl|template|in)$|\.(j2|jinja2?|tftpl)\.\w+$", re.I)
_SIGN = lazy(r"(?<!\$)\{\{|\{%")
_LINE = lazy(r"^[ \t-]*(\{%|\{\{)", re.M)
# A name to fill in, with blanks around it: no word of a shell, nor of `docker --format`, where a
# dot or one of Go's own words stands. As a variable's default it is a prompt for the program.
_FIELD = lazy(
    r"(?<!:-)(?<!:-[\"'])"
    r"\{\{-? +(?!(?:end|else|if|range|with|json|print\w*)\b)[A-Za-z_][\w.]* *(?:\|[^{}\n]*)?-?\}\}"
)
_PLACEHOLDER = lazy(
    r"^((?!TRUE|FALSE|NULL|NONE)[A-Z][A-Z0-9]*_?[A-Z0-9_]{2,}\s*,?$|CONFIG_\w+|\{\{.*|\$\{?\w+.*"
    r"|<[A-Za-z_ ]+>.*|%\(?\w+.*|__\w+__|@\w+@)"
)


def is_named(name: str) -> bool:
    """Whether a file is called a template."""
    return _NAME.search(name) is not None


def has_blocks(text: str) -> bool:
    """Whether a template engine's blocks stand on lines of their own."""
    return _SIGN.search(text) is not None and _LINE.search(text) is not None


def has_fields(text: str) -> bool:
    """Whether a shell script has names for a template engine to fill in, outside its comments;
    Slurm's directives are no comments."""
    return any(
        _FIELD.search(line)
        for line in text.splitlines()
        if "{{" in line and (not line.lstrip().startswith("#") or line.startswith("#SBATCH"))
    )


def is_filled_in(text: str, syntax: str, tree: Any, kind: str) -> bool:
    """Whether placeholders stand where values belong in a YAML or JSON file of a known kind."""
    if syntax == "json":
        return any(
            d.kind == "quoteless-string" and _PLACEHOLDER.match(text[d.span.start : d.span.end])
            for d in tree.deviations
        ) or (bool(tree.problems) and _SIGN.search(text) is not None)
    if ("{{" not in text and "{%" not in text) or _SIGN.search(text) is None:
        return False
    bare = re.sub(r"(^|\s)#[^\n]*", "", text)
    if _SIGN.search(bare) is None:
        return False
    if tree.problems or _LINE.search(bare) or kind == "kubernetes":
        return True
    for root in tree.roots:
        for node in walk(root):
            if isinstance(node, Scalar) and _SIGN.match(node.text) and node.style not in ("|", ">"):
                return True
            if (
                isinstance(node, Mapping)
                and node.flow
                and len(node.entries) == 1
                and isinstance(node.entries[0].key, Mapping)
            ):
                return True
    return False
