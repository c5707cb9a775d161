"""NCCL or Gloo bound to the loopback or Docker bridge interface in a job over several machines.

## What it flags

`NCCL_SOCKET_IFNAME`, `GLOO_SOCKET_IFNAME`, `TP_SOCKET_IFNAME` or the like of another vendor
(`HCCL_`, `MCCL_`) that names only `lo` or `docker0`, where the job spans several machines; for NCCL
also `lo` among others, since it takes interfaces in the system's order, not in that of the list. A
default (`${NCCL_SOCKET_IFNAME:-lo}`) is a warning. On one machine `lo` is fine and is left alone.

## Why it fails

Each rank hands out an address of that interface, 127.0.0.1 or 172.17.0.1, which means another
machine to everybody else: ranks connect to themselves or to nobody.

    socketStartConnect: Connect to 127.0.0.1<41233> failed : Connection refused

## Example

    export NCCL_SOCKET_IFNAME=lo
    torchrun --nnodes=2 --node_rank=$1 --nproc_per_node=8 --master_addr=10.20.0.11 train.py

Repair: the interface that connects the machines, or a list of those that do not.

    export NCCL_SOCKET_IFNAME=^lo,docker,br-,veth,virbr,cni,flannel,cali,tailscale,wg
    torchrun --nnodes=2 --node_rank=$1 --nproc_per_node=8 --master_addr=10.20.0.11 train.py

## When to ignore it

When the machines of the file are really several launchers on one machine.

## References

- NCCL: NCCL_SOCKET_IFNAME. Gloo: GLOO_SOCKET_IFNAME takes exact names.
"""

from collections.abc import Iterator

from cfglint.network import loopback
from cfglint.network.interfaces import EXCLUSIONS, parse_list
from cfglint.project import Project
from cfglint.rule import ERROR, WARNING, Finding, Fix, Launch, Rule, Setting, repair

RULE = Rule(
    code="NET004",
    name="ifname-loopback",
    severity=ERROR,
    summary="NCCL or Gloo on lo or docker0 in a job over several machines",
    fix="unsafe",
    symptoms=(r"Connect to 127\.0\.0\.1<\d+> failed",),
    cause=(
        "Every rank hands out an address that only its own machine reaches:"
        ' "Connect to 127.0.0.1<41233> failed : Connection refused".'
    ),
    help="Name the interface that connects the machines (ip -br addr shows them).",
)
_LOCAL = frozenset({"lo", "docker", "docker0"})
_VARIABLES = (
    "NCCL_SOCKET_IFNAME",
    "GLOO_SOCKET_IFNAME",
    "TP_SOCKET_IFNAME",
    "HCCL_SOCKET_IFNAME",
    "MCCL_SOCKET_IFNAME",
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    if not launch.is_multinode or loopback.is_shared(launch):
        return
    for name in _VARIABLES:
        setting = launch.env.get(name)
        if setting is not None and not setting.branches:  # those of one machine may be one branch
            setting = next(setting.readings(), None)
        if setting is None or setting.text is None:
            continue
        names = parse_list(setting.text)
        if names.excludes or not names.entries:
            continue
        said = f"{name}={setting.text} keeps the traffic of {launch.machines()} machines on an"
        if set(names.entries) <= _LOCAL:
            if name == "HCCL_SOCKET_IFNAME" and "HCCL_IF_IP" in launch.env:
                continue  # which comes first
            said += " interface that is each machine's own"
        elif name == "NCCL_SOCKET_IFNAME" and "lo" in names.entries:
            said = f"of the interfaces in {name}={setting.text} NCCL takes lo first"
        else:
            continue
        fix = _fix(setting, name, project.site.socket_interface)
        yield RULE.at(setting, said, severity=WARNING if setting.is_default else ERROR, fix=fix)


def _fix(setting: Setting, name: str, interface: str) -> Fix | None:
    if interface:
        return repair(f"use {interface}", setting.write(interface))
    if name == "NCCL_SOCKET_IFNAME":
        return repair("exclude local interfaces", setting.write(EXCLUSIONS))
    return None
