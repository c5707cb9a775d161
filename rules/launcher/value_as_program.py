"""A config or a stray value where the launcher takes its program from.

## What it flags

- A YAML or JSON file in the place of the script: `accelerate launch config.yaml train.py`.
- A bare word in front of the script: `--gpu_ids 0, 1 train.py`, where a blank cut the value off, or
  `--fsdp_transformer_layer_cls_to_wrap A B train.py`, where the option takes one word.

A word that is a file of the project is left alone, and so is everything behind `--no_python`.

## Why it fails

The launcher runs the first word that is no option with Python; the script becomes its argument:

    python: can't open file '/app/1': [Errno 2] No such file or directory
    NameError: name 'LOCAL_MACHINE' is not defined

## Example

    accelerate launch accelerate.yaml train.py

Repair: the option that the file belongs to.

    accelerate launch --config_file accelerate.yaml train.py

## References

torch, distributed/run.py; accelerate, commands/launch.py; DeepSpeed, launcher/runner.py: the
positional arguments of each; huggingface/accelerate#77.
"""

import re
from collections.abc import Iterator
from itertools import takewhile

from cfglint.project import Project
from cfglint.rule import ERROR, Finding, Fix, Launch, Literal, Rule, Word, repair

RULE = Rule(
    code="RUN022",
    name="value-as-program",
    severity=ERROR,
    summary="a config or a stray value where the launcher takes its program from",
    fix="safe",
    symptoms=(
        r"can't open file '(?:.*/)?[\w,]+': \[Errno 2\] No such file or directory",
        r"NameError: name '(LOCAL_MACHINE|false|true|null)' is not defined",
    ),
    help="Write the program's name right behind the launcher's options.",
    yields_to=("RUN005", "RUN010", "ACC005"),
)
_CONFIG = re.compile(r".+\.(?:ya?ml|json)")
_BARE = re.compile(r"[A-Za-z0-9_,]+")


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """The first word that is no option, where it can be no program."""
    program, command = launch.program, launch.command
    if launch.launcher not in ("torchrun", "accelerate", "deepspeed") or program is None:
        return
    if command is None or program.word is None or program.kind == "module":
        return
    text = program.word.text or ""
    if not (_BARE.fullmatch(text) or _CONFIG.fullmatch(text)):
        return
    if {"no_python", "module"} & {*command.given} or command.unknown or command.opaque:
        return
    words = [program.word, *program.args]
    strays = list(takewhile(lambda word: _BARE.fullmatch(word.text or ""), words))
    script = (words[len(strays)].text or "") if len(strays) < len(words) else ""
    fix: Fix | None = None
    if not strays and _CONFIG.fullmatch(text):
        if launch.launcher == "accelerate" and "config_file" not in command.given and program.args:
            put = command.insert("--config_file", program.word.raw)
            fix = repair("give it as --config_file", program.word.place.remove(), put, safe=True)
    elif strays and script.endswith(".py") and not program.text.startswith("python"):
        if project.exists(launch.document, program.text) is not False:
            return
        fix = _joined(launch, strays)
    else:
        return
    yield RULE.finding(
        launch.document,
        program.span,
        f"{launch.launcher} takes {program.text} for the program",
        cause="Python is given it as the script; all that follows is its arguments.",
        fix=fix,
    )


def _joined(launch: Launch, strays: list[Word]) -> Fix | None:
    """A list that blanks behind its commas cut into words, as one word."""
    at = launch.argv.index(strays[0])
    pieces = [launch.argv[at - 1], *strays]
    if any(not (word.text or "").endswith(",") for word in pieces[:-1]):
        return None
    whole = "".join(word.text or "" for word in pieces)
    edits = [pieces[0].place.write(Literal(whole)), *(word.place.remove() for word in strays)]
    return repair(f"write {whole}", *edits, safe=True)
