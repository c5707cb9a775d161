"""No port for a job over several machines, and a launcher that picks a random one per node.

## What it flags

`llamafactory-cli train` with NNODES of 2 or more and no MASTER_PORT. (accelerate, torchrun and
DeepSpeed fall back to 29500 on every node, which agrees.) One that is set and not exported is
`env-not-exported`.

## Why it fails

LLaMA-Factory asks its own machine for a free port when MASTER_PORT is not set (a random one between
20001 and 29999 up to 0.9.2). Each node gets another, and all wait:

    torch.distributed.DistStoreError: Timed out after 901 seconds waiting for clients. 1/2 clients joined.

## Example

    FORCE_TORCHRUN=1 NNODES=2 NODE_RANK=0 MASTER_ADDR=10.2.0.4 llamafactory-cli train full.yaml

Repair: one port, the same on every node.

    FORCE_TORCHRUN=1 NNODES=2 NODE_RANK=0 MASTER_ADDR=10.2.0.4 MASTER_PORT=29500 llamafactory-cli train full.yaml

## When to ignore it

The scheduler puts MASTER_PORT into the environment.
"""

from collections.abc import Iterator

from cfglint.jobs import ports
from cfglint.project import Project
from cfglint.rule import ERROR, Finding, Launch, Rule, repair

RULE = Rule(
    code="PORT007",
    name="port-missing-multinode",
    severity=ERROR,
    summary="several nodes and no port: LLaMA-Factory picks a random one on each",
    fix="unsafe",
    symptoms=(r"Timed out after \d+ seconds waiting for clients", r"[12]/\d+ clients joined"),
    cause="Each node picks another port; all wait, then: Timed out ... 1/2 clients joined.",
    help="Set MASTER_PORT to one number on every node.",
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """A LLaMA-Factory launch over several nodes without a port."""
    if not _lacks_port(launch):
        return
    nnodes = launch.get("nnodes")
    number = ports.common(project)
    also = [other for other in project.launches if _lacks_port(other)]
    fix = repair(f"set MASTER_PORT={number}", launch.set_env("MASTER_PORT", number, also))
    help = RULE.help
    if launch.assigns("MASTER_PORT"):  # and uses it for something else
        fix, help = None, "Export MASTER_PORT, the same number on every node."
    message = f"{launch.machines()} nodes and no MASTER_PORT: each node picks a random one"
    if nnodes is not None:
        yield RULE.at(nnodes, message, fix=fix, help=help)
    else:
        yield RULE.finding(launch.document, launch.span, message, fix=fix, help=help)


def _lacks_port(launch: Launch) -> bool:
    if launch.launcher != "llamafactory" or not launch.complete or not launch.is_multinode:
        return False
    if launch.port is not None or launch.network.mode == "pod":
        return False
    # One that is kept back is env-not-exported's, which keeps the user's value.
    return not launch.withholds("master_port")
