"""An interface for NCCL but none for Gloo, in a job that certainly uses Gloo too.

## What it flags

`NCCL_SOCKET_IFNAME` without `GLOO_SOCKET_IFNAME` in a job over several machines that names Gloo
(`--backend gloo`, `cpu:gloo,cuda:nccl`, in the command or in the program that it starts), or whose
accelerate config makes a Gloo group (FSDP with offloaded parameters).

## Why it fails

Gloo does not read NCCL's variable. It takes the address that the host's own name resolves to,
which on Debian and Ubuntu is 127.0.1.1, and on hosts with several cards may be the wrong one:

    Gloo connectFullMesh failed with ... Connection refused, remote=[127.0.1.1]:34581
    connect: Network is unreachable

## Example

    export NCCL_SOCKET_IFNAME=eth0
    torchrun --nnodes=2 --node_rank=$1 --master_addr=10.2.0.11 train.py --backend cpu:gloo,cuda:nccl

Repair: name it for both.

    export NCCL_SOCKET_IFNAME=eth0
    export GLOO_SOCKET_IFNAME=eth0
    torchrun --nnodes=2 --node_rank=$1 --master_addr=10.2.0.11 train.py --backend cpu:gloo,cuda:nccl

## When to ignore it

When every host's name resolves to the right address.

## References

- PyTorch, choosing the network interface to use. Gloo, `transport/tcp/device.cc`.
"""

from collections.abc import Iterator

from cfglint.network.interfaces import parse_list
from cfglint.programs.backends import shows_gloo
from cfglint.project import Project
from cfglint.rule import WARNING, Finding, Launch, Rule, Setting, repair

RULE = Rule(
    code="NET007",
    name="gloo-ifname-missing",
    severity=WARNING,
    summary="NCCL_SOCKET_IFNAME without GLOO_SOCKET_IFNAME in a job that uses Gloo",
    fix="unsafe",
    symptoms=(r"connectFullMesh failed", r"Unable to resolve hostname to a \(local\) address"),
    cause="Gloo takes the address of the host's own name, which is 127.0.1.1 on Debian and Ubuntu.",
    help="Set GLOO_SOCKET_IFNAME as well; it takes exact names.",
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    nccl = launch.env.get("NCCL_SOCKET_IFNAME")
    why = _lacking(launch, project)
    if nccl is None or not why or not nccl.text:
        return
    names = parse_list(nccl.text)
    concrete = project.site.socket_interface
    if not concrete and not names.excludes and len(names.entries) == 1:
        concrete = names.entries[0]
    also = [x for x in project.launches if _has(x, nccl) and _lacking(x, project)]
    edit = launch.set_env("GLOO_SOCKET_IFNAME", concrete, also) if concrete else None
    yield RULE.at(
        nccl,
        f"Gloo does not read NCCL_SOCKET_IFNAME, and the job uses it ({why})",
        fix=repair(f"set GLOO_SOCKET_IFNAME={concrete}", edit),
    )


def _has(launch: Launch, nccl: Setting) -> bool:
    own = launch.env.get("NCCL_SOCKET_IFNAME")
    return own is not None and own.span == nccl.span and own.document is nccl.document


def _lacking(launch: Launch, project: Project) -> str:
    """Why a launch that names NCCL's interface wants one for Gloo, "" where it wants none."""
    if "NCCL_SOCKET_IFNAME" not in launch.env or not launch.is_multinode:
        return ""
    # One that is kept back is env-not-exported's, with a value of the user's.
    if "GLOO_SOCKET_IFNAME" in launch.env or launch.keeps_back("GLOO_SOCKET_IFNAME"):
        return ""
    return shows_gloo(launch, project)
