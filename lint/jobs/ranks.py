"""Which nodes of a job have one rank: those of two places that say the same, those that one command
starts.

Sources: facts on torchrun (the static rendezvous takes the rank that it is given), Slurm's
SLURM_NODEID, pdsh's %n.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cfglint.model.launch import Launch, Setting
from cfglint.model.values import Computed, Value, Variable
from cfglint.project import Project, node_number
from cfglint.record import dataclass


@dataclass(frozen=True, slots=True)
class Twin:
    """A node's rank that another node of its job has, too. `own` is the rank that the node's file
    says by its name, or its line by its place, where no other has it; None else."""

    rank: Setting
    other: Setting
    own: int | None


@dataclass(frozen=True, slots=True)
class Everywhere:
    """A rank in a command that several nodes run, a literal or (under "replicas") what Compose
    fills in.

    `by` starts it on them: "srun", "pdsh", "pods", "replicas" (containers of one Compose service),
    "ssh" (one line each) or "loop"; `nodes` is their number, where it is known, `hosts` the loop's
    variable as it is written (`$host`). `own` is the value that is each node's own number
    there, None where there is none or it is written elsewhere.
    """

    rank: Setting
    by: str
    nodes: int | None = None
    hosts: str = ""
    own: Value | None = None


def twins(project: Project) -> Iterator[Twin]:
    """For each job of a project, the nodes whose rank another one has."""
    for job in project.jobs():
        static = [x for x in job if x.is_static and x.get("node_rank") is not None]
        firsts: dict[int | None, list[Launch]] = {}  # of each rank, from two places
        for launch in static:
            known = firsts.setdefault(launch.settings["node_rank"].number, [])
            if len(known) < 2 and all(_same(launch, x) for x in known):
                known.append(launch)
        for launch in static:
            rank = launch.settings["node_rank"]
            twin = next((x for x in firsts[rank.number] if _same(x, launch)), None)
            if twin is not None and rank.number is not None:
                yield Twin(rank, twin.settings["node_rank"], _own(launch, static))


def everywhere(project: Project) -> Iterator[Everywhere]:
    """The commands of a project whose literal rank several nodes get."""
    for launch in project.launches:
        yield from _everywhere(launch)


def _same(one: Launch, other: Launch) -> bool:
    """Whether two places give the same rank (a shared place is one file that every node runs)."""
    a, b = one.get("node_rank"), other.get("node_rank")
    if a is None or b is None:
        return False
    return a.number == b.number and (a.document, a.span) != (b.document, b.span)


def _own(launch: Launch, job: list[Launch]) -> int | None:
    number = node_number(launch.started_in.path)
    if all(x.started_in is launch.started_in for x in job):
        number = sorted(job, key=lambda x: x.started_at.start).index(launch)
    ranks = {x.settings["node_rank"].number for x in job}
    is_free = number is not None and number not in ranks and number < (launch.machines() or 0)
    return number if is_free else None


def _is_filled_in(rank: Setting) -> bool:
    """Whether Compose fills in the rank, from where it runs: with one value for all containers of a
    service."""
    given = isinstance(rank.value, Variable) and rank.document.kind == "compose"
    return given and re.fullmatch(r"\$(?:\w+|\{\w+[^{}]*\})", rank.raw) is not None


def _everywhere(launch: Launch) -> Iterator[Everywhere]:
    rank = launch.get("node_rank")
    if rank is None or not launch.is_static or not launch.is_multinode:
        return
    box = launch.container
    copies = box.replicas.number if box is not None and box.replicas is not None else None
    if (copies or 0) > 1 and (rank.number is not None or _is_filled_in(rank)):
        yield Everywhere(rank, "replicas", copies)
    if rank.number is None:
        return
    if launch.container is not None and (launch.container.pods or 0) > 1:
        if rank.origin != "env":  # an operator may overwrite a variable
            yield Everywhere(rank, "pods", launch.container.pods)
        return
    hosts = _hosts(launch, rank) if launch.host else []
    if hosts and launch.host == hosts[0]:
        yield Everywhere(rank, "ssh", len(hosts))
    if any(
        x.document is launch.document and not x.overlaps(launch) and not _same(x, launch)
        for x in launch.peers
    ):
        return  # a line for each node: slurm-srun-sequential's fault
    nodes = launch.nodes.number if launch.nodes is not None else None
    is_here = rank.used_at is None
    if "srun" in launch.wrappers and (nodes or 0) > 1 and launch.tasks != 1:
        per_node = is_here and launch.evaluated == "node"
        yield Everywhere(rank, "srun", nodes, own=Variable("SLURM_NODEID") if per_node else None)
    elif "pdsh" in launch.wrappers:
        # pdsh fills it in, in its own command.
        fills = launch.flow and launch.flow[-1].script.document is rank.document
        yield Everywhere(rank, "pdsh", own=Computed("%n") if is_here and fills else None)
    elif launch.in_every_turn and "$" in launch.host:
        yield Everywhere(rank, "loop", hosts=launch.host)


def _hosts(launch: Launch, rank: Setting) -> list[str]:
    """The hosts to which one file sends what gives one rank at one place, in the order of its text;
    none where they are one, or not known by their names."""
    here = launch.started_in
    sent = [x for x in (launch, *launch.peers) if x.host and x.started_in is here]
    places = (x.get("node_rank") for x in sent)
    alike = all(x and (x.document, x.span) == (rank.document, rank.span) for x in places)
    sent.sort(key=lambda x: x.started_at.start)
    hosts = list(dict.fromkeys(x.host for x in sent))
    return hosts if alike and len(hosts) > 1 and not any("$" in host for host in hosts) else []
