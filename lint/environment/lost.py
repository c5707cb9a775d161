"""Variables that end with the shell which exports them: a recipe's line, a notebook's `!`, a step.

make and just start a shell for each line of a recipe, Jupyter for each `!` and `%%bash`, GitHub for
each step, Docker for each RUN. Sources: GNU make manual "Recipe Execution", just manual, IPython's
`!`, GitHub Actions on GITHUB_ENV, Dockerfile reference on RUN and ENV.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from cfglint.commands import may_launch
from cfglint.commands.texts import ShellText, every
from cfglint.commands.variables import Variables
from cfglint.model.document import Document
from cfglint.model.edit import Edit
from cfglint.model.launch import Launch, Setting
from cfglint.patterns import lazy
from cfglint.record import dataclass
from cfglint.syntax.shell_nested import Nested
from cfglint.text import Span

# A shell that does nothing else.
_ALONE = lazy(r"\s*(?:export[ \t]+[A-Za-z_]\w*=[^\n;&|<>`(]*(?:\n\s*|$))+")
# The same in a RUN of a Dockerfile, and each of its exports.
_ONE = r"export[ \t]+([A-Za-z_]\w*)=(\"[^\"`]*\"|'[^']*'|[^\s;&|<>`(\"']*)"
_EXPORT = lazy(_ONE)
_RUN = lazy(rf"\s*{_ONE}(?:\s*(?:&&|;)\s*{_ONE})*\s*;?\s*")
_ONE_SHELL = lazy(r"^\.ONESHELL[ \t]*:", re.M)
_NEXT = lazy(r"[ \t]*(?:\r\n|\n|\r)[ \t]*[^@+\-#\s]")


@dataclass(frozen=True, slots=True)
class Lost:
    """A variable that a shell before exports, and a launch that was meant to get it. `edit` hands
    it on, None where that takes more than one."""

    setting: Setting
    launch: Launch
    edit: Edit | None


def lost_exports(document: Document) -> Iterator[Lost]:
    """The variables that no launch of a document gets, since their shell has ended by then."""
    source = document.source.text
    if document.shell_texts is None or document.kind in ("script", "slurm"):
        return
    if "export" not in source or _ONE_SHELL.search(source):
        return
    before: dict[str, list[tuple[Setting, ShellText]]] = defaultdict(list)
    for text in document.shell_texts(every):
        raw = text.fragment.text
        if _ALONE.fullmatch(raw):
            script = text.parsed()
            variables = Variables(script, {})
            given = (a for a in script.assignments if a.how == "export" and a.gives_value)
            before[text.group] += [(variables.setting(a), text) for a in given]
        elif before[text.group] and may_launch(raw):
            for launch in text.launches():
                for setting, where in before[text.group]:
                    if (setting.key or setting.name) not in launch.env:
                        yield Lost(setting, launch, _handed_on(document, where))
            before[text.group] = []


@dataclass(frozen=True, slots=True)
class LostInImage:
    """A variable that a RUN of a Dockerfile exports, and that ends with it. `edit` sets it with
    ENV, None where that takes more than one instruction."""

    name: str
    span: Span
    edit: Edit | None


def lost_in_image(document: Document) -> Iterator[LostInImage]:
    """The variables of RUN instructions that do nothing but export: each has a shell of its own."""
    if document.kind != "dockerfile" or "export" not in document.source.text:
        return
    for instruction in getattr(document.tree, "instructions", ()):
        if instruction.name != "RUN" or instruction.flags or instruction.heredocs:
            continue
        given = instruction.arguments
        if not _RUN.fullmatch(given):
            continue
        exports = list(_EXPORT.finditer(given))
        first = instruction.token_span(instruction.keyword)
        for found in exports:
            at = instruction.start + found.start(1)
            span = instruction.span(at, at + len(found[1]))
            whole = Span(first.start, instruction.span(at, instruction.start + found.end(2)).end)
            alone = len(exports) == 1 and "$" not in found[2]
            text = f"ENV {found[1]}={found[2]}"
            yield LostInImage(found[1], span, Edit(document.path, whole, text) if alone else None)


def _handed_on(document: Document, text: ShellText) -> Edit | None:
    """What lets the next shell have the variables of a line."""
    fragment = text.fragment
    raw = fragment.text
    if not isinstance(fragment, Nested) or "\n" in raw.strip() or not fragment.ranges:
        return None
    low, high = fragment.ranges[0][0], fragment.ranges[-1][1]
    if document.kind == "notebook":
        words = raw.split()
        at = raw.index("export")
        if len(words) != 2 or fragment.parent.text[low - 1 : low] != "!" or low < 1:
            return None
        return fragment.parent.edit(low - 1, low + at + len("export"), "%env")
    if document.kind in ("makefile", "justfile"):
        end = fragment.parent.span(low, high).end
        follows = _NEXT.match(document.source.text, end)
        return Edit(document.path, Span(end, end), " && \\") if follows else None
    return None
