"""Debug output of NCCL or torch left on.

## What it flags

`NCCL_DEBUG=INFO` or `TRACE` and `TORCH_DISTRIBUTED_DEBUG=DETAIL` in a file that is not named after
debugging or tests.

## Why it fails

It does not fail. INFO writes hundreds of lines from every rank and hides what matters;
`TORCH_DISTRIBUTED_DEBUG=DETAIL` checks every collective on all ranks and makes training slower.

## Example

    services:
      trainer:
        image: registry.local/train:1
        ipc: host
        environment: {NCCL_DEBUG: INFO}
        command: torchrun --standalone --nproc_per_node=8 train.py

Repair: warnings only.

    services:
      trainer:
        image: registry.local/train:1
        ipc: host
        environment: {NCCL_DEBUG: WARN}
        command: torchrun --standalone --nproc_per_node=8 train.py

## When to ignore it

While somebody looks for a fault.

## References

- NCCL, NCCL_DEBUG. PyTorch, TORCH_DISTRIBUTED_DEBUG.
"""

from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import INFO, Finding, Launch, Rule

RULE = Rule(
    code="ENV009",
    name="debug-left-on",
    severity=INFO,
    summary="debug output of NCCL or torch left on",
    cause="Every rank writes hundreds of lines; DETAIL also slows every collective.",
    help="Use NCCL_DEBUG=WARN, and leave TORCH_DISTRIBUTED_DEBUG out.",
)
_NOISY = {"NCCL_DEBUG": ("INFO", "TRACE"), "TORCH_DISTRIBUTED_DEBUG": ("DETAIL",)}


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    for name, noisy in _NOISY.items():
        setting = launch.env.get(name)
        text = (setting.text or "").upper() if setting else ""
        path = setting.document.path.lower() if setting else ""
        if setting is not None and text in noisy and not ("debug" in path or "test" in path):
            yield RULE.at(setting, f"{name}={setting.text} writes debug output from every rank")
