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

from collections.abc import Iterator

from cfglint.network.service_names import dialled
from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Rule, repair

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


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """Each pod on the host's network that dials a service."""
    for workload in document.workloads:
        if workload.kind == "MPIJob":
            continue
        for pod in workload.pods:
            if pod.host_network is None or pod.dns_policy == "ClusterFirstWithHostNet":
                continue
            name = dialled(document, project, workload, pod)
            if not name:
                continue
            edit = pod.set_dns("ClusterFirstWithHostNet") if pod.set_dns else None
            yield RULE.finding(
                document,
                pod.host_network,
                f"on the host's network the pods cannot resolve {name}",
                fix=repair("ask the cluster's name server first", edit, safe=True),
            )
