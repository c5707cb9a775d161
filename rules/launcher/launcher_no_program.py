r"""A launcher that is given no program.

## What it flags

In a script, `torchrun`, `accelerate launch` or `deepspeed` with options and nothing behind them.
It is silent where a variable, `"$@"` or an option that is not known could hold the program, and
where an image or another command may add it.

## Why it fails

    torchrun: error: the following arguments are required: training_script, training_script_args
    deepspeed: error: the following arguments are required: user_script, user_args

## Example

    torchrun --standalone --nproc_per_node=8
    train.py --lr 1e-4

Repair: the program in the same command.

    torchrun --standalone --nproc_per_node=8 \
    train.py --lr 1e-4

## References

torch, distributed/run.py; accelerate, commands/launch.py; DeepSpeed, launcher/runner.py: the
positional arguments of each.
"""

from collections.abc import Iterator

from cfglint.programs.broken_lines import broken_line
from cfglint.project import Project
from cfglint.rule import ERROR, Finding, Launch, Rule

RULE = Rule(
    code="RUN018",
    name="launcher-no-program",
    severity=ERROR,
    summary="a launcher that is given no program",
    symptoms=(r"the following arguments are required: (training_script|user_script)",),
    help="Name the program in the same command.",
    yields_to=("SYN007",),
)
_KINDS = ("script", "slurm", "makefile", "justfile", "workflow", "notebook")
_NAMES = {
    "torchrun": "training_script",
    "accelerate": "training_script",
    "deepspeed": "user_script",
}


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """A launcher of whose command all is seen but no program; that of an image may be added."""
    command = launch.command
    if command is None or launch.program is not None or launch.launcher not in _NAMES:
        return
    if command.opaque or command.unknown or command.missing or {*command.given} <= {"help"}:
        return
    if launch.document.kind not in _KINDS or launch.container is not None:
        return
    if {*launch.wrappers} - {"srun"} or any(word.text is None for word in launch.argv):
        return
    if _is_template(launch) or any(p.code == RULE.yields_to[0] for p in launch.document.problems):
        return  # what follows stands for the program, or belongs to the command
    if broken_line(launch) is not None:
        return
    yield RULE.finding(
        launch.document,
        launch.span,
        f"{launch.launcher} is given options and no program",
        cause=f'It stops: "the following arguments are required: {_NAMES[launch.launcher]}".',
    )


def _is_template(launch: Launch) -> bool:
    """Whether what follows stands for the program: `<your script>`, which reads as a redirection."""
    source = launch.document.source
    return "<" in source.text[launch.span.start : source.line_of(launch.argv[-1].span.end).end]
