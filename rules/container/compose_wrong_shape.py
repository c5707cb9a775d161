"""A value of a shape that Compose does not take.

## What it flags

A key of a Compose file that is given a list where a mapping or a single value belongs, a single
value where a list belongs, and the like: `environment: NCCL_DEBUG=INFO`, `ports: 29500:29500`, or
an item `- NCCL_DEBUG: INFO`, which is a mapping, in a list of `NAME=value` texts.

## Why it fails

Compose checks the whole file before it starts anything, and refuses it:

    validating /srv/job/compose.yaml: services.trainer.ports must be a array
    services.trainer.environment.[0] must be a string

## Example

    services:
      trainer:
        image: registry.local/train:1
        ipc: host
        environment:
          - NCCL_DEBUG: WARN
        command: torchrun --standalone --nproc_per_node=2 train.py

Repair: an item of `environment` is one text.

    services:
      trainer:
        image: registry.local/train:1
        ipc: host
        environment:
          - NCCL_DEBUG=WARN
        command: torchrun --standalone --nproc_per_node=2 train.py

## When to ignore it

Never: the file does not start.

## References

- Compose specification, schema/compose-spec.json of compose-go 2.13.0.
"""

from collections.abc import Iterator

from cfglint.compose.schema import Misshapen, refused
from cfglint.project import Project
from cfglint.rule import (
    ERROR,
    Document,
    Finding,
    Mapping,
    Node,
    Rule,
    Scalar,
    Sequence,
    edit,
    repair,
    resolve_alias,
)

RULE = Rule(
    code="BOX011",
    name="compose-wrong-shape",
    severity=ERROR,
    summary="a value of a shape that Compose does not take",
    fix="safe",
    kinds=("compose",),
    symptoms=(
        r"must be an? (?:array|list|mapping|object|string)",
        r"contains an invalid type, it should be an? (?:array|object|string)",
    ),
    cause="Compose refuses the whole file.",
)
_ASSIGNMENTS = ("environment", "labels", "args", "annotations")
_ITEMS = ("ports", "volumes", "devices", "networks", "expose", "cap_add", "profiles", "tmpfs")
_SHAPES = {"list": "a list", "mapping": "a mapping"}


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The values whose shape Compose refuses, each once however often an anchor brings it in."""
    seen = set()
    for one in refused(document.root):
        if isinstance(one, Misshapen) and one.node.span not in seen:
            seen.add(one.node.span)
            yield _finding(document, one)


def _finding(document: Document, one: Misshapen) -> Finding:
    shapes = dict.fromkeys(_SHAPES.get(w, "a single value") for w in one.wanted if w != "null")
    wanted = " or ".join(shapes)
    better = _better(one)
    change = edit.set_value(document, one.node, better) if better else None
    return RULE.finding(
        document,
        one.node.span,
        f"{'.'.join(one.path)} is {_shape(one.node)}, where Compose takes {wanted}",
        help=f"Write {wanted}.",
        fix=repair(f"write {edit.written(change, better)}", change, safe=True),
    )


def _shape(node: Node) -> str:
    meant = resolve_alias(node)
    if isinstance(meant, Mapping):
        return "a mapping"
    return "a list" if isinstance(meant, Sequence) else "a single value"


def _better(one: Misshapen) -> str | list[str] | None:
    """The same in the shape that Compose takes, where that is plain: `- NAME: value` among texts is
    NAME=value, and a single text where a list belongs is its one item."""
    node = resolve_alias(one.node)
    if isinstance(node, Mapping) and len(node.entries) == 1 and one.path[-2] in _ASSIGNMENTS:
        name, value = node.entries[0].name, resolve_alias(node.entries[0].value)
        plain = isinstance(value, Scalar) and value.tag is None and value.value is not None
        return f"{name}={value.text}" if plain and isinstance(value, Scalar) else None
    if isinstance(node, Scalar) and "list" in one.wanted and "\n" not in node.text:
        return [node.text] if one.path[-1] in (*_ASSIGNMENTS, *_ITEMS) else None
    return None
