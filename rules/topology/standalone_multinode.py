"""--standalone with more than one node.

## What it flags

`torchrun --standalone` with `--nnodes` (or `PET_NNODES`) above 1.

## Why it fails

--standalone makes a rendezvous of this machine's own. Each node waits for a second one that cannot
come:

    torch.distributed.elastic.rendezvous.api.RendezvousTimeoutError

## Example

    torchrun --standalone --nnodes=2 --nproc_per_node=8 train.py

Repair: a rendezvous that all nodes know.

    torchrun --nnodes=2 --nproc_per_node=8 --rdzv_backend=c10d --rdzv_id=7 --rdzv_endpoint=node1:29400 train.py
"""

from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import ERROR, Finding, Launch, Rule

RULE = Rule(
    code="TOPO008",
    name="standalone-multinode",
    severity=ERROR,
    summary="--standalone with more than one node",
    symptoms=(r"RendezvousTimeoutError",),
    cause="Each node waits for itself until the rendezvous times out.",
    help="Use --rdzv_backend=c10d with an --rdzv_endpoint for several nodes.",
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """A torchrun command with both."""
    nnodes, standalone = launch.get("nnodes"), launch.get("standalone")
    if launch.launcher != "torchrun" or nnodes is None or standalone is None:
        return
    text = nnodes.text or ""
    least = text.split(":")[0]
    if not least.isdigit() or int(least) < 2:
        return
    yield RULE.finding(
        standalone.document,
        standalone.span,
        f"--standalone is for one node, and {nnodes.key} says {text}",
    )
