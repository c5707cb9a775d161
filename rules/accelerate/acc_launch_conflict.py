"""Options of `accelerate launch` that exclude each other.

## What it flags

- More than one of `--cpu`, `--multi_gpu`, `--tpu`, `--use_deepspeed`, `--use_fsdp`.
- `--multi_gpu` with `--num_processes` below 2.
- `--use_parallelism_config` without `--use_fsdp`.
- `--module` with `--no_python`.
- `--mixed_precision bf16` with a DeepSpeed file that enables fp16, or the other way about.

Only the command line counts here: a config file with `distributed_type: MULTI_GPU` and one process
is accepted.

## Why it fails

    ValueError: You can only use one of `--cpu`, `--multi_gpu`, `--tpu`, `--use_deepspeed`,
    `--use_fsdp` at a time.
    ValueError: You need to use at least 2 processes to use `--multi_gpu`.
    ValueError: --module and --no_python cannot be used together
    ValueError: `--mixed_precision` arg cannot be set to `bf16` when `fp16` is set in the DeepSpeed
    config file.

## Example

    accelerate launch --multi_gpu --use_deepspeed --num_processes 8 train.py

Repair: the one that is meant; DeepSpeed and FSDP use several GPUs anyway.

    accelerate launch --use_deepspeed --num_processes 8 train.py

## When to ignore it

Never: the launcher stops at once.

## References

accelerate, commands/launch.py: `_validate_launch_command`; utils/launch.py.
"""

from collections.abc import Iterator

from cfglint.accelerate.deepspeed import OtherPrecision, other_precisions
from cfglint.project import Project
from cfglint.rule import ERROR, Finding, Launch, Related, Rule, repair

RULE = Rule(
    code="ACC017",
    name="acc-launch-conflict",
    severity=ERROR,
    summary="options of accelerate launch that exclude each other",
    fix="safe",
    unsafe_too=True,
    symptoms=(
        r"You can only use one of `--cpu`, `--multi_gpu`",
        r"You need to use at least 2 processes to use `--multi_gpu`",
        r"You cannot use `--use_parallelism_config` without `--use_fsdp`",
        r"--module and --no_python cannot be used together",
        r"`--mixed_precision` arg cannot be set to `(?P<value>\w+)` when",
    ),
)
PARADIGMS = ("cpu", "multi_gpu", "tpu", "use_deepspeed", "use_fsdp")


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """The option that cannot be beside the others, where it stands."""
    if launch.launcher != "accelerate" or launch.command is None:
        return
    given = launch.command.given
    chosen = [name for name in PARADIGMS if name in given]
    if len(chosen) > 1:
        others = [name for name in chosen if name != "multi_gpu"]
        is_plain = others in (["use_deepspeed"], ["use_fsdp"])
        drop = given["multi_gpu"].remove() if is_plain else None
        yield RULE.at(
            given[chosen[0] if drop is None else "multi_gpu"],
            f"{' and '.join(f'--{name}' for name in chosen)} exclude each other",
            cause='The launcher stops with "You can only use one of".',
            help="Keep the one that is meant.",
            fix=repair("remove --multi_gpu", drop, safe=True),
        )
    count = given.get("num_processes")
    if chosen == ["multi_gpu"] and count is not None and count.number in (0, 1):
        yield RULE.at(
            count,
            f"--multi_gpu with --num_processes {count.number}",
            cause='The launcher stops with "You need to use at least 2 processes".',
            help="Leave --multi_gpu out for one process.",
            fix=repair("remove --multi_gpu", given["multi_gpu"].remove()),
        )
    yield from map(_precision, other_precisions(launch))
    if "use_parallelism_config" in given and "use_fsdp" not in given:
        yield RULE.at(
            given["use_parallelism_config"],
            "--use_parallelism_config without --use_fsdp",
            cause='The launcher stops with "You cannot use `--use_parallelism_config`".',
            help="Give --use_fsdp --fsdp_version 2 as well.",
        )
    if "module" in given and "no_python" in given:
        yield RULE.at(
            given["no_python"],
            "--no_python beside --module",
            cause='The launcher stops with "cannot be used together".',
            help="--module runs python -m; leave one of them out.",
        )


def _precision(found: OtherPrecision) -> Finding:
    """The precision of the command line against that of the DeepSpeed file."""
    said, other = found.said, found.precision
    return RULE.at(
        said,
        f"--mixed_precision {said.text}, and {found.document.path} enables {other}",
        cause="Every rank stops: `--mixed_precision` arg cannot be set to"
        f" `{said.text}` when `{other}` is set in the DeepSpeed config file.",
        help='Write the same in both, or "auto" in the DeepSpeed file.',
        related=[Related(found.document, found.span, f"{other} is on")],
        fix=repair(f"use {other}, as the file says", said.write(other)),
    )
