"""The node rank in a variable that this LLaMA-Factory does not read.

## What it flags

`RANK` for `llamafactory-cli train` over several nodes without `NODE_RANK` (0.9.1 and newer), or the
other way round for 0.8.0 to 0.9.0. In the pods of a PyTorchJob it is the operator that sets `RANK`.

## Why it fails

The variable is ignored and every node takes rank 0:

    The server socket has failed to listen on any local network address. port: 29500 ... EADDRINUSE

or all nodes wait for a rank 1 that never comes.

## Example

    FORCE_TORCHRUN=1 NNODES=2 RANK=1 MASTER_ADDR=10.0.0.1 MASTER_PORT=29500 llamafactory-cli train full.yaml

Repair: the name it reads.

    FORCE_TORCHRUN=1 NNODES=2 NODE_RANK=1 MASTER_ADDR=10.0.0.1 MASTER_PORT=29500 llamafactory-cli train full.yaml
"""

from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import ERROR, WARNING, Finding, Launch, Rule, Unknown, repair

RULE = Rule(
    code="TOPO005",
    name="rank-env-name",
    severity=ERROR,
    summary="the node rank in a variable that this LLaMA-Factory does not read",
    fix="safe",
    symptoms=(r"EADDRINUSE", r"Timed out after \d+ seconds waiting for clients"),
    cause="Every node takes rank 0.",
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """A LLaMA-Factory launch over several nodes."""
    if launch.launcher != "llamafactory" or not launch.is_multinode:
        return
    version = project.versions(launch.document, "llamafactory")
    old = version.pinned and version.before("0.9.1")
    wrong, right = ("NODE_RANK", "RANK") if old else ("RANK", "NODE_RANK")
    given = launch.env.get(wrong)
    if given is None or right in launch.env or "RDZV_ID" in launch.env:
        return
    place, by_operator = given, isinstance(given.value, Unknown)
    if by_operator:  # which stands on no line
        nnodes = launch.get("nnodes")
        if nnodes is None:
            return  # each pod is a job of its own: k8s-pods-alone
        place = nnodes
    if given.text == "0":
        severity, cause = (
            WARNING,
            "It makes no difference here, but the other nodes need the right name.",
        )
    else:
        severity, cause = ERROR, RULE.cause
    yield RULE.finding(
        place.document,
        place.key_span or place.span,
        f"LLaMA-Factory {version.number or ''} reads {right}, not {wrong}".replace("  ", " "),
        severity=severity,
        cause=cause,
        help=f"Set {right}=${wrong} for it." if by_operator else f"Call it {right}.",
        fix=repair(f"call it {right}", given.rename(right), safe=True),
    )
