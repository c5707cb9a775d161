"""An assignment in front of a launcher where no shell takes it for one.

## What it flags

- Assignments behind a program that starts another one: `nohup`, `timeout`, `srun`, `mpirun`,
  `singularity exec`, `numactl`, `exec`, `uv run` and the like. A `cd` or `source` there, too.
- Assignments that a variable holds: `$ENVS torchrun ...`, `"${ENVS[@]}" torchrun ...`.
- Assignments behind a launcher, which takes the first one for the script: `torchrun X=1 train.py`.
- Assignments among the options of `docker run` that no `-e` hands over: docker takes the first one for
  the image.
- Assignments among the options of `swift`, which reads NPROC_PER_NODE and the like from the environment.

Assignments in front of such a program, behind `env` or `sudo`, and behind `time` in bash are left
alone. What a container starts is judged by `container-command-no-shell`.

## Why it fails

The program takes the first word for the name of what it should start:

    nohup: failed to run command 'CUDA_VISIBLE_DEVICES=0,1': No such file or directory
    slurmstepd: error: execve(): NCCL_DEBUG=INFO: No such file or directory

A shell looks for assignments before it expands variables:

    NCCL_DEBUG=INFO: command not found

A launcher hands the word to Python as the script:

    can't open file '/srv/job/NCCL_DEBUG=INFO': [Errno 2] No such file or directory

Docker knows no such image:

    docker: invalid reference format: repository name must be lowercase.

swift knows no such option:

    ValueError: remaining_argv: ['NPROC_PER_NODE=2']

## Example

    nohup CUDA_VISIBLE_DEVICES=0,1 torchrun --standalone --nproc_per_node=2 train.py > log 2>&1 &

Repair: `env` is a program that sets variables.

    nohup env CUDA_VISIBLE_DEVICES=0,1 torchrun --standalone --nproc_per_node=2 train.py > log 2>&1 &

## When to ignore it

When another program of the same name stands in the PATH, which takes assignments.

## References

- GNU coreutils: nohup, env, timeout; Bash manual 3.7.1, Simple Command Expansion.
- ms-swift 4.6.0, cli/main.py: get_torchrun_args; pipelines/base.py.
"""

import re
from collections.abc import Iterator
from itertools import pairwise, takewhile

from cfglint.project import Project
from cfglint.rule import ERROR, WARNING, Document, Finding, Launch, Rule, Word, repair

RULE = Rule(
    code="RUN021",
    name="assignment-as-program",
    severity=ERROR,
    summary="an assignment in front of a launcher where no shell takes it for one",
    fix="safe",
    unsafe_too=True,
    symptoms=(
        r"failed to run command .[A-Z_][A-Z0-9_]*=[^']*.: No such file or directory",
        r"execve\(\): (?:[A-Z_][A-Z0-9_]*=\S*|cd|source|export): No such file or directory",
        r"[A-Z_][A-Z0-9_]*=\S*: command not found",
        r"can't open file '(?:.*/)?[A-Z_][A-Z0-9_]*=[^/']*': \[Errno 2\]",
        r"docker: invalid reference format",
        r"remaining_argv: \['[A-Z_][A-Z0-9_]*=",
    ),
    cause="No such file or directory: the job does not start.",
    help="Write assignments in front of the whole command, or behind env.",
)
_MESSAGES = {
    "assignment": "{program} takes {text} for the name of a program",
    "builtin": "{program} starts programs, and {text} is a command of the shell's own",
    "expanded": "bash takes no assignments from {text}, and looks for a program of that name",
    "image": "{program} takes {text} for the name of the image",
}
_CAUSES = {
    "expanded": "Command not found: the job does not start.",
    "image": "Invalid reference format: no container starts.",
}
_NO_FIX = {
    "assignment": "the variable that holds it may be used elsewhere",
    "builtin": "what belongs to the shell's text is not known",
    "expanded": "the command is not written here",
    "image": "the command is a list",
}


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    for found in document.unshelled.values():
        if not found.program:
            continue
        title = "hand it over with -e" if found.what == "image" else "let env set it"
        yield RULE.finding(
            document,
            found.span,
            _MESSAGES[found.what].format(program=found.program, text=found.text),
            severity=WARNING if found.what == "builtin" else ERROR,
            cause=_CAUSES.get(found.what),
            fix=repair(title, found.edits, safe=True),
            no_fix="" if found.edits else _NO_FIX[found.what],
        )


_ASSIGNMENT = re.compile(r"[A-Z_][A-Z0-9_]*=(?!\()")  # an array stands for its items


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """Assignments between a launcher and the script, or among swift's own options."""
    own = launch.launcher == "swift"
    wrong = _among_options(launch) if own else _before_script(launch)
    if not wrong:
        return
    edits = []
    for word in wrong if len(wrong) == 1 else ():
        name, _, value = (word.text or "").partition("=")
        edits += [word.place.remove(), launch.set_env(name, value) if value else None]
    alone = len(launch.document.launches) == 1  # others would get it, too
    yield RULE.finding(
        launch.document,
        wrong[0].span,
        f"{launch.launcher} takes {wrong[0].raw} for {'an argument' if own else 'the script'}",
        cause="It stops: remaining_argv." if own else "Python finds no file of that name.",
        fix=repair("set it in front", *edits, safe=alone) if edits else None,
    )


def _before_script(launch: Launch) -> list[Word]:
    program = launch.program
    if program is None or program.word is None or not _ASSIGNMENT.match(program.word.raw):
        return []
    words = [program.word, *program.args]
    wrong = list(takewhile(lambda word: _ASSIGNMENT.match(word.raw), words))
    script = words[len(wrong)].text if len(wrong) < len(words) else None
    return wrong if (script or "").endswith(".py") else []


def _among_options(launch: Launch) -> list[Word]:
    """Those behind the sub-command, or behind the value of an option."""
    words = launch.program.args if launch.program is not None else ()
    assigned = [(a, b) for a, b in pairwise(words) if _ASSIGNMENT.match(b.raw)]
    return [word for before, word in assigned if not before.raw.startswith("-")]
