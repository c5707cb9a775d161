"""InfiniBand switched off where the rest of the file sets it up.

## What it flags

`NCCL_IB_DISABLE=1` beside `NCCL_IB_HCA`, or in a container that is given /dev/infiniband.

## Why it fails

It does not fail: NCCL uses TCP sockets, at a fraction of the speed, and every NCCL_IB_ variable is
dead. Often the line is left over from a search for a fault.

    NCCL INFO NET/Socket : Using [0]eth0:10.20.0.11<0>

## Example

    services:
      trainer:
        image: registry.local/train:1
        ipc: host
        ulimits: {memlock: -1}
        devices: [/dev/infiniband]
        environment: {NCCL_IB_DISABLE: "1", NCCL_SOCKET_IFNAME: eth0}
        command: torchrun --standalone --nproc_per_node=8 train.py

Repair: leave it out, or leave the devices out.

    services:
      trainer:
        image: registry.local/train:1
        ipc: host
        ulimits: {memlock: -1}
        devices: [/dev/infiniband]
        environment: {NCCL_SOCKET_IFNAME: eth0}
        command: torchrun --standalone --nproc_per_node=8 train.py

## When to ignore it

When other programs in the container use the devices.

## References

- NCCL, NCCL_IB_DISABLE.
"""

from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import WARNING, Finding, Launch, Rule

RULE = Rule(
    code="NET009",
    name="ib-disabled-with-ib",
    severity=WARNING,
    summary="NCCL_IB_DISABLE=1 where InfiniBand is set up",
    cause="NCCL falls back to TCP sockets, at a fraction of the speed, without a word.",
    help="Leave NCCL_IB_DISABLE out.",
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    setting = launch.env.get("NCCL_IB_DISABLE")
    if setting is None or setting.text != "1":
        return
    adapters = launch.env.get("NCCL_IB_HCA")
    devices = launch.container.devices if launch.container else ()
    if adapters is not None and adapters.text:
        yield RULE.at(setting, f"InfiniBand is off, so NCCL_IB_HCA={adapters.text} has no effect")
    elif any(device.startswith("/dev/infiniband") for device in devices):
        yield RULE.at(setting, "InfiniBand is off although the container is given /dev/infiniband")
