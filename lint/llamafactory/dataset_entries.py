"""The entries of a dataset_info.json: which LLaMA-Factory can use, and what of them it reads.

Source: LLaMA-Factory, data/parser.py: `get_dataset_list`, data/loader.py, data/converter.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from cfglint.llamafactory.datasets import SOURCES
from cfglint.llamafactory.vendored import is_there, names_value, takes_key
from cfglint.model.document import Document
from cfglint.model.tree import Entry, Mapping, Node, Scalar, target
from cfglint.releases.data import Release
from cfglint.releases.objection import Objection
from cfglint.releases.validate import meant, spelled
from cfglint.rule import WARNING, near, repair
from cfglint.syntax import editing as edit

if TYPE_CHECKING:
    from cfglint.project import Project

ENDINGS = ("arrow", "csv", "json", "jsonl", "parquet", "txt")
# What people call the columns, after the keys of their own data.
COLUMNS = {"instruction": "prompt", "input": "query", "output": "response",
           "conversations": "messages", "conversation": "messages", "label": "kto_tag"}  # fmt: skip
NOTES = ("comment", "description", "note", "license", "source", "help", "tags_", "url", "size")


def objections(document: Document, project: Project, release: Release) -> Iterator[Objection]:
    """What a release objects to in the entries of a table, or passes over, unless the
    LLaMA-Factory in the tree knows it."""
    root = target(document.root) if document.root is not None else None
    for entry in root.index.values() if isinstance(root, Mapping) else ():
        described = target(entry.value)
        if isinstance(described, Mapping):
            for found in _fatal(entry, described, release):
                formatting = described.get("formatting")
                value = formatting.value if isinstance(formatting, Scalar) else None
                own = formatting is not None and found.span == formatting.span
                if own and names_value(document, project, value):
                    continue
                if found.span == entry.key.span and _has_source(document, project, described):
                    continue
                yield found
            yield from _ranking(document, described, release)
            if _is_known(document, project):
                yield from _gaps(described)
            for part in ("", "columns", "tags"):
                mapping = described.get(part) if part else described
                if isinstance(mapping, Mapping):
                    yield from _unread(document, project, mapping, part, release)


def _has_source(document: Document, project: Project, described: Mapping) -> bool:
    """Whether an entry's files stand in a key that the LLaMA-Factory in the tree looks for."""
    return any(
        name.endswith(("_files", "_file", "_url", "_name", "_path", "_dir"))
        and names_value(document, project, name)
        for name in described.names()
    )


def _fatal(entry: Entry, described: Mapping, release: Release) -> Iterator[Objection]:
    section = release.section("@dataset_info")
    formatting, file_name = described.get("formatting"), described.get("file_name")
    known = section.keys["formatting"].choices if section else ()
    if not any(source in described for source in SOURCES):
        yield Objection(
            entry.key.span,
            f"{entry.name} has no source of its data",
            cause="\"KeyError: 'file_name'\" when a config names this dataset.",
            help=f"Give it one of {', '.join(SOURCES)}.",
        )
    if isinstance(formatting, Scalar) and formatting.value not in known:
        yield Objection(
            formatting.span,
            f"formatting {formatting.text} has no converter",
            cause=f'"ValueError: Dataset converter {formatting.text} not found."',
            help=f"It takes {', '.join(known)}.",
        )
    hub = any(s in described for s in SOURCES if s != "file_name")
    if isinstance(file_name, Scalar) and not hub:
        _, dot, ending = file_name.text.rpartition(".")
        if dot and "/" not in ending and ending not in ENDINGS:
            yield Objection(
                file_name.span,
                f"{file_name.text} is of a type that is not loaded",
                severity=WARNING,  # it may be a folder
                cause=f'"ValueError: Allowed file types: {",".join(ENDINGS)}."',
                help="Convert it, or name the folder that holds the files.",
            )


def _is_known(document: Document, project: Project) -> bool:
    """Whether the reader is a release's: until 0.7, `response` held the pairs and roles columns."""
    return not is_there(document, project) or takes_key(document, project, "chosen")


