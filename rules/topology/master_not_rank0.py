"""The master address names a node that does not run rank 0.

## What it flags

A master address that is the name or fixed address of a service or container, or the name of a host,
of the same job whose own rank is known and is not 0. In an MPIJob (v2beta1) also the launcher's pod, by its name or by the host name
that a shell there puts in: it runs no rank, unless `runLauncherAsWorker` says so. Also a pod of a Job,
JobSet or StatefulSet whose number is not 0, where the pods take their numbers for ranks. And a Kubernetes
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

from cfglint.network import node_names
from cfglint.network.service_names import spreading
from cfglint.project import Project
from cfglint.rule import ERROR, Finding, Launch, Related, Rule, repair

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
    worker = node_names.first_worker(launch)
    if worker is not None:
        yield RULE.at(
            address,
            f"{address.text or 'the host name'} is that of the launcher's pod, where no rank runs",
            cause="mpirun starts the ranks in the workers; rank 0 listens in the first one.",
            help="Name the first worker.",
            fix=repair(f"name {worker}, which runs rank 0", address.write(worker)),
        )
    pod = node_names.numbered_pod(launch)
    if pod is not None:
        yield RULE.at(
            address,
            f"{address.text} runs rank {pod.number}, not rank 0: the pods' numbers are their ranks",
            fix=repair(f"name {pod.first}, which runs rank 0", address.write(pod.first)),
        )
    node = node_names.dialled(project, launch)
    if node is not None:
        rank, first = node.rank, node.first
        fix = repair(f"name {first}, which runs rank 0", address.write(first)) if first else None
        yield RULE.at(
            address,
            f"{address.text} runs rank {rank.number}, not rank 0",
            fix=fix,
            related=[Related(rank.document, rank.span, f"{address.text} has rank {rank.number}")],
        )
