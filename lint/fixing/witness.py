"""Holding an edited file against what its edits declare, by a second parser.

For YAML the witness is ruamel.yaml (YAML 1.1, double keys allowed), which shares no code with the
reader that made the finding; of a file with several documents it reads those that change. For JSON
it is Python's own where the file is strict. In Dockerfiles, shell and env files the data are the
tokens outside the edits.
"""

from __future__ import annotations

import io
import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from cfglint.files import embedded
from cfglint.fixing import regions
from cfglint.model.document import Document
from cfglint.model.edit import (
    Append,
    Change,
    DropComment,
    Edit,
    Fix,
    Insert,
    Remove,
    Rename,
    Set,
    Splice,
)
from cfglint.model.tree import Node, Path, Scalar, to_data
from cfglint.text import SourceText

LARGE = 20_000  # characters; ruamel.yaml reads some 100 of them in a millisecond
LIMIT = 200_000  # values of one document, aliases expanded


class RefusedError(Exception):
    """An edit that is not what it says it is. The message says what is wrong, for people."""


def splice(text: str, edits: Sequence[Edit]) -> str:
    """The text with all edits applied. Raises RefusedError where two of them overlap."""
    parts: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda e: e.span):
        if edit.span.start < at:
            raise RefusedError("two of its edits overlap")
        parts.append(text[at : edit.span.start])
        parts.append(edit.text)
        at = edit.span.end
    parts.append(text[at:])
    return "".join(parts)


def check(document: Document, edits: Sequence[Edit]) -> str:
    """The new text of a document, proven. Raises RefusedError when the proof fails."""
    old = document.source.text
    new = splice(old, edits)
    changes = [change for edit in edits for change in edit.changes]
    for inner in document.inner:
        start, end = embedded.place(inner)
        own = [edit for edit in edits if start <= edit.span.start and edit.span.end <= end]
        if own and (inner.written is None or inner.written.fragment is None):
            refused = embedded.refusal(inner, Fix("", tuple(own), False))
            if refused:
                raise RefusedError(refused)
            check(inner, own)
    kind = type(document.tree).__name__
    if kind == "YamlFile":
        _check_yaml(document, new, changes)
    elif kind == "JsonFile":
        _check_json(document, new, changes)
    else:
        _check_tokens(document, old, new, edits)
    return new


# -- YAML and JSON -----------------------------------------------------------------------------


def _check_yaml(document: Document, new: str, changes: list[Change]) -> None:
    from cfglint.syntax import yaml

    old, before, after = document.source.text, document.tree, yaml.parse(SourceText(new))
    if after.problems and not before.problems:
        raise RefusedError(f"the file would not parse any more: {after.problems[0].message}")
    if not before.problems:
        _compare(list(map(to_data, before.roots)), list(map(to_data, after.roots)), changes)
        _compare(*_changed_data(old, before.roots, new, after.roots), changes)
    _compare_comments(
        _yaml_comments(old, before.scalars()), _yaml_comments(new, after.scalars()), changes
    )


def _changed_data(
    old: str, before_roots: list[Node], new: str, after_roots: list[Node]
) -> tuple[list[Any], list[Any]]:
    """The data of two texts by ruamel.yaml; where both have as many documents, the text itself
    stands for one that is the same in both: nothing of one document is seen in another. Of a large
    document the same holds for the entries of its mappings (`regions`)."""
    if len(old) > LARGE and len(before_roots) == len(after_roots) == 1:
        found = regions.changed(old, before_roots[0], new, after_roots[0], ruamel_data)
        if found is not None:
            return found
    one, other = _documents(old), _documents(new)
    if len(one) != len(other) or len(one) == 1:
        return ruamel_data(old), ruamel_data(new)
    before: list[Any] = []
    after: list[Any] = []
    for mine, theirs in zip(one, other, strict=True):
        same = mine == theirs
        before += [mine] if same else ruamel_data(mine)
        after += [theirs] if same else ruamel_data(theirs)
    return before, after


_START = re.compile(r"^---(?=\s)", re.M)
# Directives, and the other marker, of which a document's text alone does not tell the whole.
_MARKED = re.compile(r"^(?:%|\.\.\.(?=\s))", re.M)
_EMPTY = re.compile(r"(?: *\r?\n)*")
_BLANK = re.compile(r"\ufeff?(?:[ \t]*(?:#[^\n]*)?\n)*[ \t]*(?:#[^\n]*)?")