def _gaps(described: Mapping) -> Iterator[Objection]:
    """Columns and tags without which no row can be read: `columns` and `tags` take the place of all
    defaults, also of those that they do not name."""
    columns, tags = described.get("columns"), described.get("tags")
    talk = _text(described, "formatting") in ("sharegpt", "openai")
    ranking = described.get("ranking")
    pairs = isinstance(ranking, Scalar) and ranking.value is True
    if isinstance(columns, Mapping):
        missing = _lack(columns, ("messages",)) if talk else ()
        if pairs and "kto_tag" not in columns:
            missing += _lack(columns, ("chosen", "rejected"))
        if missing:
            yield _gap(described, "columns", missing)
    if talk and isinstance(tags, Mapping):
        missing = _lack(tags, ("role_tag", "content_tag"))
        if missing:
            yield _gap(described, "tags", missing)
    named, prompt = described.entry("columns"), _text(columns, "prompt")
    is_text = (_text(described, "file_name") or "").endswith(".txt") and not talk
    if is_text and named is not None and prompt not in (None, "text"):
        yield Objection(
            named.key.span,
            f"a .txt file has one column, text, and the prompt is {prompt}",
            cause=f"\"KeyError: '{prompt}'\" when a config names this dataset: each line is a row,"
            " whatever it looks like.",
            help='Name it: "columns": {"prompt": "text"}. JSON belongs in a .json file.',
        )


def _lack(given: object, names: tuple[str, ...]) -> tuple[str, ...]:
    """Which names a mapping lacks; () where one of its own is a misspelling of one of them."""
    held = set(given.names()) if isinstance(given, Mapping) else set()
    missing = tuple(name for name in names if name not in held)
    strange = {COLUMNS.get(name) or near(name, missing) for name in held - set(names)}
    return () if strange & set(missing) else missing


def _gap(described: Mapping, part: str, missing: tuple[str, ...]) -> Objection:
    entry = described.index[part]
    names = " and ".join(missing)
    return Objection(
        entry.key.span,
        f"{part} does not name {names}, and leaves no default",
        cause='"KeyError: None" when a config names this dataset.',
        help=f"Name {names} in {part}.",
    )


def _text(mapping: Node | None, name: str) -> str | None:
    node = mapping.get(name) if isinstance(mapping, Mapping) else None
    return node.text if isinstance(node, Scalar) else None


def _ranking(document: Document, described: Mapping, release: Release) -> Iterator[Objection]:
    """`"ranking": "true"`: the check of data against the stage, `ranking is True` or `is False`,
    passes over it, and the converter takes whatever is not empty for true."""
    section, node = release.section("@dataset_info"), described.get("ranking")
    node = target(node) if node is not None else None
    if section is None or not isinstance(node, Scalar) or not isinstance(node.value, str):
        return
    right = meant(section.keys["ranking"], node.value)
    change = edit.set_value(document, node, right) if right is not None else None
    yield Objection(
        node.span,
        f'ranking: "{node.text}" is text, and any text counts as true',
        severity=WARNING,
        cause="No message: the rows are read as pairs, whatever the stage wants.",
        help=f"Write {spelled(right)}." if right is not None else "Write true or false.",
        fix=repair(f"write {spelled(right)}", change, safe=right is True),
    )


def _unread(
    document: Document, project: Project, mapping: Mapping, part: str, release: Release
) -> Iterator[Objection]:
    section = release.section(f"@dataset_info.{part}" if part else "@dataset_info")
    known = set(section.keys) if section else set()
    free = known - set(mapping.names())
    for name, entry in mapping.index.items():
        if name in known or name.startswith(("_", "//")) or (not part and name in NOTES):
            continue
        meant = COLUMNS.get(name) if part == "columns" else None
        meant = meant if meant in free else near(name, free)
        if not part and meant is None:
            continue  # a note of someone's own does no harm
        if takes_key(document, project, name):
            continue
        where = f"{part}.{name}" if part else name
        renamed = edit.rename_key(document, entry, meant) if meant else None
        yield Objection(
            entry.key.span,
            f"nothing reads {where}",
            severity=WARNING,
            cause="No message: the column keeps its default, or is lost.",
            help=f"Call it {meant}." if meant else f"It takes {', '.join(sorted(known))}.",
            fix=repair(f"call it {meant}", renamed, safe=True) if meant else None,
        )
