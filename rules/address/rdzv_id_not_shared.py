"""Every node draws a rendezvous id of its own.

## What it flags

`$RANDOM`, `uuidgen` or a time as `--rdzv_id`, in a place that each node of a job over several
machines evaluates. An sbatch body expands it once for all nodes and is left alone.

## Why it fails

Nodes with different ids join different rendezvous on one store, and each waits for the others:

    torch.distributed.elastic.rendezvous.api.RendezvousTimeoutError

## Example

    torchrun --nnodes=2 --nproc_per_node=8 --rdzv_backend=c10d --rdzv_id=$RANDOM --rdzv_endpoint=10.0.0.1:29400 train.py

Repair: one id for the job.

    torchrun --nnodes=2 --nproc_per_node=8 --rdzv_backend=c10d --rdzv_id=${RDZV_ID:-train} --rdzv_endpoint=10.0.0.1:29400 train.py
"""

from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import (
    ERROR,
    Computed,
    Edit,
    Finding,
    Launch,
    Literal,
    Rule,
    Setting,
    Variable,
    repair,
)

RULE = Rule(
    code="ADDR010",
    name="rdzv-id-not-shared",
    severity=ERROR,
    summary="every node draws a rendezvous id of its own",
    fix="unsafe",
    symptoms=(r"RendezvousTimeoutError", r"RendezvousConnectionError"),
    cause="Nodes with different ids never meet: RendezvousTimeoutError.",
    help="Give all nodes one id.",
)
_RANDOM = ("random", "uuid", "date", "hostname", "free-port")


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """A multi-node launch that each node evaluates."""
    given = launch.get("rdzv_id")
    if given is None or not launch.is_multinode or not _on_each_node(launch, given):
        return
    value = given.value
    if not isinstance(value, Computed) or not value.per_node or value.idiom not in _RANDOM:
        return
    yield RULE.at(
        given,
        f"each node draws its own rendezvous id: {value.text}",
        fix=repair("one id for the job", _shared(given)),
    )


def _on_each_node(launch: Launch, given: Setting) -> bool:
    """Whether each node draws it; by ssh, where a loop goes through the hosts and draws it in the
    command, or the script does that each of them runs."""
    if not launch.host:
        return launch.evaluated == "node"
    drawn_there = given.used_at is None or given.document is not launch.started_in
    return drawn_there and "$" in launch.host and launch.in_every_turn


def _shared(given: Setting) -> Edit | None:
    return given.write(Variable("RDZV_ID", Literal("train"), ":-")) or given.write("train")
