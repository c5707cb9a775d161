"""A PyTorchJob with another number of masters than one.

## What it flags

`replicas` of the `Master` of a PyTorchJob (kubeflow.org/v1) that is a number other than 1.

## Why it fails

The master is the pod with rank 0, which all others dial. The operator's webhook refuses the job:

    spec.pytorchReplicaSpecs[Master].replicas: Forbidden: must be 1

Releases before 1.8 mark the job as failed instead:

    PyTorchJobSpec is not valid: There must be only 1 master replica

## Example

    apiVersion: kubeflow.org/v1
    kind: PyTorchJob
    metadata: {name: sft}
    spec:
      pytorchReplicaSpecs:
        Master:
          replicas: 2
          template:
            spec:
              containers:
                - {name: pytorch, image: "train:1", command: [torchrun, train.py]}

Repair: one master; the others are workers.

    apiVersion: kubeflow.org/v1
    kind: PyTorchJob
    metadata: {name: sft}
    spec:
      pytorchReplicaSpecs:
        Master:
          replicas: 1
          template:
            spec:
              containers:
                - {name: pytorch, image: "train:1", command: [torchrun, train.py]}
        Worker:
          replicas: 1
          template:
            spec:
              containers:
                - {name: pytorch, image: "train:1", command: [torchrun, train.py]}

## When to ignore it

Never: the job is refused.

## References

- training-operator v1, `pkg/webhooks/pytorch`, and `pkg/apis/kubeflow.org/v1` of older releases.
"""

from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Rule

RULE = Rule(
    code="K8S010",
    name="k8s-several-masters",
    severity=ERROR,
    summary="a PyTorchJob with another number of masters than one",
    kinds=("kubernetes",),
    symptoms=(
        r"pytorchReplicaSpecs\[Master\]\.replicas: Forbidden: must be 1",
        r"There must be only 1 master replica",
    ),
    cause='The operator refuses the job: "replicas: Forbidden: must be 1".',
    help="Ask for one Master, and for the other pods as Workers.",
)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    for workload in document.workloads:
        masters = workload.masters
        if workload.kind != "PyTorchJob" or workload.group != "kubeflow.org" or masters is None:
            continue
        if masters.number is not None and masters.number != 1:
            yield RULE.at(masters, f"{masters.number} masters; a PyTorchJob has one")
