"""The master address names a node that does not run rank 0.

## What it flags

A master address that is the name of a service, container or host of the same job whose own rank is
known and is not 0. In an MPIJob (v2beta1) also the launcher's pod, by its name or by the host name
that a shell there puts in: it runs no rank, unless `runLauncherAsWorker` says so. And a Kubernetes
Service with an address of its own (not headless) that selects all pods of the job: it spreads the
connections over them.

## Why it fails

Rank 0 starts the store on its own machine; everybody dials the other one, where nobody listens:

    The client socket has timed out after 900000ms while trying to connect to (worker1, 29500).

## Example

    services:
      node0:
        image: train
        environment: {MASTER_ADDR: node1, MASTER_PORT: "29500", NODE_RANK: "0", NNODES: "2"}
        command: llamafactory-cli train a.yaml
      node1:
        image: train
        environment: {MASTER_ADDR: node1, MASTER_PORT: "29500", NODE_RANK: "1", NNODES: "2"}
        command: llamafactory-cli train a.yaml

Repair: the name of the one with rank 0, for all.

    services:
      node0:
        image: train
        environment: {MASTER_ADDR: node0, MASTER_PORT: "29500", NODE_RANK: "0", NNODES: "2"}
        command: llamafactory-cli train a.yaml
      node1:
        image: train
        environment: {MASTER_ADDR: node0, MASTER_PORT: "29500", NODE_RANK: "1", NNODES: "2"}
        command: llamafactory-cli train a.yaml
"""

from collections.abc import Iterator

from cfglint.network.service_names import spreading
from cfglint.project import Project
from cfglint.rule import ERROR, Computed, Finding, Launch, Related, Rule, Setting, repair

RULE = Rule(
    code="TOPO013",
    name="master-not-rank0",
    severity=ERROR,
    summary="the master address names a node that does not run rank 0",
    fix="unsafe",
    symptoms=(r"client socket has timed out after \d+ms while trying to connect",),
    cause="Everybody dials a node where nobody listens, and times out after 900 s.",
    help="Name the node that has rank 0.",
    yields_to=("ADDR006", "ADDR007"),
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """The launch's address, where it is the name of a node with another rank."""
    address = launch.address
    if address is None or not launch.is_multinode:
        return
    spread = spreading(project, launch)
    if spread is not None and launch.container is not None:
        yield RULE.at(
            address,
            f"the Service {address.text} spreads connections over {launch.container.pods} pods",
            cause="Whoever reaches another pod than the first finds nobody listening there.",
            help="Dial the first pod by its own name, through a headless Service (clusterIP: None).",
            related=[Related(*spread, "no clusterIP: None, and it selects all of them")],
        )
    if not launch.is_static:
        return
    yield from _idle_launcher(launch, address)
    if not address.text:
        return
    beside = [x for x in project.launches if x.document is launch.document]
    named = [x for x in beside if address.text in _names(x)]
    ranks = [x.settings["node_rank"].number for x in named if x.get("node_rank") is not None]
    if len(named) != 1 or len(ranks) != 1 or ranks[0] in (0, None):
        return
    if sum(_rank(x) == ranks[0] for x in beside) > 1:
        return  # two nodes of one rank: rank-duplicate's fault
    zero = [x for x in beside if _rank(x) == 0]
    if not zero and any((_rank(x) or 0) >= (launch.machines() or 0) for x in beside):
        return  # the nodes are numbered from 1: rank-out-of-range's fault
    names = _names(zero[0]) if len(zero) == 1 else []
    rank = named[0].settings["node_rank"]
    yield RULE.at(
        address,
        f"{address.text} runs rank {ranks[0]}, not rank 0",
        fix=repair(f"name {names[0]}, which runs rank 0", address.write(names[0]))
        if names
        else None,
        related=[Related(rank.document, rank.span, f"{address.text} has rank {ranks[0]}")],
    )


def _idle_launcher(launch: Launch, address: Setting) -> Iterator[Finding]:
    """The launcher's pod of an MPIJob, whose ranks run in the workers."""
    idle = launch.get("idle_launcher")
    if idle is None or not idle.text:
        return
    first, dot, rest = (address.text or "").partition(".")
    value = address.value
    own = isinstance(value, Computed) and value.idiom in ("hostname", "hostname-ip")
    own = own and launch.evaluated == "once"  # by the shell that calls mpirun, not by each rank
    if first != idle.text and not own:
        return
    zero = f"{idle.text.removesuffix('-launcher')}-worker-0{dot}{rest}"
    yield RULE.at(
        address,
        f"{'the host name' if own else address.text} is that of the launcher's pod, where no rank runs",
        cause="mpirun starts the ranks in the workers; rank 0 listens in the first one.",
        help="Name the first worker.",
        fix=repair(f"name {zero}, which runs rank 0", address.write(zero)),
    )


def _rank(launch: Launch) -> int | None:
    rank = launch.get("node_rank")
    return rank.number if rank is not None else None


def _names(launch: Launch) -> list[str]:
    names = [launch.host.rpartition("@")[2]] if launch.host else []
    if launch.container is not None:
        names += [launch.container.name, launch.container.hostname, *launch.container.aliases]
    return [name for name in names if name]
