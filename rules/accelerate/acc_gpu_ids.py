"""Too few `gpu_ids` for a multi-GPU launch.

## What it flags

On one machine, a MULTI_GPU (MULTI_NPU, MULTI_XPU ...) config whose `gpu_ids` names fewer than two
devices, or a command with `--multi_gpu` and one `--gpu_ids`: refused. `ALL` in capitals is a name
like any other. More processes than ids is a warning; over several machines, those of each of them.

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

from cfglint.accelerate import gpu_ids
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
    help="Name as many ids as there are processes, or write all.",
)
_REFUSED = 'The launch ends with "Less than two GPU ids were configured".'
_SHARED = 'Out of memory, or NCCL\'s "Duplicate GPU detected".'


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """A gpu_ids that is refused or shared, at its value."""
    config = config_of(document, project)
    entry = config.root.entry("gpu_ids") if config else None
    few = gpu_ids.in_config(config, project) if config else None
    if config is None or entry is None or few is None:
        return
    on = " of each machine" if config.machines > 1 else ""
    message = f"{few.devices} gpu_ids for {few.processes} processes{on}: ranks share a GPU"
    if few.refused:
        message = f"{config.type} needs at least two gpu_ids, {few.ids!r} is one"
    yield RULE.finding(
        document,
        entry.value.span if entry.value.end > entry.value.start else entry.key.span,
        message,
        severity=ERROR if few.refused else WARNING,
        cause=_REFUSED if few.refused else _SHARED,
        fix=repair("write all", edit.set_value(document, entry.value, "all")),
    )


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """The `--gpu_ids` of a command that starts several processes on a machine."""
    few = gpu_ids.of_command(launch)
    if few is None or launch.command is None:
        return
    on = " of each machine" if launch.is_multinode else ""
    message = f"{few.devices} ids for {few.processes} processes{on}: ranks share a GPU"
    if few.refused:
        message = f"--multi_gpu needs at least two ids, {few.ids!r} is one"
    setting = launch.command.given["gpu_ids"]
    yield RULE.at(
        setting,
        message,
        severity=ERROR if few.refused else WARNING,
        cause=_REFUSED if few.refused else _SHARED,
        fix=repair("write all", setting.write("all")),
    )
