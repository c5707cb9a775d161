"""Several processes asked for, one started.

## What it flags

`distributed_type: NO` or `MULTI_CPU` with `num_processes` above 1 and no mpirun hostfile, in a
file or on the command line (`--cpu --num_processes 4`).

## Why

There is no error: for these two types accelerate starts the program once, as a plain process,
whatever the number says. Only `mpirun_config: {mpirun_hostfile: ...}` starts more. The job trains
on one GPU, or one CPU process, of those it was given.

## Example

    distributed_type: 'NO'
    num_processes: 8

Repair: say that there are several GPUs.

    distributed_type: MULTI_GPU
    num_processes: 8

## When to ignore it

When the program itself starts the workers and reads the number.

## References

accelerate, commands/launch.py: `launch_command`, `simple_launcher`; huggingface/accelerate#2741,
#2492.
"""

from collections.abc import Iterator

from cfglint.accelerate.config import config_of
from cfglint.project import Project
from cfglint.rule import WARNING, Finding, Launch, Rule, Setting, repair

RULE = Rule(
    code="ACC007",
    name="acc-one-process",
    severity=WARNING,
    summary="distributed_type NO or MULTI_CPU with several processes: one is started",
    fix="unsafe",
    help="MULTI_GPU for several GPUs; an mpirun_hostfile for several CPU processes.",
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """The number that is not honoured, where it stands."""
    kind, count = launch.get("distributed_type"), launch.get("num_processes")
    if launch.launcher != "accelerate" or kind is None or count is None:
        return
    name = (kind.text or "").upper()
    if name not in ("NO", "OFF", "FALSE", "MULTI_CPU") or (count.number or 0) < 2:
        return
    if _has_hostfile(launch, project):
        return
    yield RULE.at(
        count,
        f"{count.number} processes are asked for, but {name} starts one",
        cause="The program is started once, without an error; the number has no effect.",
        fix=repair("write MULTI_GPU", kind.write("MULTI_GPU")) if _is_plain(kind, name) else None,
    )


def _is_plain(kind: Setting, name: str) -> bool:
    return name != "MULTI_CPU" and kind.origin == "config"


def _has_hostfile(launch: Launch, project: Project) -> bool:
    """Whether mpirun starts the processes."""
    if any(word.raw.startswith("--mpirun") for word in launch.argv):
        return True
    for document in launch.documents():
        config = config_of(document, project) if document.kind == "accelerate" else None
        if config is not None and config.value("mpirun_config", "mpirun_hostfile"):
            return True
    return False
