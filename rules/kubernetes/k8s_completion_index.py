"""A pod's number is read in a Job that does not number its pods.

## What it flags

`JOB_COMPLETION_INDEX` in a command or variable of a Job (`batch/v1`) without
`completionMode: Indexed`. A JobSet numbers the pods of its jobs by itself.

## Why it fails

Kubernetes sets the variable in the pods of an indexed Job only. Elsewhere it is empty, or the text
`$(JOB_COMPLETION_INDEX)` stays as it is:

    torchrun: error: argument --node-rank/--node_rank: invalid int value: ''

## Example

    apiVersion: batch/v1
    kind: Job
    metadata: {name: lab}
    spec:
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

Repair: let the Job number them.

    apiVersion: batch/v1
    kind: Job
    metadata: {name: lab}
    spec:
      completions: 2
      completionMode: Indexed
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

- Kubernetes: Jobs, "Completion mode".
"""

from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Rule, Setting, Variable, repair

RULE = Rule(
    code="K8S009",
    name="k8s-completion-index",
    severity=ERROR,
    summary="a pod's number is read in a Job that does not number its pods",
    fix="unsafe",
    kinds=("kubernetes",),
    symptoms=(r"argument --node-rank/--node_rank: invalid int value: ''",),
    cause="Only the pods of an indexed Job have JOB_COMPLETION_INDEX; the launcher stops.",
    help="Add completionMode: Indexed to the Job.",
)
_NAME = "JOB_COMPLETION_INDEX"


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """Each Job whose pods are not numbered, and reads a number."""
    for workload in document.workloads:
        if workload.set_indexed is None or workload.group != "batch":
            continue
        spans = {box.span for pod in workload.pods for box in pod.boxes}
        for launch in document.launches:
            rank: Setting | None = launch.get("node_rank")
            inside = launch.container is not None and launch.container.span in spans
            if rank is None or not inside or not _is_index(rank):
                continue
            yield RULE.at(
                rank,
                f"{_NAME} is not set: the Job is not indexed",
                fix=repair("number the pods: completionMode: Indexed", workload.set_indexed()),
            )


def _is_index(rank: Setting) -> bool:
    """Whether a rank is the number of the pod, by its words or by what they expand to."""
    own = isinstance(rank.value, Variable) and rank.value.name == _NAME
    return own or _NAME in rank.raw
