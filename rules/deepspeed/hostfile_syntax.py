"""A line of a DeepSpeed hostfile that the launcher does not take.

## What it flags

A line that is neither blank nor a comment nor begins with `HOST slots=NUMBER`; a host that stands
twice; and `slots=0` (a warning). Hostfiles that only mpirun reads are left alone.

## Why it fails

    ValueError: Hostfile contains a bad entry: worker-1 slots = 4, unable to proceed with launching
    ValueError: Hostfile contains multiple entries for worker-1, unable to proceed with launching

A host with `slots=0` is contacted and gets no process.

## Example

    worker-0 slots=8
    worker-1 slots = 8

Repair: no blanks around the sign.

    worker-0 slots=8
    worker-1 slots=8

## When to ignore it

When another program reads the file.

## References

- DeepSpeed, `launcher/runner.py`, `_parse_hostfile`.
"""

import re
from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import ERROR, WARNING, Document, Edit, Finding, Related, Rule, repair

RULE = Rule(
    code="DS011",
    name="hostfile-syntax",
    severity=ERROR,
    summary="a line of a hostfile that DeepSpeed does not take",
    fix="safe",
    kinds=("hostfile",),
    symptoms=(r"Hostfile contains a bad entry", r"Hostfile contains multiple entries for"),
    cause='The launcher stops: "Hostfile contains a bad entry".',
    help="One host a line: NAME slots=NUMBER.",
)
_MEANT = re.compile(r"(\S+?)(?:\s+slots\s*[=:]\s*|\s+slots\s+|\s*:\s*)(\d{1,3})$")


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    hosts, bad = document.tree.hosts, document.tree.bad
    users = {user.launcher for user in project.users(document)}
    if users and "deepspeed" not in users and "accelerate" not in users:
        return
    source = document.source
    if not users and not hosts and not any("slots" in source.slice(span) for span in bad):
        return  # names alone: a list for mpirun or pdsh
    for span in bad:
        meant = _MEANT.match(source.slice(span))
        edit = Edit(document.path, span, f"{meant[1]} slots={meant[2]}") if meant else None
        yield RULE.finding(
            document,
            span,
            f"not HOST slots=NUMBER: {source.slice(span)[:60]}",
            fix=repair("write slots=NUMBER", edit, safe=True),
        )
    seen = {}
    for host in hosts:
        if host.name in seen:
            yield RULE.finding(
                document,
                host.span,
                f"{host.name} stands here twice",
                cause='The launcher stops: "Hostfile contains multiple entries for ...".',
                related=[Related(document, seen[host.name], "the first time")],
            )
        seen.setdefault(host.name, host.span)
        if host.slots == 0:
            yield RULE.finding(
                document,
                host.slots_span,
                f"{host.name} gets no process: its slots are 0",
                severity=WARNING,
                cause="The host is contacted, and nothing runs there.",
            )
