"""Pods on the host's network that cannot resolve the names of services.

## What it flags

`hostNetwork: true` without `dnsPolicy: ClusterFirstWithHostNet`, where the job dials a service by
its name: a PyTorchJob of several pods, a training runtime of several nodes, a master address that
is a name, or a command that dials a Service or StatefulSet of the manifests. An MPIJob, whose operator sets the policy by itself, and addresses in numbers are
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
from cfglint.rule import ERROR, Document, Finding, Rule, Scalar, find, literal, repair
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
            name = _dialled(workload, pod) or _commanded(document, project, pod)
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


def _commanded(document: Document, project: Project, pod: Pod) -> str:
    """The service, or pod behind one, that a command of the pod dials as its master."""
    spans = {box.span for box in pod.boxes}
    for launch in document.launches:
        address, box = launch.address, launch.container
        text = literal(address.value) if address is not None else None
        if not text or box is None or box.span not in spans or _is_address(text):
            continue
        labels = text.split(".")
        # Another name may be a node's, which the hosts' own name server knows.
        if "svc" in labels[2:] or not _services(project).isdisjoint(labels[:2]):
            return text
    return ""


def _services(project: Project) -> set[str]:
    """The services that the manifests define or name as the home of a StatefulSet's pods."""

    def collect() -> set[str]:
        found: set[str] = set()
        for root in (r for d in project.of_kind("kubernetes") for r in d.roots):
            kind = find(root, "kind")
            path = {"Service": ("metadata", "name"), "StatefulSet": ("spec", "serviceName")}
            where = path.get(kind.text) if isinstance(kind, Scalar) else None
            name = find(root, *where) if where else None
            if isinstance(name, Scalar) and name.text:
                found.add(name.text)
        return found

    services: set[str] = project.fact(("kubernetes", "services"), collect)
    return services


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text.strip("[]"))
    except ValueError:
        return text == "localhost"
    return True