def _documents(text: str) -> list[str]:
    """The texts of the documents of a YAML text. The marker `---` at the start of a line begins
    one wherever it stands; what is before the first is none if it holds but comments."""
    starts = [match.start() for match in _START.finditer(text)]
    if len(starts) < 2 or _MARKED.search(text):
        return [text]
    if _BLANK.fullmatch(text, 0, starts[0]) is None:
        starts.insert(0, 0)
    return [text[a:b] for a, b in zip(starts, [*starts[1:], len(text)], strict=True)]


def ruamel_data(text: str) -> list[Any]:
    """The plain data of every document of a YAML text, as ruamel.yaml reads it.

    Its plain reader is the faster one; its round-trip reader knows what to do with tags that are
    not YAML's own. Raises RefusedError if both fail.
    """
    above = _EMPTY.match(text)  # all that stands above an embedded document
    return _copy(_ruamel_data(text[above.end() if above else 0 :]))  # type: ignore[no-any-return]


@lru_cache(maxsize=8)
def _ruamel_data(text: str) -> list[Any]:
    try:
        return _read_with_ruamel(text, "safe")
    except Exception:
        try:
            return _read_with_ruamel(text, "rt")
        except Exception as problem:
            reason = str(problem).splitlines()[0] if str(problem) else type(problem).__name__
            raise RefusedError(f"ruamel.yaml cannot read it: {reason}") from None


def _read_with_ruamel(text: str, form: str) -> list[Any]:
    import warnings

    from ruamel.yaml import YAML

    reader = YAML(typ=form, pure=True)
    reader.version = (1, 1)
    reader.allow_duplicate_keys = True
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it has views on how numbers should be written
        return [_plain(one, [LIMIT]) for one in reader.load_all(io.StringIO(text))]


def _copy(value: Any) -> Any:
    """Data that may be changed without changing these."""
    if isinstance(value, dict):
        return {key: _copy(one) for key, one in value.items()}
    return list(map(_copy, value)) if isinstance(value, list) else value


def _plain(value: Any, left: list[int]) -> Any:
    """ruamel.yaml's own types as plain ones. Raises ValueError where aliases blow them up."""
    left[0] -= 1
    if left[0] < 0:
        raise ValueError("its aliases expand to too many values")
    if isinstance(value, dict):
        return {_hashable(key): _plain(one, left) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one, left) for one in value]
    if isinstance(value, bool) or value is None:
        return value
    for plain in (int, float, str):
        if isinstance(value, plain):
            return plain(value)
    return value


def _hashable(key: Any) -> Any:
    return str(key) if isinstance(key, (dict, list)) else key


def _check_json(document: Document, new: str, changes: list[Change]) -> None:
    from cfglint.syntax import json

    old, before, after = document.source.text, document.tree, json.parse(SourceText(new))
    if after.problems:
        raise RefusedError(f"the file would not parse any more: {after.problems[0].message}")
    if not before.problems:
        _compare(list(map(to_data, before.roots)), list(map(to_data, after.roots)), changes)
    if before.strict and not after.strict:
        raise RefusedError("the file would not be strict JSON any more")
    if any(isinstance(c, DropComment) for c in changes):
        return
    _compare_comments(
        [old[s.start : s.end] for s in before.comments],
        [new[s.start : s.end] for s in after.comments],
        changes,
    )


def _compare(before: list[Any], after: list[Any], changes: list[Change]) -> None:
    wanted: Any = before
    try:
        # From the end, so that the numbers of list items before stay what they were.
        for _, change in sorted(enumerate(changes), key=lambda each: _order(*each)):
            wanted = _apply(wanted, change)
    except (KeyError, IndexError, TypeError, AttributeError) as problem:
        raise RefusedError(f"what it declares does not fit the file: {problem}") from None
    if not _equal(wanted, after):
        raise RefusedError("the data would change in another way than it declares")


def _order(number: int, change: Change) -> tuple[int, tuple[int, ...]]:
    if isinstance(change, Splice):
        return (-1, (-change.start, -change.end))  # what is put in front of a removal stays
    if isinstance(change, Insert):
        # After the removal of the item at its place; of several there the last declared first.
        return (1, (*_countdown((*change.path, change.at)), 1, -number))
    if isinstance(change, Remove):
        return (1, (*_countdown(change.path), 0))
    return (0, ())


def _countdown(path: Path) -> tuple[int, ...]:
    return tuple(-step if isinstance(step, int) else 0 for step in path)


