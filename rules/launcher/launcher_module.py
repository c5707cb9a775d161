"""A launcher that `python -m` does not find.

## What it flags

`python -m torchrun`, `python -m accelerate launch`, `python -m deepspeed` and
`python -m torch.distributed.launcher`: the first is the name of a command and of no module, the others
are packages that cannot be run. A module of the tree with that name is left alone.

## Why it fails

    python: No module named torchrun
    python: No module named accelerate.__main__; 'accelerate' is a package and cannot be directly executed

## Example

    python -m torchrun --standalone --nproc_per_node=2 train.py

Repair: the module that the command runs.

    python -m torch.distributed.run --standalone --nproc_per_node=2 train.py

## References

Run with torch 2.14, accelerate 1.15 and DeepSpeed 0.19.
"""

from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import ERROR, Finding, Launch, Literal, Rule, repair

RULE = Rule(
    code="RUN024",
    name="launcher-module",
    severity=ERROR,
    summary="a launcher that `python -m` does not find",
    fix="safe",
    symptoms=(
        r"No module named torchrun",
        r"No module named (?:accelerate|deepspeed|torch\.distributed\.launcher)\.__main__",
    ),
    help="Give -m the module that the command runs.",
)
_MEANT = {
    "torchrun": "torch.distributed.run",
    "torch.distributed.launcher": "torch.distributed.launch",
    "accelerate": "accelerate.commands.launch",
    "deepspeed": "deepspeed.launcher.runner",
}


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """A launcher that is started as a module."""
    first = launch.argv[0].raw if launch.argv else ""
    if launch.launcher not in ("torchrun", "accelerate", "deepspeed") or "python" not in first:
        return
    for flag, module, behind in zip(launch.argv, launch.argv[1:], launch.argv[2:], strict=False):
        if flag.text != "-m":
            continue
        meant = _MEANT.get(module.text or "")
        if meant is None or _of_their_own(launch, project, module.text or ""):
            return
        edits = [module.place.write(Literal(meant))]
        if module.text == "accelerate":
            edits.append(behind.place.remove())
        yield RULE.finding(
            launch.document,
            module.span,
            f"python -m finds no program called {module.text}",
            cause=f'It stops: "No module named {module.text}'
            + ('".' if module.text == "torchrun" else '.__main__".'),
            fix=repair(f"run {meant}", *edits, safe=True),
        )
        return


def _of_their_own(launch: Launch, project: Project, module: str) -> bool:
    """Whether the tree holds a module of that name."""
    path = module.replace(".", "/")
    return any(project.exists(launch.document, path + end) for end in (".py", "/__main__.py"))
