"""NCCL's list syntax given to Gloo or TensorPipe, which take exact names.

## What it flags

`GLOO_SOCKET_IFNAME` or `TP_SOCKET_IFNAME` with `^`, `=` or `!`, also as a default or in a branch.

## Why it fails

Gloo looks for an interface of exactly that name, sign included, and every process dies:

    [enforce fail at .../device.cc:84] ifa != nullptr. Unable to find address for: ^lo,docker

## Example

    export NCCL_SOCKET_IFNAME=^lo,docker
    export GLOO_SOCKET_IFNAME=^lo,docker
    torchrun --nnodes=2 --node_rank=$1 --nproc_per_node=8 --master_addr=10.20.0.11 train.py

Repair: a name.

    export NCCL_SOCKET_IFNAME=^lo,docker
    export GLOO_SOCKET_IFNAME=eth0
    torchrun --nnodes=2 --node_rank=$1 --nproc_per_node=8 --master_addr=10.20.0.11 train.py

## When to ignore it

Never; a job that does not use Gloo does not need the variable.

## References

- Gloo, `transport/tcp/device.cc`.
"""

from collections.abc import Iterator

from cfglint.network.interfaces import parse_list
from cfglint.project import Project
from cfglint.rule import ERROR, Finding, Fix, Launch, Rule, Setting, repair

RULE = Rule(
    code="NET005",
    name="ifname-gloo-syntax",
    severity=ERROR,
    summary="NCCL's list syntax in GLOO_SOCKET_IFNAME or TP_SOCKET_IFNAME",
    fix="unsafe",
    symptoms=(r"ifa != nullptr\. Unable to find address for: (?P<value>[\^=!]\S*)",),
    cause='Every process dies: "Unable to find address for: ^lo,docker".',
    help="Name the interface: Gloo and TensorPipe take exact names, separated by commas.",
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    for name in ("GLOO_SOCKET_IFNAME", "TP_SOCKET_IFNAME"):
        setting = launch.env.get(name)
        for one in setting.readings() if setting is not None else ():
            text = one.text or ""
            if any(sign in text for sign in "^=!"):
                yield RULE.at(
                    one,
                    f"{name} takes exact names; no interface is called {text}",
                    fix=_fix(launch, one, text, project.site.socket_interface),
                )


def _fix(launch: Launch, setting: Setting, text: str, interface: str) -> Fix | None:
    names = parse_list(text)
    other = launch.env.get("NCCL_SOCKET_IFNAME")
    nccl = parse_list(other.text) if other and other.text else None
    if interface:
        wanted = interface
    elif names.exact and not names.excludes:
        wanted = ",".join(names.entries)
    elif nccl is not None and not nccl.excludes and nccl.exact:
        wanted = ",".join(nccl.entries)
    else:
        return repair("leave it out", setting.remove())
    return repair(f"use {wanted}", setting.write(wanted))
