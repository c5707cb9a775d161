"""An option that the launcher does not have.

## What it flags

A word in front of the program that looks like an option of `torchrun`, `accelerate launch` or
`deepspeed` and is none in any release that cfglint knows, or a shortened one that could mean
several, or an option and its value in one word (`"--nproc_per_node 8"` in a list). So is an option
that the release which the tree pins does not have (dashes came to torchrun with torch 2.0), and one
without its two hyphens: `nproc_per_node=8`, `-nproc_per_node 8`, or with the long dash that a text
editor or web page made of them. What stands behind the program belongs to the program and is not
judged.

## Why it fails

    torchrun: error: unrecognized arguments: --nproc_per_nod=8
    deepspeed: error: unrecognized arguments: --num-gpus

or the launcher takes the word for its program. Spellings differ: `torchrun` and `accelerate` take
dashes and underscores, `deepspeed` underscores only.

## Example

    torchrun --nproc_per_gpu=8 train.py

Repair: the launcher's own option.

    torchrun --nproc_per_node=8 train.py

## References

- The tables come from the launchers' own argument parsers (torch 2.0 to 2.13, accelerate 0.27 to
  1.15, DeepSpeed 0.14.5 to 0.19.8)."""

from collections.abc import Iterator

from cfglint.programs.unknown_options import of_other_releases, unknown_options
from cfglint.project import Project
from cfglint.rule import ERROR, Finding, Launch, Literal, Rule, repair

RULE = Rule(
    code="RUN003",
    name="launcher-unknown-flag",
    severity=ERROR,
    summary="an option that the launcher does not have",
    fix="safe",
    symptoms=(
        r"(?:torchrun|accelerate|deepspeed|launch\.py|run\.py).*"
        r"error: unrecognized arguments: (?P<value>\S+)",
        r"error: ambiguous option: (?P<value>\S+) could match",
    ),
    cause="The launcher stops at once: unrecognized arguments.",
)
_NO_FILE = "An option begins with two plain hyphens; Python finds no file of this name."


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """Each word in front of the program that is no option of the launcher."""
    for one in unknown_options(launch):
        if one.joined:
            yield RULE.finding(
                launch.document,
                one.word.span,
                f"{one.text!r} is one word: {launch.launcher} takes it for its program",
                cause="No shell splits a list's items; argparse knows no option with a blank.",
                help="Make the option and its value two items.",
                fix=repair("make it two items", one.word.split(), safe=True),
            )
            continue
        message = f"{launch.launcher} has no option {one.text}"
        if one.could:
            message = f"{one.text} could mean {', '.join(one.could[:4])}"
        if one.as_program:
            message = f"{launch.launcher} takes {one.text} for its program"
        written = one.word.place.write(Literal(one.spelt)) if one.spelt else None
        yield RULE.finding(
            launch.document,
            one.word.span,
            message,
            cause=_NO_FILE if one.as_program else None,
            help=f"{one.meant} is meant."
            if one.meant
            else "See the launcher's --help for what it takes.",
            fix=repair(f"write {one.spelt}", written, safe=True),
        )
    for other in of_other_releases(launch, project):
        spelt = other.option.rename(other.meant) if other.meant else None
        package = f"{launch.launcher} of " if other.version.package == "torch" else ""
        yield RULE.finding(
            launch.document,
            other.option.key_span or other.option.span,
            f"{package}{other.version.title} has no option {other.option.key}",
            help=f"{other.meant} is what it takes." if other.meant else "Leave it out.",
            fix=repair(f"write {other.meant}", spelt, safe=True),
        )
