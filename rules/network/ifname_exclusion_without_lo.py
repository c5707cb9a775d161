"""An exclusion list of interfaces that does not exclude the loopback.

## What it flags

`NCCL_SOCKET_IFNAME=^docker0`: a `^` list none of whose entries means `lo`. It is an error where
the job spans several machines and a warning where the files do not say, or the list is a default;
one machine is left alone.

## Why it fails

A list of your own replaces NCCL's, which leaves out both docker and lo. With `^docker0` alone `lo`
is eligible again, it comes first, and every rank hands out 127.0.0.1:

    NET/Socket : Using [0]lo:127.0.0.1<0>
    socketStartConnect: Connect to 127.0.0.1<41233> failed : Connection refused

## Example

    export NCCL_SOCKET_IFNAME=^docker0
    torchrun --nnodes=2 --node_rank=$1 --nproc_per_node=8 --master_addr=10.20.0.11 train.py

Repair: exclude lo as well.

    export NCCL_SOCKET_IFNAME=^docker0,lo
    torchrun --nnodes=2 --node_rank=$1 --nproc_per_node=8 --master_addr=10.20.0.11 train.py

## When to ignore it

When the job never leaves one machine.

## References

- NCCL: NCCL_SOCKET_IFNAME, and its own list in `src/os/linux.cc`.
"""

from collections.abc import Iterator

from cfglint.network import loopback
from cfglint.network.interfaces import parse_list, with_entry
from cfglint.project import Project
from cfglint.rule import ERROR, WARNING, Finding, Launch, Rule, repair

RULE = Rule(
    code="NET011",
    name="ifname-exclusion-without-lo",
    severity=ERROR,
    summary="a ^ list of interfaces without lo",
    fix="safe",
    symptoms=(r"Using \[0\]lo:127\.0\.0\.1",),
    cause=(
        "A list of your own replaces NCCL's: lo comes first again, and every rank hands out"
        " 127.0.0.1."
    ),
    help="Add lo to the list.",
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    setting = launch.env.get("NCCL_SOCKET_IFNAME")
    if setting is not None and not setting.branches:  # those of one machine may be one branch
        setting = next(setting.readings(), None)
    text = setting.text if setting else None
    if setting is None or text is None or len(text) <= 1 or launch.is_single_node:
        return
    if launch.is_multinode and loopback.is_shared(launch):
        return
    names = parse_list(text)
    if not names.excludes or not names.entries or names.matches("lo"):
        return
    yield RULE.at(
        setting,
        f"NCCL_SOCKET_IFNAME={text} leaves lo eligible, which NCCL then takes first",
        severity=ERROR if launch.is_multinode and not setting.is_default else WARNING,
        fix=repair("exclude lo as well", setting.write(with_entry(text, "lo")), safe=True),
    )
