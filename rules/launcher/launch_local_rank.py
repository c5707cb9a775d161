"""torch.distributed.launch hands the program an option that its parser refuses.

## What it flags

`python -m torch.distributed.launch` without `--use_env` in front of a program of the tree whose own
argparse parser takes no `--local-rank`: `--local_rank` alone, or neither. A warning where nothing tells
the release of torch and `--local_rank` is taken. Programs whose parser is not seen whole are left alone:
`parse_known_args`, several parsers, one that other functions are given.

## Why it fails

Since torch 2.0 each process is started with `--local-rank=N`, before that with `--local_rank=N`:

    train.py: error: unrecognized arguments: --local-rank=0

## Example

    === run.sh
    python -m torch.distributed.launch --nproc_per_node=8 --master_port=$MASTER_PORT train.py
    === train.py
    import argparse
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_rank", type=int)
    args = parser.parse_args()
    === requirements.txt
    torch==2.4.1

Repair: a program that takes both.

    === train.py
    import argparse
    parser = argparse.ArgumentParser()
    parser.add_argument("--local-rank", "--local_rank", type=int)
    args = parser.parse_args()

## References

torch, distributed/launch.py and distributed/run.py.
"""

from collections.abc import Iterator

from cfglint.programs.local_rank import DASHED, UNDERSCORED, taken
from cfglint.project import Project
from cfglint.rule import ERROR, WARNING, Finding, Launch, Rule

RULE = Rule(
    code="RUN023",
    name="launch-local-rank",
    severity=ERROR,
    summary="an option of torch.distributed.launch that the program's parser refuses",
    symptoms=(r"error: unrecognized arguments: --local[-_]rank=\d+",),
    help="Read LOCAL_RANK from the environment and start it by torchrun, or let the parser take "
    '"--local-rank" and "--local_rank".',
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """A launch by that module whose program is at hand."""
    command, program = launch.command, launch.program
    if command is None or program is None or "--use_env" not in command.spellings:
        return
    if "use_env" in command.given or command.opaque or "PET_USE_ENV" in launch.env:
        return
    options = taken(project, launch)
    if options is None or any(option.startswith(DASHED) for option in options):
        return
    torch = project.versions(launch.document, "torch")
    passed = UNDERSCORED if torch.before("2.0") else DASHED
    if any(option.startswith(passed) for option in options):
        return
    other = f"{UNDERSCORED} alone" if UNDERSCORED in options else "no such option"
    unsure = UNDERSCORED in options and not torch.pinned
    yield RULE.finding(
        launch.document,
        program.span,
        f"each process is started with {passed}=N, and the parser of {program.text} takes {other}",
        severity=WARNING if unsure else ERROR,
        cause=f"{program.text}: error: unrecognized arguments: {passed}=0",
    )
