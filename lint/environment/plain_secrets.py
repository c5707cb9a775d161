"""Repairs of secrets that stand elsewhere than in a variable: on a command line, in a config, as
the default of a build argument."""

from __future__ import annotations

from cfglint.model.document import Document
from cfglint.model.edit import Edit, Fix
from cfglint.model.tree import Mapping, Scalar, walk
from cfglint.patterns import lazy
from cfglint.text import Span

# The variable that a token of a known form is read from; what else has an option's name.
_FORMS = (
    ("hf_", "HF_TOKEN"), ("ghp_", "GITHUB_TOKEN"), ("github_pat_", "GITHUB_TOKEN"),
    ("glpat-", "GITLAB_TOKEN"), ("sk-ant-", "ANTHROPIC_API_KEY"), ("sk-", "OPENAI_API_KEY"),
    ("nvapi-", "NVIDIA_API_KEY"), ("AKIA", "AWS_ACCESS_KEY_ID"),
)  # fmt: skip
_OPTION = lazy(r"--?([A-Za-z][\w-]*)(?:=|[ \t]+)[\"']?\Z")
_WANDB = lazy(r"\bwandb[ \t]+login\b[^\n;|&]*\Z")
_KEY = lazy(r"[0-9a-f]{40}")
_BUILD_ARGUMENT = lazy(r"(?i:\bARG)[ \t]+\w+(=[\"']?)\Z")


def in_place(document: Document, span: Span) -> Fix | None:
    """The repair of a secret where it stands, None where none is known."""
    if document.kind in ("llamafactory", "deepspeed"):
        return _out_of_config(document, span)
    text = document.source.text
    line = text[document.source.line_of(span.start).start : span.start]
    if document.kind == "dockerfile":
        argument = _BUILD_ARGUMENT.search(line)
        if argument is None:
            return None
        end = span.end + (len(argument[1]) > 1 and text.startswith(argument[1][1], span.end))
        edit = Edit(document.path, Span(span.start - len(argument[1]), end), "")
        return Fix("leave the value to --build-arg", (edit,))
    if document.kind not in ("script", "slurm"):
        return None
    name = _variable(document.source.slice(span), line)
    return _as_variable(document, span, name) if name else None


def _out_of_config(document: Document, span: Span) -> Fix | None:
    """The key goes: the libraries look into the environment and for a login by themselves."""
    from cfglint.syntax import editing

    for node in walk(document.root):
        if not isinstance(node, Mapping):
            continue
        for entry in node.entries:
            value = entry.value.span
            if not isinstance(entry.value, Scalar):
                continue
            if value.start <= span.start and span.end <= value.end:
                edit = editing.remove_entry(document, node, entry)
                return Fix("leave it to the environment", (edit,)) if edit is not None else None
    return None


def _variable(secret: str, line: str) -> str:
    """The name of the variable that holds such a secret, by its form or by what takes it."""
    for start, name in _FORMS:
        if secret.startswith(start):
            return name
    option = _OPTION.search(line)
    name = option[1].replace("-", "_").upper() if option else ""
    if _WANDB.search(line) or (name in ("", "WANDB_KEY") and _KEY.fullmatch(secret)):
        return "WANDB_API_KEY"
    return name


def _as_variable(document: Document, span: Span, name: str) -> Fix | None:
    """The word of a command with a variable in the secret's place; not in what another shell or
    program reads, which may not have it."""
    from cfglint.syntax.bash import surroundings

    text, place = document.source.text, surroundings(document.source.text)
    quote = text[span.start - 1 : span.start]
    if quote in ('"', "'") and text.startswith(quote, span.end):
        if place(span.start - 2) not in ("", "array"):
            return None
        span = Span(span.start - 1, span.end + 1)
    elif place(span.start) not in ("", "array"):
        return None
    whole = text[span.start - 1] in " \t=(" and text[span.end : span.end + 1] in ("", *" \t\r\n);")
    written = f'"${{{name}:?}}"' if whole else f"${{{name}:?}}"
    return Fix("take it from the environment", (Edit(document.path, span, written),))
