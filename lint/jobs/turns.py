"""Nodes of one job that a script starts in turn, each when the one before has ended.

Sources: facts on Slurm (srun returns when its step ends), torchrun (the rendezvous waits for every
node).
"""

from __future__ import annotations

from collections.abc import Iterator

from cfglint.model.edit import Edit
from cfglint.model.launch import Launch
from cfglint.model.values import Alternatives, possible
from cfglint.project import Project
from cfglint.record import dataclass


@dataclass(frozen=True, slots=True)
class Turns:
    """The commands that start one job's nodes in turn, in the file's order: one in a loop, or one
    for each node."""

    job: tuple[Launch, ...]

    @property
    def are_pinned(self) -> bool:
        """Whether each command runs on one node, and not on all that the batch job has."""
        return all("srun" not in x.wrappers or x.tasks == 1 for x in self.job)

    def side_by_side(self) -> list[Edit] | None:
        """The edits that start all of them in the background and wait, None where they cannot."""
        edits: list[Edit] = []
        for launch in self.job:
            found = launch.to_background() if launch.to_background is not None else None
            if found is None:
                return None
            # The second edit is the wait, for which the last one's place is right.
            edits += found if launch is self.job[-1] else found[:1]
        return edits


def turns(project: Project) -> Iterator[Turns]:
    """The jobs of a project whose nodes one script starts in turn."""
    seen: set[int] = set()
    for launch in project.launches:
        if id(launch) in seen or not _starts_node(launch):
            continue
        if launch.in_loop and _varies(launch):
            yield Turns((launch,))
            continue
        nodes = (launch, *launch.peers)
        mine = (x for x in nodes if x.started_in is launch.started_in)
        job = [x for x in mine if _starts_node(x) or _runs_here(x)]
        job.sort(key=lambda x: x.started_at.start)
        if len(job) < 2 or len({_rank(x) for x in job}) < 2:
            continue
        seen.update(map(id, job))
        if all(not a.overlaps(b) for a in job for b in job if a is not b):
            yield Turns(tuple(job))


def _starts_node(launch: Launch) -> bool:
    """Whether a launch is one node of a job over several, started from a script by srun or ssh."""
    started = {"srun", "ssh"} & set(launch.wrappers)
    if not started or launch.background or launch.detached:
        return False
    if not launch.is_multinode and not _has_several_nodes(launch):
        return False
    if launch.launcher not in ("torchrun", "accelerate", "llamafactory"):
        return False
    nodes = launch.nodes.number if launch.nodes is not None else None
    return "ssh" in started or nodes == 1 or launch.tasks == 1 or _rank(launch) is not None


def _runs_here(launch: Launch) -> bool:
    """Whether a launch is a node that the script runs itself, and waits for."""
    here = launch.flow and not launch.wrappers and not launch.host
    return bool(here) and launch.is_multinode and not (launch.background or launch.detached)


def _has_several_nodes(launch: Launch) -> bool:
    """Whether a loop sends to one host after another what it gives one rank after another, where
    the number of nodes is computed (`--nnodes=${#nodes[@]}`)."""
    rank = launch.value("node_rank")
    ranks = set(possible(rank)) if isinstance(rank, Alternatives) else ()
    return len(ranks) > 1 and launch.in_loop and "$" in launch.host and launch.machines() is None


def _rank(launch: Launch) -> str | None:
    rank = launch.get("node_rank")
    return rank.text if rank is not None else None


def _varies(launch: Launch) -> bool:
    """Whether a loop gives each turn a rank of its own."""
    rank = launch.get("node_rank")
    return rank is not None and rank.text is None
