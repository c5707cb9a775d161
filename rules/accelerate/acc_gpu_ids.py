"""Too few `gpu_ids` for a multi-GPU launch.

## What it flags

On one machine, a MULTI_GPU (MULTI_NPU, MULTI_XPU ...) config whose `gpu_ids` names fewer than two
devices, or a command with `--multi_gpu` and one `--gpu_ids`: refused. `ALL` in capitals is a name
like any other. More processes than ids is a warning.

## Why it fails

    ValueError: Less than two GPU ids were configured and tried to run on multiple GPUs. Please
    ensure at least two are specified for `--gpu_ids`, or use `--gpu_ids='all'`.

With fewer ids than processes several ranks share one GPU: they run out of memory, or NCCL stops
with "Duplicate GPU detected".

## Example

    distributed_type: MULTI_GPU
    num_machines: 1
    num_processes: 2
    gpu_ids: '0'

Repair: as many ids as there are processes, or `all`.

    distributed_type: MULTI_GPU
    num_machines: 1
    num_processes: 2
    gpu_ids: all

## When to ignore it

When every launch gives `--gpu_ids`.

## References

accelerate, commands/launch.py: `_validate_launch_command`.
"""

from collections.abc import Iterator

from cfglint.accelerate.config import config_of
from cfglint.project import Project
from cfglint.rule import ERROR, WARNING, Document, Finding, Launch, Rule, edit, repair

RULE = Rule(
    code="ACC012",
    name="acc-gpu-ids",
    severity=ERROR,
    summary="too few gpu_ids for a multi-GPU launch",
    fix="unsafe",
    kinds=("accelerate",),
    symptoms=(r"Less than two GPU ids were configured", r"Duplicate GPU detected"),
)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """A gpu_ids that is refused or shared, at its value."""
    config = config_of(document, project)
    entry = config.root.entry("gpu_ids") if config else None
    ids = config.value("", "gpu_ids") if config else None
    if config is None or entry is None or not isinstance(ids, str) or ids == "all":
        return
    if config.machines > 1 or config.options(project) & {
        "gpu_ids",
        "num_processes",
        "num_machines",
    }:
        return
    names = [name for name in ids.split(",") if name.strip()]
    fix = repair("write all", edit.set_value(document, entry.value, "all"))
    span = entry.value.span if entry.value.end > entry.value.start else entry.key.span
    if "," not in ids and config.type in config.release.table("gpu_types"):
        yield RULE.finding(
            document,
            span,
            f"{config.type} needs at least two gpu_ids, {ids!r} is one",
            cause='The launch ends with "Less than two GPU ids were configured".',
            help="Name as many ids as there are processes, or write all.",
            fix=fix,
        )
    elif config.launcher == "torchrun" and len(names) < (config.processes or 0):
        yield RULE.finding(
            document,
            span,
            f"{len(names)} gpu_ids for {config.processes} processes: ranks share a GPU",
            severity=WARNING,
            cause='Out of memory, or NCCL\'s "Duplicate GPU detected".',
            help="Name as many ids as there are processes, or write all.",
            fix=fix,
        )


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """The `--gpu_ids` of a command that starts several processes on one machine."""
    given = launch.command.given if launch.command and launch.launcher == "accelerate" else {}
    setting, count = given.get("gpu_ids"), given.get("num_processes")
    ids = setting.text if setting is not None else None
    if setting is None or not ids or ids == "all" or "num_machines" in given:
        return
    if launch.machines() not in (None, 1):
        return
    names = [name for name in ids.split(",") if name.strip()]
    processes = count.number if count is not None else None
    fix = repair("write all", setting.write("all"))
    if "," not in ids and "multi_gpu" in given:
        yield RULE.at(
            setting,
            f"--multi_gpu needs at least two ids, {ids!r} is one",
            cause='The launch ends with "Less than two GPU ids were configured".',
            help="Name as many ids as there are processes, or write all.",
            fix=fix,
        )
    elif processes is not None and len(names) < processes and "cpu" not in given:
        yield RULE.at(
            setting,
            f"{len(names)} ids for {processes} processes: ranks share a GPU",
            severity=WARNING,
            cause='Out of memory, or NCCL\'s "Duplicate GPU detected".',
            help="Name as many ids as there are processes, or write all.",
            fix=fix,
        )
