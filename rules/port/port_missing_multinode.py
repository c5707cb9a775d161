"""No port for a job over several machines, and a launcher that picks a random one per node.

## What it flags

`llamafactory-cli train` with NNODES of 2 or more and no MASTER_PORT, and, where a pin says that
accelerate is older than 1.7, several machines and no `main_process_port`. (Newer ones, torchrun and
DeepSpeed fall back to 29500 on every node, which agrees.) One that is set and not exported is
`env-not-exported`.

## Why it fails

LLaMA-Factory asks its own machine for a free port when MASTER_PORT is not set (a random one between
20001 and 29999 up to 0.9.2). Each node gets another, and all wait:

    torch.distributed.DistStoreError: Timed out after 901 seconds waiting for clients. 1/2 clients joined.

accelerate before 1.7 writes down that there is none:

    ValueError: The port number of the rendezvous endpoint '10.2.0.4:None' must be an integer
    between 0 and 65536.

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
    symptoms=(
        r"Timed out after \d+ seconds waiting for clients",
        r"[12]/\d+ clients joined",
        r"The port number of the rendezvous endpoint '[^']*:None' must be an integer",
    ),
    cause="Each node picks another port; all wait, then: Timed out ... 1/2 clients joined.",
    help="Set MASTER_PORT to one number on every node.",
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """A LLaMA-Factory launch over several nodes without a port, or one by an old accelerate."""
    yield from _by_accelerate(launch, project)
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


def _by_accelerate(launch: Launch, project: Project) -> Iterator[Finding]:
    if launch.launcher != "accelerate" or not launch.complete or not launch.is_multinode:
        return
    version = project.versions(launch.document, "accelerate")
    if launch.port is not None or not version.pinned or not version.before("1.7.0"):
        return
    document, kind = launch.document, launch.get("distributed_type")
    if document.kind == "accelerate" and not project.search_complete(document):
        return
    if kind is not None and (kind.text or "").upper() == "DEEPSPEED":
        return  # its own launcher has a default
    nnodes = launch.get("nnodes")
    number = ports.common(project)
    where = nnodes.document if nnodes is not None else document
    yield RULE.finding(
        where,
        nnodes.span if nnodes is not None else launch.span,
        f"{launch.machines()} machines and no port: {version.title} has no default for one",
        cause="It stops: the port number of the rendezvous endpoint must be an integer.",
        help="Set main_process_port to one number on every machine.",
        fix=repair(f"set the port to {number}", launch.add("master_port", str(number))),
    )


def _lacks_port(launch: Launch) -> bool:
    if launch.launcher != "llamafactory" or not launch.complete or not launch.is_multinode:
        return False
    if launch.port is not None or launch.network.mode == "pod":
        return False
    # One that is kept back is env-not-exported's, which keeps the user's value.
    return not launch.withholds("master_port")
