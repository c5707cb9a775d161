"""A key stands twice in one mapping, and one of the two values is lost.

## What it flags

The second and each further entry of the same name in one mapping of a YAML or JSON file. Merge keys
(`<<`) may stand several times and are left alone.

An error where the program that reads the file refuses it: DeepSpeed, LLaMA-Factory from 0.9.4
(OmegaConf), compose and GitHub. (Accelerate and the trainer hand DeepSpeed the last value.) A
warning where the last value silently wins: accelerate, older LLaMA-Factory, `dataset_info.json`,
and kubectl (k8s.io/apimachinery decodes with the lenient reader of sigs.k8s.io/yaml; kustomize
refuses the same file).

## Why it fails

    ValueError: Duplicate keys in DeepSpeed config: ['stage']
    yaml.constructor.ConstructorError: found duplicate key learning_rate

accelerate says nothing and takes the last: two `num_processes` train on a size nobody chose.

## Example

    compute_environment: LOCAL_MACHINE
    distributed_type: MULTI_GPU
    num_processes: 2
    num_machines: 1
    num_processes: 8

Repair: keep the one that is meant.

    compute_environment: LOCAL_MACHINE
    distributed_type: MULTI_GPU
    num_machines: 1
    num_processes: 8
"""

from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import (
    ERROR,
    WARNING,
    Document,
    Finding,
    Related,
    Rule,
    Scalar,
    mappings,
)

RULE = Rule(
    code="SYN005",
    name="duplicate-key",
    severity=ERROR,
    summary="a key twice in one mapping",
    kinds=(
        "accelerate",
        "deepspeed",
        "llamafactory",
        "dataset-info",
        "compose",
        "kubernetes",
        "workflow",
    ),
    symptoms=(
        r"Duplicate keys in DeepSpeed config",
        r"found duplicate key",
        r"mapping key \".*\" already defined",
        r"key \".*\" already set in map",
    ),
    help="Keep the one that is meant and delete the other.",
)
_REFUSED = {
    "deepspeed": 'DeepSpeed stops with "Duplicate keys in DeepSpeed config"; accelerate and the trainer'
    " take the last one without a word.",
    "llamafactory": 'LLaMA-Factory stops with "found duplicate key".',
    "compose": "docker compose refuses the file: the mapping key is already defined.",
    "workflow": "GitHub refuses the workflow: the key is already defined.",
}


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """Each entry whose key stood before in the same mapping."""
    cause = _REFUSED.get(document.kind or "")
    if document.kind == "llamafactory" and project.versions(document, "llamafactory").before(
        "0.9.4"
    ):
        cause = None
    for root in document.roots:
        for node in mappings(root):
            if len(node.index) == len(node.entries):
                continue
            first: dict[str, Scalar] = {}
            for entry in node.entries:
                key = entry.key
                if not isinstance(key, Scalar) or (key.text == "<<" and key.is_plain):
                    continue
                before = first.setdefault(key.text, key)
                if before is not key:
                    line = document.source.position(before.start)[0]
                    yield RULE.finding(
                        document,
                        key.span,
                        f"{key.text} stands in line {line} already; this one silently wins"
                        if cause is None
                        else f"{key.text} stands in line {line} already",
                        severity=ERROR if cause else WARNING,
                        cause=cause or "The last value wins, and nothing says so.",
                        related=[Related(document, before.span, f"the first {key.text}")],
                    )
