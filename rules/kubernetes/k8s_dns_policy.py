"""Pods on the host's network that cannot resolve the names of services.

## What it flags

`hostNetwork: true` without `dnsPolicy: ClusterFirstWithHostNet`, where the job dials a service by
its name: a PyTorchJob of several pods, a training runtime of several nodes, or a master address
that is a name. An MPIJob, whose operator sets the policy by itself, and addresses in numbers are
left alone.

## Why it fails

A pod on the host's network asks the host's name server, which does not know the cluster's
services:

    socket.gaierror: [Errno -2] Name or service not known
    The client socket has failed to connect to [mnist-master-0]:23456

## Example

    apiVersion: kubeflow.org/v1
    kind: PyTorchJob
    metadata: {name: mnist}
    spec:
      pytorchReplicaSpecs:
        Master:
          replicas: 1
          template:
            spec: &pod
              hostNetwork: true
              containers:
                - {name: pytorch, image: "train:1", command: [torchrun, train.py]}
        Worker:
          replicas: 1
          template:
            spec: *pod

Repair: let it ask the cluster first.

    apiVersion: kubeflow.org/v1
    kind: PyTorchJob
    metadata: {name: mnist}
    spec:
      pytorchReplicaSpecs:
        Master:
          replicas: 1
          template:
            spec: &pod
              hostNetwork: true
              dnsPolicy: ClusterFirstWithHostNet
              containers:
                - {name: pytorch, image: "train:1", command: [torchrun, train.py]}
        Worker:
          replicas: 1
          template:
            spec: *pod

## When to ignore it

When the hosts' own name servers know the cluster's services.

## References

- Kubernetes: DNS for services and pods, pod's DNS policy.
"""

import ipaddress
from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Rule, literal, repair
from cfglint.workload import Pod, Workload

RULE = Rule(
    code="K8S002",
    name="k8s-dns-policy",
    severity=ERROR,
    summary="hostNetwork without dnsPolicy ClusterFirstWithHostNet where a service name is dialled",
    fix="safe",
    kinds=("kubernetes",),
    symptoms=(r"Name or service not known", r"failed to connect to \[\S+-master-0\]"),
    cause='The host\'s name server does not know services: "Name or service not known".',
    help="Set dnsPolicy: ClusterFirstWithHostNet.",
)
_DIAL = ("PyTorchJob", "TrainJob", "ClusterTrainingRuntime", "TrainingRuntime", "JobSet")


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    workloads: list[Workload] = document.facts.get("workloads", [])
    for workload in workloads:
        if workload.kind == "MPIJob":
            continue
        for pod in workload.pods:
            if pod.host_network is None or pod.dns_policy == "ClusterFirstWithHostNet":
                continue
            name = _dialled(workload, pod)
            if not name:
                continue
            edit = pod.set_dns("ClusterFirstWithHostNet") if pod.set_dns else None
            yield RULE.finding(
                document,
                pod.host_network,
                f"on the host's network the pods cannot resolve {name}",
                fix=repair("ask the cluster's name server first", edit, safe=True),
            )


def _dialled(workload: Workload, pod: Pod) -> str:
    """What the pods reach by name, "" where the file shows nothing of the kind."""
    for box in pod.boxes:
        setting = box.env.get("MASTER_ADDR") or box.env.get("PET_MASTER_ADDR")
        text = literal(setting.value) if setting else None
        if text:
            return "" if _is_address(text) else text
    counts = [each.replicas for each in workload.pods]
    several = len(counts) > 1 or (counts[0] or 1) > 1
    sets_names = workload.kind != "PyTorchJob" or workload.elastic or len(counts) > 1
    if workload.kind in _DIAL and several and sets_names:
        return f"the {workload.kind}'s master service"
    return ""


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text.strip("[]"))
    except ValueError:
        return text == "localhost"
    return True
