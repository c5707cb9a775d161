"""A value after a flag of `accelerate launch` that takes none.

## What it flags

`--same_network true`, `--multi_gpu false` and the like: the word after the flag becomes the
training script, and everything behind it its arguments. Also `--multi_gpu=true`.

## Why it fails

    python: can't open file '/app/true': [Errno 2] No such file or directory
    error: argument --multi_gpu: ignored explicit argument 'true'

`--same_network`, `--multi_gpu`, `--use_fsdp`, `--use_deepspeed`, `--use_megatron_lm`, `--cpu`,
`--tpu`, `--debug`, `--downcast_bf16`, `--enable_cpu_affinity` and the `--dynamo_use_*` options
are flags.

## Example

    accelerate launch --same_network true --num_processes 2 train.py

Repair: the flag alone; to say no, leave it out.

    accelerate launch --same_network --num_processes 2 train.py

## When to ignore it

When the script really is called `true`.

## References

accelerate, commands/launch.py: `launch_command_parser`; huggingface/accelerate#2240, #1489.
"""

from collections.abc import Iterator

from cfglint.model.commandline import CommandLine
from cfglint.project import Project
from cfglint.rule import ERROR, Finding, Launch, Literal, Rule, repair

RULE = Rule(
    code="ACC005",
    name="acc-flag-takes-no-value",
    severity=ERROR,
    summary="a value after a flag of accelerate launch that takes none",
    fix="safe",
    symptoms=(
        r"can't open file '.*(true|false|True|False|yes|no)'",
        r"argument --\w+: ignored explicit argument",
    ),
    help="Write the flag alone, or leave it out.",
    yields_to=("RUN010",),
)
TRUE, FALSE = ("true", "yes", "1", "on"), ("false", "no", "0", "off")


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """The word that was taken for the script, where it stands."""
    program, command = launch.program, launch.command
    if launch.launcher != "accelerate" or command is None:
        return
    yield from _explicit(launch, command)
    if program is None:
        return
    word = program.text.lower()
    if word not in (*TRUE, *FALSE) or program.word is None or program.kind == "module":
        return
    before = [
        (setting.key_span or setting.span, name, setting)
        for name, setting in command.given.items()
        if (setting.key_span or setting.span).end <= program.span.start
    ]
    if not before or project.exists(launch.document, program.text):
        return
    _, name, flag = max(before, key=lambda one: one[0].end)
    if name in command.valued:
        return
    edits = [program.word.place.remove()]
    if word in FALSE:
        edits.append(flag.remove())
    title = f"remove {program.text}" if word in TRUE else f"remove --{name} {program.text}"
    yield RULE.finding(
        launch.document,
        program.span,
        f"--{name} takes no value: {program.text!r} becomes the training script",
        cause=f"python: can't open file '{program.text}': No such file or directory.",
        fix=repair(title, *edits, safe=True),
    )


def _explicit(launch: Launch, command: CommandLine) -> Iterator[Finding]:
    """`--flag=value`; what stands behind the program is the program's own."""
    end = launch.program.span if launch.program is not None else None
    for word in launch.argv:
        if word.span == end:
            return
        spelling, sign, value = word.raw.partition("=")
        name = command.find(spelling) if sign and spelling.startswith("--") else None
        if name is None or name in command.valued:
            continue
        off = value.strip("'\"").lower() in FALSE
        change = word.place.remove() if off else word.place.write(Literal(spelling))
        yield RULE.finding(
            launch.document,
            word.span,
            f"{spelling} takes no value",
            cause=f"error: argument {spelling}: ignored explicit argument.",
            fix=repair(f"remove {word.raw}" if off else f"write {spelling}", change, safe=True),
        )
