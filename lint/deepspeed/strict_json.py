"""JSON configs whose reader takes strict JSON only, and what of them is not strict.

Sources: accelerate, utils/deepspeed.py: `HfDeepSpeedConfig.__init__` and
commands/config/config_args.py: `from_json_file` (json.load); LLaMA-Factory, data/parser.py:
`get_dataset_list` (json.load); DeepSpeed's own reader is hjson.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from cfglint.model.document import Document
from cfglint.patterns import lazy
from cfglint.record import dataclass
from cfglint.text import Span

if TYPE_CHECKING:
    from cfglint.deepspeed.use import Use
    from cfglint.project import Project

# What Hjson takes for a string, with the comma behind it.
_PYTHON = lazy(r"(True|False|None)(,?)")
WORDS = {
    "comment": "a comment",
    "trailing-comma": "a trailing comma",
    "missing-comma": "a missing comma",
    "single-quotes": "single quotes",
    "unquoted-key": "a key without quotes",
    "quoteless-string": "a string without quotes",
    "no-braces": "no braces around the whole",
    "bom": "a byte order mark",
    "control-character": "a control character in a string",
}


@dataclass(frozen=True, slots=True)
class Departures:
    """Where a file is not strict JSON: the kinds in words, each once, the first place and the
    number of places; `commented` says that comments are among them, `other` that DeepSpeed's own
    reader takes something for another value than it means (Python's True for a string)."""

    named: str
    span: Span
    count: int
    commented: bool
    other: bool


@dataclass(frozen=True, slots=True)
class StrictReader:
    """Who reads a config as strict JSON, in words, and the place that shows it: None where only
    "auto" values tell, and for accelerate's own config, whose name tells."""

    name: str
    use: Use | None = None


def departures(document: Document) -> Departures | None:
    """What keeps a document from being strict JSON, None where nothing does."""
    found = [d for d in getattr(document.tree, "deviations", ()) if d.kind in WORDS]
    if not found:
        return None
    text, words, commas = document.source.text, {}, set()
    for one in found:
        python = _PYTHON.fullmatch(text, *one.span) if one.kind == "quoteless-string" else None
        if python is not None:
            commas |= {one.span.end} if python[2] else set()
        elif one.kind == "missing-comma" and len(text[: one.span.start].rstrip()) in commas:
            continue
        words[f"Python's {python[1]}" if python else WORDS[one.kind]] = one
    named = ", ".join(words)
    kinds = {d.kind for d in found}
    other = "quoteless-string" in kinds
    return Departures(named, found[0].span, len(found), "comment" in kinds, other)


def strict_readers(document: Document, project: Project) -> Iterator[StrictReader]:
    """The strict readers of an accelerate config or table of datasets, or of each DeepSpeed config
    of a document."""
    if document.kind == "accelerate":
        if document.path.endswith(".json"):
            yield StrictReader("accelerate")
        return
    if document.kind == "dataset-info":
        if document.file.name == "dataset_info.json":
            yield StrictReader("LLaMA-Factory")
        return
    from cfglint.deepspeed.config import configs_in  # here: most files have nothing to say of

    for config in configs_in(document, project):
        use = config.hf_use
        if use is not None:
            yield StrictReader(use.reader, use)
        elif config.is_hf_style and not config.uses:
            yield StrictReader('what fills its "auto" values')
