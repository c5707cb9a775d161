"""A job over several nodes that does not say which node this is.

## What it flags

A launch over several nodes with a static rendezvous and no node rank: not on the command line, not in
the config, not in a variable that the launcher reads; also `deepspeed --no_ssh` without `--node_rank`,
which deepspeed refuses (an error). Only launches that are seen whole are judged. Pods
are where their controller is known to set no such variable (Jobs, StatefulSets, JobSets, Volcano's).

## Why it fails

The default is 0, so every node is rank 0:

    wait timeout after 900000ms, keys: /none/torchelastic/role_info/...
    AssertionError: Launching training without ssh, but --node_rank is not set correctly.

## Example

    torchrun --nnodes=2 --nproc_per_node=8 --master_addr=10.0.0.1 --master_port=29500 train.py

Repair: a rank per node, or c10d, which gives them out itself.

    torchrun --nnodes=2 --node_rank="$NODE_RANK" --nproc_per_node=8 --master_addr=10.0.0.1 --master_port=29500 train.py

## When to ignore it

The config is passed with `--machine_rank` by something that is not in this repository.
"""

from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import ERROR, WARNING, Finding, Launch, Rule

RULE = Rule(
    code="TOPO003",
    name="rank-missing",
    severity=WARNING,
    summary="several nodes and no node rank: all are rank 0",
    symptoms=(
        r"role_info/",
        r"Timed out after \d+ seconds waiting for clients",
        r"Launching training without ssh, but --node_rank is not set correctly",
    ),
    cause="Every node is rank 0; the rendezvous times out after 900 s.",
    help="Pass each node its rank, or use the c10d backend with an endpoint.",
    yields_to=("TOPO012", "TOPO004", "TOPO005", "ADDR012"),
)
_READS = ("torchrun", "accelerate", "llamafactory")


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """A multi-node launch without a rank."""
    given = launch.command.given if launch.command is not None else {}
    if launch.launcher == "deepspeed" and "no_ssh" in given and launch.complete:
        if launch.get("node_rank") is None:
            yield RULE.at(
                given["no_ssh"],
                "--no_ssh, and nothing says which node this is",
                severity=ERROR,
                cause='deepspeed stops: "--node_rank is not set correctly".',
                help="Start it on each host with --node_rank, its place in the hostfile from 0.",
            )
        return
    if launch.launcher not in _READS or not launch.complete or not launch.is_multinode:
        return
    if launch.get("node_rank") is not None or not launch.is_static or launch.may_be_told:
        return
    if launch.network.mode == "pod" and launch.get("nnodes") is None:
        return  # each pod is a job of its own: k8s-pods-alone
    if launch.launcher == "llamafactory" and "RANK" in launch.env:
        return
    if launch.withholds("node_rank"):
        return  # env-not-exported says so
    kind = launch.get("distributed_type")
    if launch.launcher == "accelerate":
        if kind is not None and (kind.text or "").upper() == "DEEPSPEED":
            launcher = launch.get("launcher")
            if launcher is None or launcher.text != "standard":
                return
        own = launch.document
        known = project.search_complete(own) and project.users(own)
        if own.kind == "accelerate" and not known:
            return
    nnodes = launch.get("nnodes")
    message = f"{launch.machines()} nodes, and nothing says which one this is: each is rank 0"
    if nnodes is not None:
        yield RULE.at(nnodes, message)
    else:
        yield RULE.finding(launch.document, launch.span, message)
