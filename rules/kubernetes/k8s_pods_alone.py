"""Several pods with one master, and the launcher believes in each that it is the only one.

## What it flags

A JobSet, Job, StatefulSet or other workload of several pods whose `torchrun` is given a master
address or an endpoint that is not the pod itself, but no `--nnodes` and no `PET_NNODES`; or whose
`llamafactory-cli train` has no `NNODES`, in a PyTorchJob too, whose operator sets only torchrun's.

## Why it fails

torchrun takes one node where nothing says more, and sets WORLD_SIZE for its workers itself. Every
pod is rank 0 of a job of its own, and all of them use the one store of the master: they train
alone, or stumble over each other's keys. Only the operators of PyTorchJob and TrainJob tell torchrun
how many nodes there are.

## Example

    apiVersion: jobset.x-k8s.io/v1alpha2
    kind: JobSet
    metadata: {name: lab}
    spec:
      replicatedJobs:
        - name: workers
          template:
            spec:
              parallelism: 4
              completions: 4
              template:
                spec:
                  containers:
                    - name: trainer
                      image: example.org/trainer
                      command: [torchrun, --nproc_per_node=1, --master_addr=lab-workers-0-0.lab, train.py]

Repair: say how many there are, and which one this is.

    apiVersion: jobset.x-k8s.io/v1alpha2
    kind: JobSet
    metadata: {name: lab}
    spec:
      replicatedJobs:
        - name: workers
          template:
            spec:
              parallelism: 4
              completions: 4
              template:
                spec:
                  containers:
                    - name: trainer
                      image: example.org/trainer
                      command: [torchrun, --nnodes=4, --node_rank=$(JOB_COMPLETION_INDEX), --nproc_per_node=1,
                                --master_addr=lab-workers-0-0.lab, train.py]

## References

- PyTorch, torch.distributed.run: --nnodes, 1:1 by default; WORLD_SIZE is set for the workers.
- JobSet: no variables of torch are set for its pods.
"""

from collections.abc import Iterator

from cfglint.network import addresses
from cfglint.project import Project
from cfglint.rule import ERROR, Finding, Launch, Rule, default_literal

RULE = Rule(
    code="K8S007",
    name="k8s-pods-alone",
    severity=ERROR,
    summary="several pods with one master, each of which takes itself for the only one",
    kinds=("kubernetes",),
    cause="Each pod is rank 0 of a job of one node; torchrun sets WORLD_SIZE by itself.",
    help="Give torchrun --nnodes, and --node_rank (the pod's index) or a c10d endpoint.",
)
_COUNTING = ("torchrun", "llamafactory")
_HELP = "Set NNODES and NODE_RANK (the pod's index; a PyTorchJob's pods have it as RANK)."


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """A torchrun in pods that no operator of torch looks after."""
    if launch.document.kind != "kubernetes" or launch.launcher not in _COUNTING:
        return
    command = launch.command
    if not launch.complete or (command is not None and command.opaque) or launch.wrappers:
        return
    count = launch.nodes.number if launch.nodes is not None else None
    if (count or 0) < 2 or {"nnodes", "standalone"} & launch.settings.keys():
        return
    address = default_literal(launch.address.value) if launch.address is not None else None
    if launch.launcher == "llamafactory":
        if "LOCAL_RANK" in launch.env:
            return  # with one GPU it starts no torchrun, and may meet the others by itself
        if launch.label.startswith("PyTorchJob "):
            address = "that the operator sets"
    if not address or addresses.is_loopback(address):
        return
    yield RULE.finding(
        launch.document,
        launch.span,
        f"{count} pods start this with the master {address}, and each is a job of one node",
        help=_HELP if launch.launcher == "llamafactory" else None,
    )
