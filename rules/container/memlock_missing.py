"""RDMA in a container whose locked memory is limited.

## What it flags

A container that is given /dev/infiniband, or whose environment names InfiniBand adapters
(`NCCL_IB_HCA`), without an unlimited `memlock`. Jobs with `NCCL_IB_DISABLE=1` are left alone, and
containers that may lock more than their limit: those with the capability `IPC_LOCK` or all of them,
and privileged ones.

## Why it fails

RDMA registers memory, which locks it, and a container may lock a few megabytes:

    NET/IB : Unable to register memory: ibv_reg_mr failed, Cannot allocate memory
    Call to ibv_create_qp failed with error Cannot allocate memory

## Example

    services:
      trainer:
        image: registry.local/train:1
        ipc: host
        devices: [/dev/infiniband]
        command: torchrun --standalone --nproc_per_node=8 train.py

Repair:

    services:
      trainer:
        image: registry.local/train:1
        ipc: host
        ulimits:
          memlock: -1
        devices: [/dev/infiniband]
        command: torchrun --standalone --nproc_per_node=8 train.py

## When to ignore it

When the Docker daemon itself has the limit raised (`default-ulimits`).

## References

- NCCL, troubleshooting: RDMA in containers.
"""

from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import WARNING, Finding, Launch, Rule, repair

RULE = Rule(
    code="BOX003",
    name="memlock-missing",
    severity=WARNING,
    summary="RDMA in a container whose locked memory is limited",
    fix="safe",
    symptoms=(r"ibv_reg_mr\w* failed", r"ibv_create_qp failed"),
    cause='RDMA locks memory: "ibv_reg_mr failed, Cannot allocate memory", or a silent fallback.',
    help="Set ulimits: {memlock: -1} (docker run: --ulimit memlock=-1).",
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    box = launch.container
    if box is None or not box.complete or box.kind not in ("compose", "docker"):
        return
    disabled = launch.env.get("NCCL_IB_DISABLE")
    if disabled is not None and disabled.text != "0":
        return
    adapters = launch.env.get("NCCL_IB_HCA")
    given = any(device.startswith("/dev/infiniband") for device in box.devices)
    if not given and (adapters is None or not adapters.text):
        return
    if (
        box.locks_freely
        or box.memlock in ("-1", "unlimited")
        or (box.memlock or "0").startswith("$")
    ):
        return
    edits = box.set_option("memlock", "-1") if box.set_option else None
    limit = f"{box.memlock} bytes" if box.memlock else "what Docker allows by default"
    yield RULE.finding(
        launch.document,
        box.span,
        f"{box.name} uses RDMA, and may lock no more memory than {limit}",
        fix=repair("let it lock all memory", edits, safe=True),
    )
