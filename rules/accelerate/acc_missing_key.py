"""A key without which accelerate does not start.

## What it flags

- `distributed_type` missing.
- `num_processes` missing (or -1) for any type but a quoted `'NO'`, where no command that uses
  the file gives `--num_processes`.
- `main_process_port` missing in a MULTI_CPU or NO config of several machines.

It is silent where the search for commands that use the file could not be complete.

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

from cfglint.accelerate_config import AccelerateConfig, config_of
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
    if config is None or not config.root.entries:
        return
    for fault in config.faults:
        if fault.kind == "required" and fault.refused and fault.key != "num_processes":
            if _is_misspelt(config, fault.key):
                continue
            said = f"{fault.key} is missing"
            cause = f'The launch ends with "A `{fault.key}` must be specified" or the like.'
            yield RULE.finding(document, config.root.entries[0].key.span, said, cause=cause)
    if not config.is_sagemaker and config.type:
        yield from _processes(config, project)
        yield from _port(config, project)


def _processes(config: AccelerateConfig, project: Project) -> Iterator[Finding]:
    entry = config.root.index["distributed_type"]
    is_defaulted = config.value("", "distributed_type") == "NO"
    has_number = config.value("", "num_processes", -1) != -1
    if has_number or (is_defaulted and "num_processes" not in config.root):
        return
    if config.is_set("num_processes") or _given(config, project, "num_processes"):
        return
    if _is_misspelt(config, "num_processes"):
        return
    at = config.root.entry("num_processes") or entry
    kind = config.type if is_defaulted or config.type != "NO" else "an unquoted NO"
    yield RULE.finding(
        config.document,
        at.span,
        f"num_processes is missing; {kind} needs it, and no command gives it",
        cause='The launch ends with "You need to manually pass in `--num_processes`".',
        help="Write num_processes: the number over all machines.",
    )


def _port(config: AccelerateConfig, project: Project) -> Iterator[Finding]:
    if config.launcher != "process" or config.machines == 1 or config.version.before("1.8.0"):
        return
    if config.value("", "main_process_port") is not None or config.is_set("main_process_port"):
        return
    if not _given(config, project, "master_port"):
        yield RULE.finding(
            config.document,
            config.root.index["num_machines"].span,
            f"main_process_port is missing; {config.machines} machines need it",
            cause='The launch ends with "you need to specify the main process port".',
            help="Write main_process_port, the same number on every machine.",
        )


def _is_misspelt(config: AccelerateConfig, key: str) -> bool:
    """Whether an unknown key of the file means this one, which is then said there."""
    return any(fault.kind == "unknown" and fault.near == key for fault in config.faults)


def _given(config: AccelerateConfig, project: Project, setting: str) -> bool:
    """Whether a command that uses the file gives a setting, or one may that was not seen."""
    if not project.search_complete(config.document):
        return True
    users = project.users(config.document)
    return any(user.get(setting) is not None or not user.complete for user in users)
