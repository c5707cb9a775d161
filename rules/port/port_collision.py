"""Two jobs that run at the same time on one machine use one port.

## What it flags

A script that starts a job in the background and another one before it waits, both on the same
rendezvous port (a default counts; torchrun from torch 2.12 on has none; a warning where a variable
of its own can give one of them another port), also by way of other scripts of the tree; two compose services, or replicas of one, that publish or share the same host
port. Reported at the later job, with the earlier as the related place. Jobs one after the
other, on different hosts, or with a launcher that picks a free port are left alone.

## Why it fails

    The server socket has failed to listen on any local network address. port: 29500 ... EADDRINUSE

accelerate 1.8 and newer falls back to a free port by itself when it finds the port taken; two starts in
the same instant both pass that check, and the loser dies.

## Example

    CUDA_VISIBLE_DEVICES=0,1 torchrun --nproc_per_node=2 --master_port=29500 train.py a.yaml &
    CUDA_VISIBLE_DEVICES=2,3 torchrun --nproc_per_node=2 --master_port=29500 train.py b.yaml &
    wait

Repair: a free port for each.

    CUDA_VISIBLE_DEVICES=0,1 torchrun --standalone --nproc_per_node=2 train.py a.yaml &
    CUDA_VISIBLE_DEVICES=2,3 torchrun --standalone --nproc_per_node=2 train.py b.yaml &
    wait
"""

from collections.abc import Iterator

from cfglint.compose.publications import Publication, publications
from cfglint.jobs.contention import Contention, contentions
from cfglint.project import Project
from cfglint.rule import ERROR, WARNING, Finding, Related, Rule, repair

RULE = Rule(
    code="PORT002",
    name="port-collision",
    severity=ERROR,
    summary="two jobs that run together on one machine use one port",
    fix="safe",
    unsafe_too=True,
    symptoms=(
        r"EADDRINUSE",
        r"[Aa]ddress already in use",
        r"Tried to launch distributed communication on port",
        r"port is already allocated",
    ),
    cause="The second job dies with EADDRINUSE (address already in use).",
    help="Give each job a free port: 0 for accelerate, --standalone for torchrun.",
)


def check_project(project: Project) -> Iterator[Finding]:
    """Each launch whose port an earlier one still holds, or another copy of it."""
    yield from map(_published, publications(project))
    for found in contentions(project):
        document, span = found.place
        yield RULE.finding(
            document,
            span,
            _message(found),
            severity=ERROR if found.is_certain else WARNING,
            fix=found.other_port(project),
            related=found.beside,
        )


def _message(found: Contention) -> str:
    """Who holds the port that the later job wants."""
    later, number = found.later, found.port
    if found.copies is not None and later.container is not None:
        copies = f"{found.copies.number} copies"
        return f"{copies} of {later.container.name} share port {number} of the host"
    held = f"which the job of {found.earlier_line} holds at the same time"
    if found.caller is not None:
        name = later.document.path
        if found.is_repeated:
            return f"the loop starts {name} again while it still holds port {number}"
        return f"{name} takes port {number}, {held}"
    if found.is_repeated and later.many:
        return f"{later.wrappers[-1]} starts several of this job at a time, all on port {number}"
    if found.is_repeated:
        return f"the loop starts this job again while the last one still holds port {number}"
    default = "" if later.port is not None else ", the launcher's default"
    return f"port {number}{default if found.is_certain else ' by default'}, {held}"


def _published(taken: Publication) -> Finding:
    """A port of the host that two services publish, or copies of one."""
    port, name, copies = taken.port, taken.name, f"{taken.copies} copies"
    message = f"{name} publishes port {port.host} of the host, too"
    help = "Publish another port of the host, or name the container's port alone."
    if taken.copies:
        message = f"{copies} of {name} want port {port.host} of the host"
        help = "Name the container's port alone; Docker picks one of the host's."
    beside = copies if taken.copies else "published here as well"
    edits = port.unpublish() if port.unpublish is not None else None
    return RULE.finding(
        port.document or taken.launch.document,
        port.span,
        message,
        cause=f"The second one does not start: port {port.host} is already allocated.",
        help=help,
        fix=repair("publish the container's port alone", edits),
        related=[Related(taken.document, taken.span, beside)],
    )
