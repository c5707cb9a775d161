"""Two jobs that run at the same time on one machine use one port.

## What it flags

A script that starts a job in the background and another one before it waits, both on the same
rendezvous port (a default counts; torchrun from torch 2.12 on has none), also by way of other
scripts of the tree; two compose services, or replicas of one, that publish or share the same host
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

from cfglint import ports
from cfglint.edit import Fix
from cfglint.project import Project
from cfglint.rule import (
    ERROR,
    Document,
    Edit,
    Finding,
    Launch,
    Related,
    Rule,
    Span,
    Variable,
    default_int,
    repair,
)

RULE = Rule(
    code="PORT002",
    name="port-collision",
    severity=ERROR,
    summary="two jobs that run together on one machine use one port",
    fix="safe",
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
    for launch in project.launches:
        yield from _replicas(launch, project)
    yield from _started(project)
    holders: dict[tuple[int, int], list[Launch]] = {}
    for later in project.launches:
        number = _port(later, project)
        if number is None:
            continue
        earlier = holders.setdefault((number, id(later.document.unit[0])), [])
        earlier.append(later)
        for other in earlier:
            if _together(other, later):
                yield _finding(other, later, project)
                break


def _started(project: Project) -> Iterator[Finding]:
    """Jobs of scripts that another script starts side by side."""
    if all(document.kind not in ("script", "slurm") for document in project.documents):
        return
    from cfglint.started import started_scripts

    for caller, launches in started_scripts(project):
        held: list[tuple[Launch, int]] = []
        for later in launches:
            port, number = later.port, _port(later, project)
            if number is None and port is not None and not later.is_multinode:
                number = default_int(port.value)
            if number is None:
                continue
            same = [x for x, taken in held if taken == number and _together(x, later)]
            held.append((later, number))
            earlier = same[0] if same else later if _together(later, later) else None
            if earlier is None:
                continue
            related = [Related(caller, earlier.started_at, "the job that runs beside it")]
            if port is not None:
                related.append(Related(port.document, port.span, f"port {number}"))
            again = earlier is later
            fix = ports.free_port(later, project)
            if not again:
                own = _own_port(caller, later, number + len(same))
                fix = fix or own or _next_port(later, number)
            yield RULE.finding(
                caller,
                later.started_at,
                f"the loop starts {later.document.path} again while it still holds port {number}"
                if again
                else f"{later.document.path} takes port {number}, which the job of line"
                f" {caller.source.position(earlier.started_at.start)[0]} holds at the same time",
                related=related[again:],
                fix=fix,
            )


def _own_port(caller: Document, launch: Launch, number: int) -> Fix | None:
    """The script's port variable, set in front of the command that starts it."""
    port = launch.port
    if port is None or not isinstance(port.value, Variable):
        return None
    at = launch.started_at.start
    edit = Edit(caller.path, Span(at, at), f"{port.value.name}={number} ")
    return repair(f"start it with {port.value.name}={number}", edit)


def _replicas(launch: Launch, project: Project) -> Iterator[Finding]:
    """Copies of one container that publish the same port of the host, or share its network."""
    box = launch.container
    copies = box.replicas if box is not None else None
    if box is None or copies is None or (copies.number or 0) < 2 or box.kind != "compose":
        return
    related = [Related(copies.document, copies.span, f"{copies.number} copies")]
    for port in launch.network.ports:
        if port.host is None or port.host_last not in (None, port.host):
            continue
        edits = port.unpublish() if port.unpublish is not None else None
        yield RULE.finding(
            launch.document,
            port.span,
            f"{copies.number} copies of {box.name} want port {port.host} of the host",
            cause=f"The second one does not start: port {port.host} is already allocated.",
            help="Name the container's port alone; Docker picks one of the host's.",
            fix=repair("publish the container's port alone", edits),
            related=related,
        )
    number = _port(launch, project)
    if number is not None and launch.network.mode == "host" and launch.port is not None:
        yield RULE.at(
            launch.port,
            f"{copies.number} copies of {box.name} share port {number} of the host",
            related=related,
        )


def _port(launch: Launch, project: Project) -> int | None:
    """The port that a launch opens on its host, where it is known."""
    if not ports.matters(launch) or launch.is_multinode:
        return None
    if launch.machines() is None and launch.get("node_rank") is not None:
        return None  # perhaps one node of a job: its peers are meant to name the same port
    if launch.port is not None:
        return launch.port.number or None
    if launch.launcher == "torchrun":
        version = project.versions(launch.document, "torch")
        if not (version.pinned and version.before("2.12")):
            return None  # torch 2.12 and newer take a free port where none is given
    if launch.launcher in ("torchrun", "deepspeed", "accelerate"):
        text = launch.effective("master_port")
        return int(text) if text else None
    return None


def _together(earlier: Launch, later: Launch) -> bool:
    if _may_be_elsewhere(earlier) and _may_be_elsewhere(later):
        return False
    if earlier.overlaps(later):
        bare = earlier.container is None and later.container is None
        return bare or earlier.network.mode == later.network.mode == "host"
    if earlier is later or earlier.container is None or later.container is None:
        return False
    hosts = earlier.network.mode == later.network.mode == "host"
    return hosts and earlier.container.kind == "compose" and not earlier.peers


def _may_be_elsewhere(launch: Launch) -> bool:
    """Whether Slurm may put a step on any of several nodes."""
    nodes = launch.nodes.number if launch.nodes is not None else None
    return "srun" in launch.wrappers and nodes != 1


def _finding(earlier: Launch, later: Launch, project: Project) -> Finding:
    number = _port(later, project)
    fix = ports.free_port(later, project) or _next_port(later, number or 0)
    own = later.port
    span = own.span if own is not None and own.document is later.document else later.span
    place = (
        earlier.port.span
        if earlier.port and earlier.port.document is earlier.document
        else earlier.span
    )
    if place == span and earlier.document is later.document:  # two calls of one function
        place = earlier.started_at
        span = span if own is not None else later.started_at
        fix = ports.free_port(later, project)
    if earlier is later:
        message = f"the loop starts this job again while the last one still holds port {number}"
        related = []
        fix = ports.free_port(later, project)
    else:
        line = earlier.document.source.position(earlier.started_at.start)[0]
        default = "" if own is not None else ", the launcher's default"
        message = f"port {number}{default}, which the job of line {line} holds at the same time"
        related = [Related(earlier.document, place, "the job that runs beside it")]
    if own is not None and own.document is not later.document:
        return RULE.at(own, message, fix=fix, related=related)
    return RULE.finding(later.document, span, message, fix=fix, related=related)


def _next_port(launch: Launch, number: int) -> Fix | None:
    better = str(number + 1)
    edit = (
        launch.port.write(better) if launch.port is not None else launch.add("master_port", better)
    )
    return repair(f"use port {better}", edit)
