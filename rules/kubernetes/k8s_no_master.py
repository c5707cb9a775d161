"""A PyTorchJob with workers only and no elastic policy.

## What it flags

A PyTorchJob (kubeflow.org/v1) whose replicas have no `Master`, without `elasticPolicy`, and with
more than one worker.

## Why it fails

The operator sets the rendezvous variables for a master and its workers, or under an elastic
policy. Without either it sets none: every pod trains alone, or its program stops:

    ValueError: ... using env:// rendezvous: environment variable RANK expected, but not set

## Example

    apiVersion: kubeflow.org/v1
    kind: PyTorchJob
    metadata: {name: sft}
    spec:
      pytorchReplicaSpecs:
        Worker:
          replicas: 4
          template:
            spec:
              containers:
                - {name: pytorch, image: "train:1", command: [torchrun, train.py]}

Repair: one master and three workers, or an elastic policy.

    apiVersion: kubeflow.org/v1
    kind: PyTorchJob
    metadata: {name: sft}
    spec:
      elasticPolicy: {rdzvBackend: c10d}
      pytorchReplicaSpecs:
        Worker:
          replicas: 4
          template:
            spec:
              containers:
                - {name: pytorch, image: "train:1", command: [torchrun, train.py]}

## When to ignore it

When the pods find each other by other means, or are meant to train apart.

## References

- training-operator v1, `pkg/controller.v1/pytorch/envvar.go`.
"""

from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Rule

RULE = Rule(
    code="K8S005",
    name="k8s-no-master",
    severity=ERROR,
    summary="a PyTorchJob with workers only and no elastic policy: each pod trains alone",
    kinds=("kubernetes",),
    symptoms=(r"using env:// rendezvous: environment variable \w+ expected",),
    cause="The operator sets no rendezvous variables: every pod trains alone.",
    help="Make one of the replicas the Master, or add an elasticPolicy.",
)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    for workload in document.workloads:
        roles = {pod.role for pod in workload.pods}
        if workload.kind != "PyTorchJob" or workload.elastic or roles != {"Worker"}:
            continue
        count = workload.pods[0].replicas
        own = any(name in box.env for pod in workload.pods for box in pod.boxes for name in _OWN)
        if count == 1 or workload.replicas_span is None or own:
            continue
        yield RULE.finding(
            document,
            workload.replicas_span,
            f"{count or 'its'} workers without a Master or an elasticPolicy train apart",
        )


_OWN = ("MASTER_ADDR", "PET_MASTER_ADDR", "PET_RDZV_ENDPOINT")
