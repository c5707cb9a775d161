"""An option that the launcher does not have.

## What it flags

A word in front of the program that looks like an option of `torchrun`, `accelerate launch` or
`deepspeed` and is none in any release that cfglint knows, or a shortened one that could mean
several, or an option and its value in one word (`"--nproc_per_node 8"` in a list). What stands behind the program belongs to the program and is not judged.

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

from cfglint.project import Project
from cfglint.rule import ERROR, Finding, Fix, Launch, Literal, Rule, Word, near, repair

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
# What other launchers call the same thing.
_ELSEWHERE = {
    ("torchrun", "nproc_per_gpu"): "--nproc_per_node",
    ("torchrun", "num_processes"): "--nproc_per_node",
    ("torchrun", "num_gpus"): "--nproc_per_node",
    ("torchrun", "num_nodes"): "--nnodes",
    ("torchrun", "num_machines"): "--nnodes",
    ("torchrun", "main_process_port"): "--master_port",
    ("torchrun", "main_process_ip"): "--master_addr",
    ("torchrun", "machine_rank"): "--node_rank",
    ("deepspeed", "nproc_per_node"): "--num_gpus",
    ("deepspeed", "num_processes"): "--num_gpus",
    ("deepspeed", "nnodes"): "--num_nodes",
    ("deepspeed", "main_process_port"): "--master_port",
    ("accelerate", "nnodes"): "--num_machines",
    ("accelerate", "node_rank"): "--machine_rank",
    ("accelerate", "master_addr"): "--main_process_ip",
    ("accelerate", "master_port"): "--main_process_port",
}


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """Each word in front of the program that is no option of the launcher."""
    command = launch.command
    if command is None or command.opaque:
        return
    for word in command.unknown:
        text = word.text
        if text is None or not text.startswith("--") or len(text) < 4:
            continue
        meant = _meant(launch, text)
        several = sorted(
            {s for s in command.spellings if s.startswith(text) and "_" not in text[2:]}
        )
        if launch.launcher != "accelerate" and len(several) > 1:
            message = f"{text} could mean {', '.join(several[:4])}"
        else:
            message = f"{launch.launcher} has no option {text}"
        name, blank, _ = text.partition(" ")
        if blank and name in command.spellings:
            yield RULE.finding(
                launch.document,
                word.span,
                f"{text!r} is one word: {launch.launcher} takes it for its program",
                cause="No shell splits a list's items; argparse knows no option with a blank.",
                help="Make the option and its value two items.",
                fix=repair("make it two items", word.split(), safe=True),
            )
            continue
        yield RULE.finding(
            launch.document,
            word.span,
            message,
            help=f"{meant} is meant." if meant else "See the launcher's --help for what it takes.",
            fix=_fix(launch, text, meant, word),
        )


def _meant(launch: Launch, text: str) -> str | None:
    assert launch.command is not None
    plain = text[2:].replace("-", "_")
    known = _ELSEWHERE.get((launch.launcher, plain))
    if known:
        return known
    spellings = [s for s in launch.command.spellings if s.startswith("--")]
    exact = next((s for s in spellings if s[2:].replace("-", "_") == plain), None)
    if exact:
        return exact
    names = {s[2:].replace("-", "_"): s for s in spellings if "-" not in s[2:]}
    found = near(plain, set(names))
    return names.get(found) if found else None


def _fix(launch: Launch, text: str, meant: str | None, word: Word) -> Fix | None:
    if meant is None or launch.command is None:
        return None
    spelt = meant
    dashed = "--" + meant[2:].replace("_", "-")
    if "_" not in text[2:] and dashed in launch.command.spellings:
        spelt = dashed  # as the rest of the line is written
    return repair(f"write {spelt}", word.place.write(Literal(spelt)), safe=True)
