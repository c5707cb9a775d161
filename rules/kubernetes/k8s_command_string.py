"""A container's command or args written as one string.

## What it flags

`command` or `args` of a container of a pod, and of a TrainJob's trainer, that is a string.

## Why it fails

Both are lists in the API, and the manifest is refused:

    cannot unmarshal string into Go struct field Container.spec.containers.command of type []string
    spec.containers[0].command in body must be of type array: "string"

## Example

    apiVersion: v1
    kind: Pod
    metadata: {name: bert}
    spec:
      containers:
      - name: main
        image: registry.local/train:1
        command: torchrun --standalone train.py

Repair: a list.

    apiVersion: v1
    kind: Pod
    metadata: {name: bert}
    spec:
      containers:
      - name: main
        image: registry.local/train:1
        command: [torchrun, --standalone, train.py]

## References

- Kubernetes API: Container v1 core.
"""

import re
from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import (
    ERROR,
    Document,
    Finding,
    Mapping,
    Rule,
    Scalar,
    Sequence,
    edit,
    find,
    repair,
    resolve_alias,
    walk,
)

RULE = Rule(
    code="K8S006",
    name="k8s-command-string",
    severity=ERROR,
    summary="a container's command or args as one string",
    fix="safe",
    kinds=("kubernetes",),
    symptoms=(
        r"cannot unmarshal string into Go struct field .*\.(?:command|args) of type \[\]string",
        r"\.(?:command|args) in body must be of type array",
    ),
    cause="The API takes lists there and refuses the manifest.",
    help="Write a list, with an item for each word.",
)
# Words that mean the same with and without a shell.
_PLAIN = re.compile(r"[\w\s./=:,@+-]+")


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    for root in document.roots:
        for node in walk(root):
            listed = node.get("containers") if isinstance(node, Mapping) else None
            for item in listed.items if isinstance(listed, Sequence) else ():
                yield from _strings(document, resolve_alias(item))
        kind = find(root, "kind")
        trainer = find(root, "spec", "trainer")
        if isinstance(kind, Scalar) and kind.text == "TrainJob" and trainer is not None:
            yield from _strings(document, trainer)


def _strings(document: Document, container: object) -> Iterator[Finding]:
    if not isinstance(container, Mapping) or "image" not in container:
        return
    for key in ("command", "args"):
        node = container.get(key)
        if not isinstance(node, Scalar) or not isinstance(node.value, str):
            continue
        if "{{" in node.text or (node.is_plain and "$" in node.text):
            continue  # a template: a list may be put in
        plain = _PLAIN.fullmatch(node.text) is not None
        change = edit.set_value(document, node, node.text.split()) if plain else None
        yield RULE.finding(
            document,
            node.span,
            f"{key} is a string, where the API takes a list",
            fix=repair("make it a list", change, safe=True),
        )
