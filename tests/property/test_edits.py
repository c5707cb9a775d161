"""Edits on generated YAML and JSON: each changes the data as it declares and nothing outside its span."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from cfglint.files.loading import parse
from cfglint.fixing.witness import RefusedError, check
from cfglint.model.document import Document
from cfglint.model.edit import Append, Change, DropComment, Edit, Insert, Remove, Rename, Set
from cfglint.model.tree import Mapping, Node, Scalar, Sequence, to_data, walk
from cfglint.syntax import editing
from cfglint.text import SourceText

NEW = (0, "29500", "auto", "a, b]", "- x", 1e-05, 2.5, None, True, "y", "it's \"q\" \\", "", "# x",
       "a\nb", "10.0.0.1:80", "\U0001f680", "null", "1e5", {"a": 1}, [1, "two"])  # fmt: skip


# -- texts that people write -------------------------------------------------------------------

PLAIN = ("29500", "8", "true", "null", "1e-5", "1.0e-5", "10.0.0.1", "NO", "MULTI_GPU", "/a/b:c", "word",
         "two words", "a-b", "k=v", "\U0001f680 z", '"29500"', '"a b"', '"x: y"', '"a # b"', '"\\n"',
         "'29500'", "'it''s'", "'a # b'")  # fmt: skip


@st.composite
def flow_text(draw: st.DrawFn, depth: int = 2) -> str:
    if depth == 0 or draw(st.booleans()):
        return draw(st.sampled_from(PLAIN))
    items = draw(st.lists(flow_text(depth - 1), max_size=3))
    if draw(st.booleans()):
        return "[" + ", ".join(items) + "]"
    return "{" + ", ".join(f"k{i}: {item}" for i, item in enumerate(items)) + "}"


@st.composite
def yaml_lines(draw: st.DrawFn, indent: int = 0, depth: int = 3) -> str:
    """A block mapping with comments, blank lines and values of every style."""
    text = ""
    pad = " " * indent
    for number in range(draw(st.integers(1, 4))):
        text += draw(st.sampled_from(("", "", "", "\n", f"{pad}# own {number}\n")))
        key = draw(st.sampled_from((f"k{number}", f'"q{number}"', f"NCCL_{number}")))
        note = draw(st.sampled_from(("", "", "", f"  # note {number}")))
        kind = draw(st.integers(0, 9 if depth else 5))
        if kind == 0:
            text += f"{pad}{key}:{note}\n"
        elif kind == 1:
            sign = draw(st.sampled_from(("|", ">", "|-", ">-", "|+")))
            text += f"{pad}{key}: {sign}\n{pad}  one\n{pad}  two # no comment\n"
        elif kind == 2:
            text += f"{pad}{key}: {draw(flow_text())}{note}\n"
        elif kind <= 5:
            text += f"{pad}{key}: {draw(st.sampled_from(PLAIN))}{note}\n"
        elif kind <= 7:
            inner = indent + draw(st.sampled_from((2, 4)))
            text += f"{pad}{key}:{note}\n{draw(yaml_lines(inner, depth - 1))}"
        else:
            inner = indent + draw(st.sampled_from((0, 2)))
            text += f"{pad}{key}:{note}\n"
            for _ in range(draw(st.integers(1, 3))):
                item = draw(st.sampled_from(PLAIN))
                if depth > 1 and draw(st.booleans()):
                    item = f"a: {item}\n{' ' * (inner + 2)}b: 2"
                text += f"{' ' * inner}- {item}\n"
    return text


@st.composite
def yaml_texts(draw: st.DrawFn) -> str:
    text = draw(yaml_lines())
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    return text if draw(st.booleans()) else text.rstrip("\r\n")


json_data = st.recursive(
    st.sampled_from(
        (1, -2.5, 1e-5, True, None, "a", "x, y", 'q"\\\n', "\U0001f680", "// no", "auto")
    ),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(("a", "b", "c d", "e")), inner, max_size=4)
    ),
    max_leaves=12,
)


@st.composite
def json_texts(draw: st.DrawFn) -> str:
    data = draw(st.dictionaries(st.sampled_from(("a", "b", "c", "d")), json_data, min_size=1))
    indent = draw(st.sampled_from((None, 2, 4, "\t")))
    text = json.dumps(data, indent=indent, ensure_ascii=draw(st.booleans()))
    if draw(st.booleans()):
        text = text.replace(": ", ":", 2)
    return text + draw(st.sampled_from(("", "\n")))


# -- what is done to them ----------------------------------------------------------------------


def document_of(name: str, text: str) -> Document:
    source = SourceText(text)
    document = Document(name, Path(name), source, kind="x")
    document.tree = parse(source, name.rpartition(".")[2])
    assert not document.tree.problems, text
    return document


def edits_on(document: Document, value: Any) -> Iterator[Edit | None]:
    for node in walk(document.root):
        if isinstance(node, Mapping):
            yield editing.insert_entry(document, node, "new", value)
            for entry in node.entries:
                yield editing.set_value(document, entry.value, value)
                yield editing.remove_entry(document, node, entry)
                yield editing.rename_key(document, entry, "renamed")
                yield editing.insert_entry(document, node, "new", value, entry)
        elif isinstance(node, Sequence):
            yield editing.append_item(document, node, value)
            for item in node.items:
                yield editing.remove_item(document, node, item)
                yield editing.insert_items(document, node, item, ("--flag", str(value)))


def apply(data: Any, change: Change) -> None:
    """What a change declares, done on plain data by other code than the witness's."""
    assert not isinstance(change, DropComment)
    holder = data
    for step in change.path[:-1]:
        holder = holder[step]
    last = change.path[-1]
    if isinstance(change, Set):
        holder[last] = change.value
    elif isinstance(change, Remove):
        del holder[last]
    elif isinstance(change, Append):
        holder[last].append(change.value)
    elif isinstance(change, Insert):
        holder[last] = [*holder[last][: change.at], *change.values, *holder[last][change.at :]]
    elif isinstance(change, Rename):
        holder[change.name] = holder.pop(last)


