"""A hostfile that DeepSpeed's launcher does not read as it is meant.

## What it flags

In a hostfile of the form `host slots=8`: lines that are neither that, blank, nor a comment
(`host:8`, `slots = 8`), hosts named twice (errors), and `slots=0` (a warning: the host gets no
process). Text behind the number is not looked at by DeepSpeed. A list of bare names is some other
program's file and left alone, unless a launch gives it to DeepSpeed.

## Why it fails

    ValueError: Hostfile contains a bad entry: worker-1:8, unable to proceed with launching
    ValueError: Hostfile contains multiple entries for worker-1, unable to proceed with launching
    ValueError: Hostfile is empty or not formatted correctly, unable to proceed with launching.

## Example

    worker-1 slots=8
    worker-2:8

Repair: a blank and `slots=`.

    worker-1 slots=8
    worker-2 slots=8

## When to ignore it

When only mpirun reads the file. Placeholders (`x.x.x.x slots=8` in each line) may stand twice.

## References

DeepSpeed, launcher/runner.py: `_parse_hostfile`.
"""

from collections.abc import Iterator

from cfglint.model.edit import Edit
from cfglint.network import addresses
from cfglint.network.hostfiles import meant
from cfglint.project import Project
from cfglint.rule import ERROR, WARNING, Document, Finding, Related, Rule, Span, repair

RULE = Rule(
    code="DS011",
    name="hostfile-syntax",
    severity=ERROR,
    summary="a hostfile line that DeepSpeed's launcher refuses",
    fix="safe",
    kinds=("hostfile",),
    symptoms=(
        r"Hostfile contains a bad entry",
        r"Hostfile contains multiple entries for (?P<host>\S+?),",
        r"Hostfile is empty or not formatted correctly",
    ),
)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The lines that DeepSpeed refuses, and the hosts that it does not use."""
    hostfile = document.tree
    if not hostfile.hosts and not _is_deepspeeds(document, project):
        return
    for span in hostfile.bad:
        text = document.source.slice(span)
        line = meant(text)
        change = Edit(document.path, span, line) if line else None
        yield RULE.finding(
            document,
            span,
            f"{text!r} is no `host slots=N` line",
            cause='The launcher stops with "Hostfile contains a bad entry".',
            help="Write the host, a blank, and slots= with a number.",
            fix=repair(f"write {line}", change, safe=True),
        )
    seen: dict[str, Span] = {}
    for host in hostfile.hosts:
        if host.name in seen and not _is_to_replace(host.name):
            yield RULE.finding(
                document,
                host.span,
                f"{host.name} stands here twice",
                cause='The launcher stops with "Hostfile contains multiple entries".',
                help="Write each host once, with all its slots.",
                related=[Related(document, seen[host.name], "the first one")],
            )
        seen.setdefault(host.name, host.span)
        if host.slots == 0:
            yield RULE.finding(
                document,
                host.slots_span,
                f"{host.name} has no slots",
                severity=WARNING,
                cause="No process is started on it, without a message.",
                help="Write the number of its GPUs, or take the line out.",
            )


def _is_to_replace(name: str) -> bool:
    """Whether a name stands for hosts that somebody is to write there: `x.x.x.x` for each."""
    name = name.replace(",", ".")  # XX,XX,XX,XX
    return addresses.is_placeholder(name) and not addresses.is_documentation(name)


def _is_deepspeeds(document: Document, project: Project) -> bool:
    """Whether a launch gives the file to DeepSpeed's launcher."""
    return any(
        launch.launcher in ("deepspeed", "accelerate") and reference.document is document
        for launch in project.launches
        for reference in launch.configs
        if reference.role == "hostfile"
    )
