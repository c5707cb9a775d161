"""Pods that look for their master by a name which no name server knows.

## What it flags

The master address of an indexed Job, a StatefulSet, a JobSet or a job of Volcano that is the name
of one of its pods (`train-0`, a JobSet's `train-workers-0-0`) where the others cannot resolve it:
the name stands alone or in front of something else than the pods' `subdomain` (a StatefulSet's
`serviceName`), the Job's pod template has no `subdomain`, or the Service of that name is not
headless (`clusterIP: None`). Silent where a Service has that name, and for pods with a `dnsConfig`,
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

from collections.abc import Iterator

from cfglint.network.pod_names import unknown_pods
from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Related, Rule, repair

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


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """Each pod template whose copies have names with a number."""
    for one in unknown_pods(document, project):
        if one.service is not None:
            yield RULE.finding(
                document,
                one.setting.span,
                f"the other pods cannot resolve {one.name}: the Service {one.subdomain} is not headless",
                help="Set clusterIP: None in the Service.",
                fix=repair("make the Service headless", one.headless),
                related=[Related(*one.service, "has an address of its own")],
            )
            continue
        edit = one.setting.write(one.full) if one.subdomain else None
        yield RULE.finding(
            document,
            one.setting.span,
            f"the other pods cannot resolve {one.name}"
            + ("" if one.subdomain else ": they have no subdomain"),
            help=f"Dial {one.full}; the headless Service {one.subdomain} has to be there."
            if one.subdomain
            else None,
            fix=repair(f"dial {one.full}", edit) if edit else None,
        )