def hold(document: Document, edit: Edit, data: Any, read: Any) -> bool:
    """Whether an edit was proven; if so it must have done what it says."""
    text = document.source.text
    try:
        new = check(document, [edit])
    except RefusedError:
        return False
    assert new == text[: edit.span.start] + edit.text + text[edit.span.end :]
    wanted = [copy.deepcopy(data)]
    for change in edit.changes:
        apply(wanted, change)
    assert read(new) == wanted[0]
    return True


@settings(max_examples=30, deadline=None)
@given(text=yaml_texts(), value=st.sampled_from(NEW))
def test_yaml_edits(text: str, value: Any) -> None:
    document = document_of("a.yaml", text)
    data = yaml.safe_load(text)
    assert to_data(document.root) == data
    for edit in edits_on(document, value):
        if edit is not None:
            hold(document, edit, data, yaml.safe_load)


@settings(max_examples=60, deadline=None)
@given(text=json_texts(), value=st.sampled_from(NEW))
def test_json_edits(text: str, value: Any) -> None:
    document = document_of("a.json", text)
    data = json.loads(text)
    assert to_data(document.root) == data
    for edit in edits_on(document, value):
        assert edit is not None
        assert hold(document, edit, data, json.loads), f"{edit} in {text!r}"


@settings(max_examples=50, deadline=None)
@given(text=yaml_texts(), value=st.sampled_from((0, "29500", "auto", None, True, 2.5)))
def test_plain_values_can_always_be_set(text: str, value: Any) -> None:
    """What most fixes do is never refused: another value for a scalar that stands in the file."""
    document = document_of("a.yaml", text)
    data = yaml.safe_load(text)
    for node in scalars(document.root):
        edit = editing.set_value(document, node, value)
        assert edit is not None
        assert hold(document, edit, data, yaml.safe_load), f"{edit} in {text!r}"


def scalars(root: Node) -> Iterator[Scalar]:
    """The values of mappings that stand on one line."""
    for node in walk(root):
        if isinstance(node, Mapping):
            for entry in node.entries:
                if isinstance(entry.value, Scalar) and entry.value.style not in ("|", ">"):
                    yield entry.value


@settings(max_examples=50, deadline=None)
@given(
    items=st.lists(st.sampled_from(PLAIN), min_size=1, max_size=4),
    layout=st.sampled_from(("flow", "lines", "block")),
    tail=st.booleans(),
    value=st.sampled_from(("--master_port", "29500", "a, b]", "# x", "- x", "it's")),
)
def test_items_can_always_be_put_into_a_list(
    items: list[str], layout: str, tail: bool, value: str
) -> None:
    """An argument list in any layout takes strings behind each of its items."""
    if layout == "flow":
        text = f"a: [{', '.join(items)}{',' if tail else ''}]  # note\n"
    elif layout == "lines":
        lines = "".join(f"  {one},  # note {at}\n" for at, one in enumerate(items[:-1]))
        text = f"a: [\n{lines}  # last\n  {items[-1]}{',' if tail else ''}  # note\n]\n"
    else:
        text = "a:\n" + "".join(f"- {one}  # note {at}\n" for at, one in enumerate(items))
    document = document_of("a.yaml", text)
    data = yaml.safe_load(text)
    listed = next(node for node in walk(document.root) if isinstance(node, Sequence))
    for item in listed.items:
        edit = editing.insert_items(document, listed, item, (value, "x"))
        assert edit is not None
        assert hold(document, edit, data, yaml.safe_load), f"{edit} in {text!r}"
