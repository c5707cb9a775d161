"""An option that docker run does not have.

## What it flags

`docker run` or `docker create` with an option that is near one that docker has: `--gpu`,
`--shm_size`, or a long one with a single hyphen (`-gpus`, `-rm`). With podman and nerdctl, which have
options of their own, only underscores in place of hyphens, and single hyphens. Options that resemble none are left alone.

## Why it fails

Docker refuses the command line before it starts anything:

    unknown flag: --shm_size
    unknown shorthand flag: 'g' in -gpus
    See 'docker run --help'.

## Example

    docker run --rm --gpus all --shm_size 16g example.org/trainer torchrun --standalone --nproc_per_node=8 train.py

Repair: the option that docker has.

    docker run --rm --gpus all --shm-size 16g example.org/trainer torchrun --standalone --nproc_per_node=8 train.py

## References

- `docker run --help`; docker/cli, `cli/command/container/opts.go`.
"""

from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import ERROR, Finding, Launch, Rule, repair

RULE = Rule(
    code="BOX014",
    name="docker-unknown-option",
    severity=ERROR,
    summary="an option that docker run does not have",
    fix="safe",
    symptoms=(
        r"unknown flag: (?P<value>--[\w-]+)",
        r"unknown shorthand flag: '\w' in (?P<value>-\w+)",
    ),
    cause="Docker refuses the command line.",
    help="Write the option as `docker run --help` lists it.",
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """The options of a launch's container that docker does not have."""
    box = launch.container
    for one in box.misspelt if box is not None else ():
        yield RULE.finding(
            launch.document,
            one.span,
            f"there is no option {one.written}; {one.meant} is meant",
            fix=repair(f"write {one.meant}", [one.edit] if one.edit else None, safe=True),
        )
