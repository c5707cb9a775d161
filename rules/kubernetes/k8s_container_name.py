"""A PyTorchJob without a container called `pytorch`.

## What it flags

A replica of a PyTorchJob (kubeflow.org/v1) none of whose containers is called `pytorch`.

## Why it fails

The operator finds the training container by that name, and refuses the job without one:

    PyTorchJobSpec is not valid: There is no container named pytorch in Worker

## Example

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
                - name: trainer
                  image: train:1
                  command: [torchrun, train.py]

Repair:

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
                - name: pytorch
                  image: train:1
                  command: [torchrun, train.py]

## When to ignore it

Never: the job is refused.

## References

- training-operator v1, `pkg/webhooks/pytorch`.
"""

from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Rule, repair

RULE = Rule(
    code="K8S003",
    name="k8s-container-name",
    severity=ERROR,
    summary="a PyTorchJob without a container called pytorch",
    fix="unsafe",
    kinds=("kubernetes",),
    symptoms=(r"[Tt]here is no container named pytorch",),
    cause='The operator refuses the job: "There is no container named pytorch".',
    help="Call the training container pytorch.",
)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    for workload in document.workloads:
        if workload.kind != "PyTorchJob" or workload.group != "kubeflow.org":
            continue
        for pod in workload.pods:
            if any(box.name == "pytorch" for box in pod.boxes) or not pod.boxes:
                continue
            first = pod.boxes[0]
            alone = len(pod.boxes) == 1 and first.rename is not None
            edit = first.rename("pytorch") if alone and first.rename else None
            yield RULE.finding(
                document,
                first.span,
                f"the operator looks for a container called pytorch in {pod.role}",
                fix=repair("call it pytorch", edit),
                no_fix="" if edit else "which of the containers trains is not known",
            )
