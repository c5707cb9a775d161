"""A variable that the training operator sets by itself.

## What it flags

`PET_NNODES`, `PET_NPROC_PER_NODE`, `PET_NODE_RANK`, `PET_MASTER_ADDR` or `PET_MASTER_PORT` in a
TrainJob (an error), and `MASTER_ADDR`, `MASTER_PORT`, `RANK`, `WORLD_SIZE` or `PET_` variables in
a PyTorchJob (a warning).

## Why it fails

The webhook of the trainer refuses the TrainJob:

    must not have reserved envs

The operator of a PyTorchJob appends its own values behind yours, and Kubernetes keeps the last
one: the line has no effect.

## Example

    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: TrainJob
    metadata: {name: sft}
    spec:
      runtimeRef: {name: torch-distributed}
      trainer:
        image: registry.local/train:1
        numNodes: 2
        command: [torchrun, train.py]
        env:
          - name: NCCL_DEBUG
            value: WARN
          - name: PET_NNODES
            value: "2"

Repair: leave it to the operator; torchrun reads what it sets.

    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: TrainJob
    metadata: {name: sft}
    spec:
      runtimeRef: {name: torch-distributed}
      trainer:
        image: registry.local/train:1
        numNodes: 2
        command: [torchrun, train.py]
        env:
          - name: NCCL_DEBUG
            value: WARN

## When to ignore it

When a program of your own in the pod sees the variable before the operator's.

## References

- Kubeflow Trainer, `pkg/runtime/framework/plugins/torch`; training-operator v1, `envvar.go`.
"""

from collections.abc import Iterator

from cfglint.model.workload import Workload
from cfglint.project import Project
from cfglint.rule import ERROR, WARNING, Document, Finding, Rule, repair

RULE = Rule(
    code="K8S001",
    name="k8s-reserved-env",
    severity=ERROR,
    summary="a variable that the training operator sets by itself",
    fix="unsafe",
    kinds=("kubernetes",),
    symptoms=(r"must not have reserved envs",),
    cause='The webhook refuses the job: "must not have reserved envs".',
    help="Remove it: the operator sets it, and torchrun reads that.",
)
_TRAINJOB = frozenset(
    {"PET_NNODES", "PET_NPROC_PER_NODE", "PET_NODE_RANK", "PET_MASTER_ADDR", "PET_MASTER_PORT"}
)
_PYTORCHJOB = _TRAINJOB | {"MASTER_ADDR", "MASTER_PORT", "RANK", "WORLD_SIZE"}


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    for workload in document.workloads:
        if workload.kind == "TrainJob" and workload.group == "trainer.kubeflow.org":
            reserved, severity, cause = _TRAINJOB, ERROR, None
        elif workload.kind == "PyTorchJob" and _sets_variables(workload):
            reserved, severity = _PYTORCHJOB, WARNING
            cause = "The operator appends its own value, and Kubernetes keeps the last one."
        else:
            continue
        for pod in workload.pods:
            for box in pod.boxes:
                for name, setting in box.env.items():
                    if name not in reserved or setting.document is not document:
                        continue
                    yield RULE.finding(
                        document,
                        setting.key_span or setting.span,
                        f"{name} is set by the {workload.kind}'s operator",
                        severity=severity,
                        cause=cause,
                        fix=repair(f"remove {name}", setting.remove()),
                    )


def _sets_variables(workload: Workload) -> bool:
    """Whether the operator sets variables at all: it needs a master, or an elastic policy."""
    return workload.elastic or any(pod.role == "Master" for pod in workload.pods)
