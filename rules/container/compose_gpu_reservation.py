"""A GPU reservation that Compose refuses.

## What it flags

An entry under `deploy.resources.reservations.devices` (or `gpus`) of a Compose service without
`capabilities`, or with both `count` and `device_ids`.

## Why it fails

Compose refuses the file:

    services.trainer.deploy.resources.reservations.devices.0 capabilities is required
    "count" and "device_ids" attributes are exclusive

## Example

    services:
      trainer:
        image: registry.local/train:1
        ipc: host
        command: torchrun --standalone --nproc_per_node=2 train.py
        deploy:
          resources:
            reservations:
              devices:
                - driver: nvidia
                  count: 2

Repair:

    services:
      trainer:
        image: registry.local/train:1
        ipc: host
        command: torchrun --standalone --nproc_per_node=2 train.py
        deploy:
          resources:
            reservations:
              devices:
                - driver: nvidia
                  count: 2
                  capabilities: [gpu]

## When to ignore it

Never: the file does not start.

## References

- Compose specification: deploy, devices.
"""

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
)

RULE = Rule(
    code="BOX004",
    name="compose-gpu-reservation",
    severity=ERROR,
    summary="a GPU reservation that Compose refuses",
    fix="safe",
    kinds=("compose",),
    symptoms=(
        r"capabilities is required",
        r'"count" and "device_ids" attributes are exclusive',
    ),
    cause="Compose refuses the file.",
    help="Each entry needs capabilities: [gpu], and either count or device_ids.",
)
_PLACE = ("deploy", "resources", "reservations", "devices")


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    services = find(document.root, "services") if document.root is not None else None
    for entry in services.entries if isinstance(services, Mapping) else ():
        devices = find(entry.value, *_PLACE)
        for item in devices.items if isinstance(devices, Sequence) else ():
            device = resolve_alias(item)
            if isinstance(device, Mapping):
                yield from _check(document, device)


def _check(document: Document, device: Mapping) -> Iterator[Finding]:
    if "capabilities" not in device and _is_gpu(device):
        added = edit.insert_entry(document, device, "capabilities", ["gpu"])
        yield RULE.finding(
            document,
            device.entries[0].span if device.entries else device.span,
            "a device reservation needs capabilities",
            fix=repair("add capabilities: [gpu]", added, safe=True),
        )
    count = device.entry("count")
    if count is not None and "device_ids" in device:
        yield RULE.finding(
            document,
            count.span,
            "count and device_ids exclude each other",
            fix=repair("remove count", edit.remove_entry(document, device, count), safe=True),
        )


def _is_gpu(device: Mapping) -> bool:
    """Whether the entry is one of GPUs, as far as it says: a driver of another kind is not."""
    driver = device.get("driver")
    return not isinstance(driver, Scalar) or driver.text in ("nvidia", "amd", "")