def _apply(data: Any, change: Change) -> Any:
    if isinstance(change, DropComment):
        return data
    path = change.path
    holder = data
    for step in path[:-1]:
        holder = holder[_step(holder, step)]
    last = _step(holder, path[-1])
    if isinstance(change, Set):
        if isinstance(holder, list) and last == len(holder):
            holder.append(change.value)
        else:
            holder[last] = change.value
    elif isinstance(change, Splice):
        text = str(holder[last])
        holder[last] = text[: change.start] + change.text + text[change.end :]
    elif isinstance(change, Remove):
        del holder[last]
    elif isinstance(change, Append):
        if not isinstance(holder[last], list):
            raise TypeError("there is no list to append to")
        holder[last].append(change.value)
    elif isinstance(change, Insert):
        if not isinstance(holder[last], list) or not 0 <= change.at <= len(holder[last]):
            raise TypeError("there is no list to put something into")
        holder[last][change.at : change.at] = change.values
    elif isinstance(change, Rename):
        value = holder.pop(last)
        holder[change.name] = value
    return data


def _step(holder: Any, step: Any) -> Any:
    """The key as the data have it: `NO:` is a boolean there, `1:` a number."""
    if isinstance(holder, dict) and step not in holder:
        for key in holder:
            if str(key) == str(step) or (isinstance(key, bool) and _spells(key, str(step))):
                return key
    return step


def _spells(flag: bool, text: str) -> bool:
    return text.lower() in (("true", "yes", "on", "y") if flag else ("false", "no", "off", "n"))


def _equal(a: Any, b: Any) -> bool:
    """Equality that tells 1 from true and from 1.0."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_equal(a[k], b[k]) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(_equal, a, b))
    return type(a) is type(b) and (a == b or (a != a and b != b))


def _yaml_comments(text: str, scalars: list[Scalar]) -> list[str]:
    """The comments of a YAML text, found in the gaps between its scalars."""
    found: list[str] = []
    at = 0
    for scalar in [*sorted(scalars, key=lambda s: s.start), Scalar(len(text), len(text), "")]:
        gap = text[at : scalar.start]
        block = scalar.style in ("|", ">")
        for line in gap.splitlines():
            sign = line.find("#")
            while sign > 0 and not line[sign - 1].isspace():
                sign = line.find("#", sign + 1)
            if sign >= 0:
                found.append(line[sign:].rstrip())
        if block:
            header = text[scalar.start : scalar.end].split("\n", 1)[0]
            if " #" in header:
                found.append(header[header.index(" #") + 1 :].rstrip())
        at = max(at, scalar.end)
    return found


def _compare_comments(before: list[str], after: list[str], changes: list[Change]) -> None:
    wanted = list(before)
    for change in changes:
        if isinstance(change, DropComment):
            for comment in wanted:
                if change.text in comment:
                    wanted.remove(comment)
                    rest = comment.replace(change.text, "").strip()
                    if rest.strip("# "):
                        return  # words of another comment share its line
                    break
    if wanted != after:
        lost = next((c for c in wanted if c not in after), "")
        raise RefusedError(
            f"a comment would be lost: {lost[:60]}" if lost else "comments would move"
        )


# -- everything else ---------------------------------------------------------------------------


def _check_tokens(document: Document, old: str, new: str, edits: Sequence[Edit]) -> None:
    """Tokens before the first edit, between edits and behind the last one must stay the same."""
    from cfglint.fixing.tokens import tokens

    syntax = document.kind or ""
    before, errors_before = tokens(syntax, old)
    after, errors_after = tokens(syntax, new)
    if errors_after > errors_before:
        raise RefusedError("the file would not parse any more")
    ordered = sorted(edits, key=lambda e: e.span)
    shift = 0
    outside: list[tuple[int, int]] = []  # gaps between edits, in the old text
    start = 0
    for edit in ordered:
        outside.append((start, edit.span.start))
        start = edit.span.end
    outside.append((start, len(old)))
    starts_before, starts_after = ([at for at, _ in found] for found in (before, after))
    for number, (low, high) in enumerate(outside):
        last = number == len(ordered)
        wanted = _inside(before, starts_before, low, high, number > 0, not last)
        new_low, new_high = low + shift, high + shift
        kept = _inside(after, starts_after, new_low, new_high, number > 0, not last)
        if wanted != kept:
            raise RefusedError("words outside the edit would be read in another way")
        if not last:
            edit = ordered[number]
            shift += len(edit.text) - (edit.span.end - edit.span.start)


def _inside(
    tokens: list[tuple[int, str]],
    starts: list[int],
    low: int,
    high: int,
    cut_before: bool,
    cut_behind: bool,
) -> list[str]:
    """The tokens of a gap between edits. One that touches an edit belongs to it: new text may join
    what it stands beside."""
    first = bisect_right(starts, low) if cut_before else bisect_left(starts, low)
    return [
        token
        for at, token in tokens[first : bisect_right(starts, high)]
        if (at + len(token) < high if cut_behind else at + len(token) <= high)
    ]
