"""Options of docker run behind the image.

## What it flags

`docker run` (or podman) with options of its own between the image and the program: `--gpus`,
`--shm-size`, `--ipc`, `--network` and the like. Other options behind the image belong to the
image's entrypoint and are left alone.

## Why it fails

Everything behind the image is the command of the container, which gets neither the GPUs nor the
memory:

    exec: "--gpus": executable file not found in $PATH: unknown

An image with an entrypoint passes them to that, which knows no such option.

## Example

    docker run --rm train:1.4 --gpus all --ipc=host torchrun --standalone --nproc_per_node=4 train.py

Repair: docker's options in front of the image.

    docker run --gpus all --ipc=host --rm train:1.4 torchrun --standalone --nproc_per_node=4 train.py

## When to ignore it

When the image's entrypoint takes these options itself.

## References

- Docker: docker run [OPTIONS] IMAGE [COMMAND] [ARG...]; pytorch/serve#1726.
"""

from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import ERROR, Finding, Launch, Rule, repair

RULE = Rule(
    code="BOX012",
    name="docker-option-order",
    severity=ERROR,
    summary="options of docker run behind the image, where the container's command gets them",
    fix="safe",
    symptoms=(r'exec: "-[\w-]+": executable file not found in \$PATH',),
    cause="The container's command gets them: executable file not found.",
    help="Write them in front of the image.",
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """The options of a launch's container that its image's command gets."""
    box = launch.container
    if box is None or box.misplaced is None:
        return
    edits = box.to_front() if box.to_front is not None else None
    yield RULE.finding(
        launch.document,
        box.misplaced,
        f"options of docker behind the image {box.image}",
        fix=repair("write them in front of the image", edits, safe=True),
    )
