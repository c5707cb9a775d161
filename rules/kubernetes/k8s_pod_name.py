"""Pods that look for their master by a name which no name server knows.

## What it flags

The master address of an indexed Job, a StatefulSet or a JobSet that is the name of one of its pods
(`train-0`, a JobSet's `train-workers-0-0`) where the others cannot resolve it: the name stands
alone or in front of something else than the pods' `subdomain` (a StatefulSet's `serviceName`), or
the Job's pod template has no `subdomain`. Silent where a Service has that name, and for pods with a `dnsConfig`,
`hostAliases` or the host's network.

## Why it fails

A pod finds its own name in its /etc/hosts. Others find it as `<pod>.<subdomain>`, and only where a
headless Service of the subdomain's name stands before the pods:

    socket.gaierror: [Errno -2] Name or service not known

Rank 0 waits for the others until its timeout.

## Example

    apiVersion: batch/v1
    kind: Job
    metadata: {name: lab}
    spec:
      completionMode: Indexed
      completions: 2
      parallelism: 2
      template:
        spec:
          restartPolicy: Never
          containers:
            - name: trainer
              image: example.org/trainer
              command: [torchrun, --nnodes=2, --node_rank=$(JOB_COMPLETION_INDEX), --nproc_per_node=1,
                        --master_addr=lab-0, train.py]

Repair: a headless Service (`clusterIP: None`) called lab that selects the Job's pods, and its name
in both places.

    apiVersion: batch/v1
    kind: Job
    metadata: {name: lab}
    spec:
      completionMode: Indexed
      completions: 2
      parallelism: 2
      template:
        spec:
          subdomain: lab
          restartPolicy: Never
          containers:
            - name: trainer
              image: example.org/trainer
              command: [torchrun, --nnodes=2, --node_rank=$(JOB_COMPLETION_INDEX), --nproc_per_node=1,
                        --master_addr=lab-0.lab, train.py]

## References

- Kubernetes: Job with Pod-to-Pod Communication; DNS for Services and Pods, "Pod's hostname and
  subdomain fields"; StatefulSet, "Stable Network ID".
"""

import re
from collections.abc import Iterator

from cfglint.model.workload import Pod
from cfglint.network.service_names import services
from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Rule, Setting, default_literal, repair

RULE = Rule(
    code="K8S008",
    name="k8s-pod-name",
    severity=ERROR,
    summary="the master's pod is dialled by a name that other pods cannot resolve",
    fix="unsafe",
    kinds=("kubernetes",),
    symptoms=(r"Name or service not known", r"Temporary failure in name resolution"),
    cause='Only the pod itself knows that name; the others stop: "Name or service not known".',
    help="Add a headless Service, set the pods' subdomain to it, and dial <pod>.<subdomain>.",
)
# What stands between an object's name and a pod's number.
_POD_NAMES = {
    ("batch", "Job"): "",
    ("apps", "StatefulSet"): "",
    ("jobset.x-k8s.io", "JobSet"): r"-[\w-]+-\d+",
}


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """Each pod template whose copies have names with a number."""
    for workload in document.workloads:
        between = _POD_NAMES.get((workload.group, workload.kind))
        if between is None:
            continue
        together = sum(pod.replicas or 0 for pod in workload.pods)
        for pod in workload.pods:
            count = together if between else pod.replicas or 0
            if count < 2 or pod.own_dns or pod.host_network is not None:
                continue
            for setting in _addresses(document, pod):
                name = default_literal(setting.value) or ""
                host, dot, home = name.partition(".")
                if not re.fullmatch(re.escape(workload.name) + between + r"-\d+", host):
                    continue
                if host in services(project) or (dot and _is_home(home, pod.subdomain)):
                    continue
                full = f"{host}.{pod.subdomain}"
                if dot and pod.subdomain:
                    full += _behind(home)
                edit = setting.write(full) if pod.subdomain else None
                yield RULE.finding(
                    document,
                    setting.span,
                    f"the other pods cannot resolve {name}"
                    + ("" if pod.subdomain else ": they have no subdomain"),
                    help=f"Dial {full}; the headless Service {pod.subdomain} has to be there."
                    if pod.subdomain
                    else None,
                    fix=repair(f"dial {full}", edit) if edit else None,
                )
                break


def _is_home(home: str, subdomain: str) -> bool:
    """Whether what stands behind a pod's name may be where it is found: its subdomain, or the zone
    of some other name server."""
    first, *rest = home.split(".")
    in_cluster = not rest or "svc" in rest[:2]
    known = re.fullmatch(r"[a-z0-9-]+", subdomain) is not None
    return bool(subdomain) and (first == subdomain or not in_cluster or not known)


def _behind(home: str) -> str:
    """What follows the subdomain: the namespace and the cluster's zone, where they are given."""
    _, *rest = home.split(".")
    if rest[:1] == ["svc"]:
        return f".{home}"  # only the subdomain was left out
    return "".join(f".{part}" for part in rest)


def _addresses(document: Document, pod: Pod) -> Iterator[Setting]:
    """What the pod's variables and commands name as the master."""
    for box in pod.boxes:
        for name in ("MASTER_ADDR", "PET_MASTER_ADDR"):
            if name in box.env:
                yield box.env[name]
    spans = {box.span for box in pod.boxes}
    for launch in document.launches:
        inside = launch.container
        if inside is not None and inside.span in spans and launch.address is not None:
            yield launch.address
