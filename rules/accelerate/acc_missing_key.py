"""A key without which accelerate does not start.

## What it flags

- `distributed_type` missing.
- `num_processes` missing (or -1) for any type but a quoted `'NO'`, where no command that uses
  the file gives `--num_processes`.
- `main_process_port` missing in a MULTI_CPU or NO config of several machines.

It is silent where the search for commands that use the file could not be complete, and where a README
beside the file or above it shows a command that names it and gives `--num_processes` or the like.

## Why it fails

    ValueError: A `distributed_type` must be specified in the config file.
    ValueError: You need to manually pass in `--num_processes` using this config yaml.
    AssertionError: When using multiple machines, you need to specify the main process port.

## Example

    distributed_type: MULTI_GPU
    num_machines: 1
    mixed_precision: bf16

Repair: say how many processes there are over all machines.

    distributed_type: MULTI_GPU
    num_machines: 1
    mixed_precision: bf16
    num_processes: 8

## When to ignore it

When a program outside this repository starts the job and passes the number.

## References

accelerate, commands/launch.py: `_validate_launch_command`; config_args.py: `process_config`;
utils/launch.py: `prepare_simple_launcher_cmd_env`.
"""

from collections.abc import Iterator

from cfglint.accelerate.config import config_of
from cfglint.accelerate.faults import missing_keys
from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Rule

RULE = Rule(
    code="ACC009",
    name="acc-missing-key",
    severity=ERROR,
    summary="a key without which accelerate does not start",
    kinds=("accelerate",),
    symptoms=(
        r"A `distributed_type` must be specified in the config file",
        r"You need to manually pass in `--num_processes` using this config yaml",
        r"you need to specify the main process port",
        r"__init__\(\) missing \d+ required positional argument",
    ),
)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """What is missing, at the key that needs it."""
    config = config_of(document, project)
    for objection in missing_keys(config, project) if config else ():
        yield objection.finding(RULE, document)
