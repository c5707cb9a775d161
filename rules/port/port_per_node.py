"""Every node computes a rendezvous port of its own.

## What it flags

A port from `$RANDOM`, `shuf`, a free-port probe, the host's name or the date, in a place that each
node of a job over several machines evaluates: a script that runs on every node, or the
single-quoted text of `srun bash -c '...'`; one that a loop over the hosts draws anew for each `ssh`. What
a batch script computes once for all nodes is left alone.

## Why it fails

The nodes listen and dial on different ports and never meet:

    torch.distributed.DistStoreError: Timed out after 901 seconds waiting for clients. 1/2 clients joined.

## Example

    torchrun --nnodes=2 --node_rank=$NODE_RANK --nproc_per_node=8 --master_addr=10.0.0.1 --master_port=$((20000 + RANDOM % 1000)) train.py

Repair: a port on which all agree.

    torchrun --nnodes=2 --node_rank=$NODE_RANK --nproc_per_node=8 --master_addr=10.0.0.1 --master_port=${MASTER_PORT:-29500} train.py
"""

from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import ERROR, Alternatives, Computed, Finding, Launch, Rule, Value, Variable

RULE = Rule(
    code="PORT008",
    name="port-per-node",
    severity=ERROR,
    summary="every node computes a rendezvous port of its own",
    symptoms=(r"Timed out after \d+ seconds waiting for clients", r"client socket has timed out"),
    cause="Each node gets another port; they wait 900 s for each other.",
    help="Compute the port once, before the nodes start, or agree on a fixed one.",
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """A multi-node launch that each node evaluates."""
    port = launch.port
    if port is None or not launch.is_multinode or "standalone" in launch.settings:
        return
    computed = _per_node(port.value)
    if computed is None:
        return
    if launch.host:
        # One turn of a loop for each host: what stands in the command is drawn anew each time.
        turns = "$" in launch.host and launch.in_loop and port.used_at is None
        if turns and computed.idiom in ("random", "free-port", "uuid"):
            yield RULE.at(port, f"each host gets a port of its own: {computed.text}")
    elif launch.evaluated == "node":
        yield RULE.at(port, f"each node computes its own port: {computed.text}")


def _per_node(value: Value | None) -> Computed | None:
    """The expression that differs from node to node, where nothing else can be the value."""
    if isinstance(value, Computed):
        return value if value.per_node else None
    if isinstance(value, Variable) and value.default is not None and "+" not in value.operator:
        return _per_node(value.default)
    if isinstance(value, Alternatives):
        found = [_per_node(option) for option in value.options]
        return found[0] if all(found) else None
    return None
