"""Edits on a YAML file: text for one place, and what it declares to change in the data."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from cfglint.model.document import Document
from cfglint.model.edit import Append, Edit, Insert, Remove, Rename, Set
from cfglint.model.tree import Alias, Entry, Mapping, Node, Scalar, Sequence, to_data, walk
from cfglint.syntax import flow_items
from cfglint.syntax.yaml_text import data_path, write
from cfglint.text import LINE_BREAK, Span


def set_value(document: Document, node: Node, value: Any) -> Edit | None:
    """Give a value another one. An anchored value, which others share, is not edited."""
    path = data_path(document, node)
    if path is None or node.anchor or isinstance(node, Alias):
        return None
    style = node.style if isinstance(node, Scalar) and node.style in ("'", '"') else ""
    if isinstance(value, (dict, list)):
        text = _flow(value)
    elif isinstance(value, str):
        text = write(value, style, _in_flow(document, node))
    else:
        text = write(value)
    if node.start == node.end:  # `key:` with nothing behind it: the empty value stands at the colon
        text = " " + text
    span, text = _beside_key(document, node, text)
    return Edit(document.path, span, text, (Set(path, value),))


def rename_key(document: Document, entry: Entry, name: str) -> Edit | None:
    """Call a key another name."""
    key = entry.key
    path = data_path(document, key_owner(document, entry) or entry.value)
    if path is None or not isinstance(key, Scalar) or key.anchor:
        return None
    base = path if key_owner(document, entry) else path[:-1]
    style = key.style if key.style in ("'", '"') else ""
    return Edit(document.path, key.span, write(name, style), (Rename((*base, key.text), name),))


def replace_entry(
    document: Document, mapping: Mapping, entry: Entry, name: str, value: dict[str, Any]
) -> Edit | None:
    """Put a key with a mapping in place of another key and its value, in the mapping's style."""
    path = data_path(document, mapping)
    if path is None or entry not in mapping.entries or entry.name is None or name in mapping:
        return None
    if _anchored(entry.value) or isinstance(entry.value, Alias):
        return None
    changes = (Remove((*path, entry.name)), Set((*path, name), value))
    column, newline = _column(document, entry.key.start), document.source.newline
    block = _block({name: value}, column, newline).lstrip()
    text = f"{write(name)}: {_flow(value)}" if mapping.flow else block
    return Edit(document.path, entry.span, text, changes)


def remove_entry(document: Document, mapping: Mapping, entry: Entry) -> Edit | None:
    """Take a key and its value away, with its whole lines in block style."""
    path = data_path(document, mapping)
    if path is None or entry.name is None or _anchored(entry.value):
        return None
    if entry not in mapping.entries:
        return None  # merged in from elsewhere
    count = sum(1 for e in mapping.entries if e.name == entry.name)
    if len(mapping.entries) == 1:
        return _empty(document, mapping, {}, path)
    change = (Remove((*path, entry.name)),) if count == 1 else _last_but(mapping, entry, path)
    siblings = [e.span for e in mapping.entries]
    span = _cut(document, mapping.flow, siblings, mapping.entries.index(entry))
    return Edit(document.path, span, _comments(document, span, [entry.key, entry.value]), change)


def _last_but(mapping: Mapping, entry: Entry, path: Any) -> tuple[Set, ...]:
    others = [e for e in mapping.entries if e.name == entry.name and e is not entry]
    return (Set((*path, entry.name or ""), to_data(others[-1].value)),)


def remove_item(document: Document, sequence: Sequence, item: Node) -> Edit | None:
    """Take an item out of a list."""
    path = data_path(document, sequence)
    if path is None or _anchored(item):
        return None
    if len(sequence.items) == 1:
        return _empty(document, sequence, [], path)
    number = next(i for i, one in enumerate(sequence.items) if one is item)
    spans = [one.span for one in sequence.items]
    span = _cut(document, sequence.flow, spans, number)
    kept = _comments(document, span, [item])
    return Edit(document.path, span, kept, (Remove((*path, number)),))


