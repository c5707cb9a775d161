"""A config whose file name LLaMA-Factory does not take for a config.

## What it flags

A config that a command of the tree gives to `llamafactory-cli` under a name with the wrong ending:
`.yml` up to 0.9.0, which knew `.yaml` only, and `.json` in 0.9.5, whose JSON reader is broken.

## Why it fails

What is not taken for a config is taken for flags, and the run ends at once:

    ValueError: Please provide `model_name_or_path`.

In 0.9.5 a `.json` is opened in a way that always fails:

    AttributeError: 'PosixPath' object has no attribute 'read'

## Example

    === requirements.txt
    llamafactory==0.9.5
    === train.json
    {"model_name_or_path": "Qwen/Qwen2.5-7B", "stage": "sft", "do_train": true, "template": "qwen",
     "finetuning_type": "lora", "dataset": "identity", "output_dir": "saves/qwen"}
    === run.sh
    llamafactory-cli train train.json

Repair: the same as YAML, of which JSON is a part: the name is all that has to change.

    === train.json
    {}
    === train.yaml
    {"model_name_or_path": "Qwen/Qwen2.5-7B", "stage": "sft", "do_train": true, "template": "qwen",
     "finetuning_type": "lora", "dataset": "identity", "output_dir": "saves/qwen"}
    === run.sh
    llamafactory-cli train train.yaml
"""

from collections.abc import Iterator

from cfglint.llamafactory.arguments import arguments
from cfglint.project import Project
from cfglint.rule import ERROR, WARNING, Document, Finding, Related, Rule

RULE = Rule(
    code="LF010",
    name="lf-config-suffix",
    severity=ERROR,
    summary="a config under a name that LLaMA-Factory does not take for a config",
    kinds=("llamafactory",),
    symptoms=(r"'PosixPath' object has no attribute 'read'",),
)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The file's ending, where a command uses the file."""
    given = arguments(document, project)
    suffix = document.file.suffix
    if given is None or suffix in given.release.table("suffixes") or not given.root.entries:
        return
    given.search()
    users = [u for u in given.users() if u.launcher == "llamafactory"]
    if not users:
        return
    broken = suffix == ".json"
    why = "fails on every JSON file" if broken else f"does not take {suffix} for a config"
    says = (
        "AttributeError: 'PosixPath' object has no attribute 'read'"
        if broken
        else "ValueError: Please provide `model_name_or_path`."
    )
    yield RULE.finding(
        document,
        given.root.entries[0].key.span,
        f"{given.llamafactory.title} {why} ({given.llamafactory.source})",
        severity=ERROR if given.llamafactory.pinned else WARNING,
        cause=f'"{says}"',
        help=f"Call it {document.file.stem}.yaml; JSON is YAML too.",
        related=[Related(u.document, u.span, "it is used here") for u in users[:3]],
    )
