"""A job over several machines, and no address at which they meet.

## What it flags

A launch over several nodes with a static rendezvous and no master address: not in the config, not on
the command line that uses it, not in the environment that its launcher reads. Only launches that are
seen whole are judged, and a config only where everything that could use it was read and it is one
node's own, with its rank. An address that a script sets and does not export is `env-not-exported`.

## Why it fails

accelerate dials a host called "None":

    [W socket.cpp] The IPv6 network addresses of (None, 29500) cannot be retrieved

torchrun and LLaMA-Factory take 127.0.0.1, so every node waits for itself:

    torch.distributed.DistStoreError: Timed out after 901 seconds waiting for clients. 1/2 clients joined.

## Example

    FORCE_TORCHRUN=1 NNODES=2 NODE_RANK=0 MASTER_PORT=29500 llamafactory-cli train full.yaml

Repair: the address of the machine with rank 0, on every node.

    FORCE_TORCHRUN=1 NNODES=2 NODE_RANK=0 MASTER_ADDR=10.0.0.1 MASTER_PORT=29500 llamafactory-cli train full.yaml
"""

from collections.abc import Iterator

from cfglint.model.nodes import are_side_by_side
from cfglint.project import Project
from cfglint.rule import ERROR, Finding, Launch, Rule, Span

RULE = Rule(
    code="ADDR005",
    name="addr-missing",
    severity=ERROR,
    summary="several nodes and no master address",
    symptoms=(
        r"addresses of \(None, \d+\) cannot be retrieved",
        r"you need to specify the main process IP",
        r"Timed out after \d+ seconds waiting for clients",
        r"None:\d+",
    ),
    help="Name the address of the machine with rank 0 on every node.",
    yields_to=("TOPO012", "ADDR012"),
)
_DIALS = {
    "accelerate": 'accelerate dials a host called "None" and waits 900 s for it.',
    "torchrun": "torchrun takes 127.0.0.1: each node waits 900 s for itself.",
    "llamafactory": "LLaMA-Factory takes 127.0.0.1: each node waits 900 s for itself.",
}


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """A multi-node launch without an address."""
    cause = _DIALS.get(launch.launcher)
    if cause is None or not launch.is_multinode or not launch.complete:
        return
    if launch.address is not None or "rdzv_endpoint" in launch.settings:
        return
    if launch.withholds("master_addr", "rdzv_endpoint"):
        return  # env-not-exported says so
    if launch.launcher == "llamafactory" and _is_misspelt(launch):
        return  # env-misspelled says so
    if launch.launcher == "torchrun":
        if launch.get("nnodes") is None and not launch.peers:
            return  # it takes one node, whatever the scheduler gives
        if are_side_by_side(launch):
            return  # it takes 127.0.0.1, where all of them are
    if launch.effective("rdzv_backend") not in ("static", None) or launch.may_be_told:
        return
    kind = launch.get("distributed_type")
    if launch.launcher == "accelerate" and _by_hostfile(launch):
        return
    if launch.document.kind == "accelerate" and launch.get("node_rank") is None:
        return  # one file for all nodes: their commands say what differs
    if launch.document.kind == "accelerate" and not project.search_complete(launch.document):
        return
    nnodes = launch.get("nnodes")
    place = nnodes.document if nnodes is not None else launch.document
    span: Span = nnodes.span if nnodes is not None else launch.span
    if kind is not None and (kind.text or "").upper() == "MULTI_CPU":
        cause = 'accelerate stops: "you need to specify the main process IP".'
    yield RULE.finding(
        place, span, f"{launch.machines()} machines and no master address", cause=cause
    )


def _is_misspelt(launch: Launch) -> bool:
    """Whether the address is given under a name that is nearly the variable's."""
    from cfglint.environment.variables import is_like_master_address, likely

    names = (name for name, _ in launch.variables(lambda name: name.startswith("MAST")))
    return any(is_like_master_address(n) or likely(n) == "MASTER_ADDR" for n in names)


def _by_hostfile(launch: Launch) -> bool:
    """Whether DeepSpeed's launcher finds the address itself, on the first host of its hostfile."""
    launcher = launch.get("launcher")
    kind = launch.get("distributed_type")
    deepspeed = kind is not None and (kind.text or "").upper() == "DEEPSPEED"
    return deepspeed and (launcher is None or launcher.text != "standard")