def insert_entry(
    document: Document, mapping: Mapping, name: str, value: Any, after: Entry | None = None
) -> Edit | None:
    """Add a key, behind the entry `after` or the last one, in the mapping's own style."""
    path = data_path(document, mapping)
    if path is None or name in mapping:
        return None
    source = document.source
    change = (Set((*path, name), value),)
    if mapping.flow:
        text = f"{write(name)}: {_flow(value)}"
        at = mapping.entries[-1].span.end if mapping.entries else mapping.start + 1
        lead = ", " if mapping.entries else ""
        return Edit(document.path, Span(at, at), lead + text, change)
    if not mapping.entries:
        return None
    own = [e for e in mapping.entries if mapping.start <= e.key.start < mapping.end]
    previous = after if after in own and after is not None else own[-1]
    indent = _column(document, own[0].key.start)
    text = _block({name: value}, indent, source.newline)
    at = source.line_end_after(previous.span.end)
    broken = at > 0 and source.text[at - 1] in "\r\n"
    written = f"{text}{source.newline}" if broken else f"{source.newline}{text}"
    return Edit(document.path, Span(at, at), written, change)


def append_item(document: Document, sequence: Sequence, value: Any) -> Edit | None:
    """Add an item at the end of a list, in the list's own style."""
    path = data_path(document, sequence)
    if path is None:
        return None
    source = document.source
    change = (Append(path, value),)
    if sequence.flow:
        at = sequence.items[-1].end if sequence.items else sequence.start + 1
        lead = ", " if sequence.items else ""
        return Edit(document.path, Span(at, at), lead + _flow(value), change)
    if not sequence.items:
        return None
    last = sequence.items[-1]
    dash = source.text.rfind("-", source.line_of(sequence.start).start, sequence.items[0].start)
    if dash < 0:
        return None
    indent = " " * (dash - source.line_of(dash).start)
    first = source.text[source.line_of(dash).start : dash]
    if first.strip():
        return None  # a list that begins behind something else on its line
    at = source.line_end_after(last.end)
    text = f"{indent}- {_flow(value) if isinstance(value, (dict, list)) else write(value)}"
    broken = at > 0 and source.text[at - 1] in "\r\n"
    written = f"{text}{source.newline}" if broken else f"{source.newline}{text}"
    return Edit(document.path, Span(at, at), written, change)


def insert_items(
    document: Document, sequence: Sequence, after: Node, texts: Iterable[str]
) -> Edit | None:
    """Put strings behind an item of a list, in the list's layout and the item's quotes."""
    path = data_path(document, sequence)
    style = after.style if isinstance(after, Scalar) else ""
    if path is None or style in ("|", ">"):
        return None
    source = document.source
    values = tuple(texts)
    number = next(i for i, one in enumerate(sequence.items) if one is after) + 1
    change = (Insert(path, number, values),)
    quote = style if style in ("'", '"') else ""
    written = [write(value, quote, sequence.flow) for value in values]
    if sequence.flow:
        span, text = flow_items.place(source, sequence, after, written)
        return Edit(document.path, span, text, change)
    line = source.line_of(after.start)
    dash = source.text.rfind("-", line.start, after.start)
    indent = source.text[line.start : max(dash, line.start)]
    if dash < 0 or indent.strip():
        return None  # it shares its line with what the list stands in
    at = source.line_end_after(after.end)
    lines = [f"{indent}- {one}" for one in written]
    if at > 0 and source.text[at - 1] in "\r\n":
        new = "".join(one + source.newline for one in lines)
    else:
        new = "".join(source.newline + one for one in lines)
    return Edit(document.path, Span(at, at), new, change)


def key_owner(document: Document, entry: Entry) -> Mapping | None:
    """The mapping in which an entry itself stands."""
    stack: list[Node] = list(document.roots)
    while stack:
        node = stack.pop()
        if isinstance(node, Mapping):
            if any(e is entry for e in node.entries):
                return node
            stack.extend(e.value for e in node.entries)
        elif isinstance(node, Sequence):
            stack.extend(node.items)
    return None


def _anchored(node: Node) -> bool:
    """Whether an anchor below would vanish with the node while aliases still need it."""
    return any(n.anchor for n in walk(node))


def _empty(document: Document, node: Mapping | Sequence, value: Any, path: Any) -> Edit:
    span, text = _beside_key(document, node, _flow(value))
    return Edit(document.path, span, text, (Set(path, value),))


def _beside_key(document: Document, node: Node, text: str) -> tuple[Span, str]:
    """Where one line of text goes that takes the place of a block collection: behind its key.

    Where a comment stands between, it stays on its own line, further in than the key (a list may
    begin below its key's first letter, a single value may not).
    """
    if not isinstance(node, (Mapping, Sequence)) or node.flow:
        return node.span, text
    entry = _entry_of(document, node)
    if entry is None:
        return node.span, text
    source = document.source
    between = source.text[entry.key.end : node.start]
    colon = between.find(":")
    if colon >= 0 and not between[colon + 1 :].strip():
        return Span(entry.key.end + colon + 1, node.end), " " + text
    missing = _column(document, entry.key.start) + 2 - _column(document, node.start)
    return node.span, " " * missing + text


