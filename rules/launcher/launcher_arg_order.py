"""Options of the launcher behind the script, where the script gets them.

## What it flags

An option of `torchrun`, `accelerate launch` or `deepspeed` that stands behind the program's name.
It is flagged where the program lies in the tree and no Python file there names the option. Options
that only a launcher has (`--nproc_per_node`, `--rdzv_endpoint`, `--main_process_port` ...), and any
others beside them, are flagged also where the program is not seen; `--master_port`,
`--master_addr` and `--num_gpus`, which few programs have, as a warning. Options that are given in front of the program too are left
alone. So is the launcher itself there: `python train.py -m torch.distributed.launch`.

## Why it fails

Everything behind the program's name belongs to the program. The launcher runs with its defaults,
one process for instance, and the script stops:

    train.py: error: unrecognized arguments: --nproc_per_node=8

or ignores what it does not know and trains on a size that nobody chose.

## Example

    torchrun train.py --nproc_per_node=8 --lr 1e-4

Repair: launcher options first.

    torchrun --nproc_per_node=8 train.py --lr 1e-4
"""

from collections.abc import Iterator

from cfglint.programs.strays import strays, to_front
from cfglint.project import Project
from cfglint.rule import ERROR, WARNING, Finding, Launch, Rule, Span, repair

RULE = Rule(
    code="RUN002",
    name="launcher-arg-order",
    severity=ERROR,
    summary="launcher options behind the script, which gets them",
    fix="safe",
    unsafe_too=True,
    symptoms=(
        r"error: unrecognized arguments: .*--?(?:nproc|nnodes|num_proc|main_proc|config_file)",
    ),
    cause="The program gets the option; the launcher runs with its default.",
    help="Put launcher options in front of the program.",
)
_UNSEEN = "The program gets it: unless it has an option of that name, it stops or goes without."
_BEHIND = "Python starts the script alone: one process, or none, since it refuses the option."


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """Each launcher option among the program's arguments."""
    if launch.behind is not None:
        option, module = launch.behind.option, launch.behind.module
        started = launch.program.text if launch.program is not None else "the program"
        yield RULE.finding(
            launch.document,
            Span(option.span.start, module.span.end),
            f"-m {module.text} stands behind {started}, which gets it as an argument",
            cause=_BEHIND,
            fix=repair("start the launcher, and the program by it", launch.behind.to_front),
        )
    found = strays(launch, project)
    title = "move it in front of the program" if len(found) == 1 else "move them to the front"
    program = launch.program.text if launch.program is not None else ""
    for one in found:
        yield RULE.finding(
            launch.document,
            one.span,
            f"{one.spelling} stands behind {program}, so {launch.launcher} does not see it",
            severity=ERROR if one.certain else WARNING,
            cause=None if one.certain else _UNSEEN,
            fix=repair(title, *to_front(launch, found), safe=all(x.certain for x in found)),
        )