def _entry_of(document: Document, node: Node) -> Entry | None:
    """The entry whose value a node is."""
    for root in document.roots:
        for one in walk(root):
            if isinstance(one, Mapping):
                for entry in one.entries:
                    if entry.value is node:
                        return entry
    return None


def _cut(document: Document, flow: bool, spans: list[Span], number: int) -> Span:
    """What to delete for the entry `number` of several, its separator or its lines included."""
    source = document.source
    span = spans[number]
    if flow:
        # With the comma before it, so that several in a row can go, unless a comment stands there.
        before = spans[number - 1].end if number else span.start
        if number and (number + 1 == len(spans) or "#" not in source.text[before : span.start]):
            return Span(before, span.end)
        return Span(span.start, spans[number + 1].start)
    line = source.line_of(span.start)
    lead = source.text[line.start : span.start]
    if lead.strip(" -") and number == 0:
        return Span(span.start, spans[1].start)
    if "-" in lead and number + 1 < len(spans) and lead.count("-") > 1:
        return Span(span.start, spans[number + 1].start)
    end = source.line_end_after(span.end)
    if lead.strip() and lead.strip(" ") != "-":
        return Span(span.start, spans[number + 1].start if number + 1 < len(spans) else span.end)
    if "-" in lead and _is_mapping_item(source.text, lead, span, spans, number):
        return Span(span.start, spans[number + 1].start)
    return Span(line.start, end)


def _comments(document: Document, span: Span, nodes: list[Node]) -> str:
    """The comments on whole lines that are deleted with `nodes`, each on a line of its own."""
    source = document.source
    first = source.line_of(span.start)
    if first.start != span.start or (span.end and source.text[span.end - 1] not in "\r\n"):
        return ""
    scalars = sorted(
        n.span for node in nodes for n in walk(node) if isinstance(n, Scalar) and n.start < n.end
    )
    lines: list[str] = []
    at = span.start
    text = source.slice(first)
    indent = text[: len(text) - len(text.lstrip())]
    for inside in [*scalars, Span(span.end, span.end)]:
        for line in LINE_BREAK.split(source.text[at : inside.start]):
            sign = re.search(r"(?:^|(?<=\s))#", line)
            if sign:
                lines.append(f"{indent}{line[sign.start() :].rstrip()}{source.newline}")
        at = max(at, inside.end)
    return "".join(lines)


def _is_mapping_item(text: str, lead: str, span: Span, spans: list[Span], number: int) -> bool:
    """Whether a first key stands behind its list item's dash, so that the dash must stay."""
    if number + 1 >= len(spans):
        return False
    following = text.rfind("\n", 0, spans[number + 1].start) + 1
    return "-" not in text[following : spans[number + 1].start]


def _in_flow(document: Document, node: Node) -> bool:
    stack: list[Node] = list(document.roots)
    while stack:
        one = stack.pop()
        if isinstance(one, (Mapping, Sequence)) and one.start <= node.start and node.end <= one.end:
            if one.flow:
                return True
            children = [e.value for e in one.entries] if isinstance(one, Mapping) else one.items
            stack.extend(children)
    return False


def _column(document: Document, offset: int) -> int:
    return offset - document.source.line_of(offset).start


def _flow(value: Any) -> str:
    if isinstance(value, dict):
        inner = ", ".join(f"{write(k, flow=True)}: {_flow(v)}" for k, v in value.items())
        return "{" + inner + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_flow(v) for v in value) + "]"
    return write(value, flow=True)


def _block(value: dict[str, Any], indent: int, newline: str) -> str:
    """A mapping in block style, each line indented by `indent` blanks."""
    lines: list[str] = []
    pad = " " * indent
    for name, one in value.items():
        if isinstance(one, dict) and one:
            lines.append(f"{pad}{write(name)}:")
            lines.append(_block(one, indent + 2, newline))
        elif isinstance(one, list) and one:
            lines.append(f"{pad}{write(name)}:")
            lines.extend(f"{pad}  - {_flow(item)}" for item in one)
        else:
            lines.append(f"{pad}{write(name)}: {_flow(one)}")
    return newline.join(lines)


def comment_behind(document: Document, offset: int) -> bool:
    """Whether a comment follows on the line of an offset."""
    rest = document.source.text[offset : document.source.line_of(offset).end]
    return LINE_BREAK.sub("", rest).lstrip().startswith("#")
