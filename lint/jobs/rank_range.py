"""Ranks of nodes that are none of 0 to nnodes - 1, and what they were meant to be.

Sources: facts on torchrun a (the static rendezvous takes the rank that it is given), accelerate b
(the rank of one machine is not looked at); DeepSpeed, launcher/runner.py (the rank counts under
--no_ssh alone).
"""

from __future__ import annotations

from collections.abc import Iterator

from cfglint.model.edit import Fix
from cfglint.model.launch import Launch, Setting
from cfglint.model.values import default_int
from cfglint.record import dataclass
from cfglint.rule import repair


@dataclass(frozen=True, slots=True)
class Outside:
    """A rank that a job of `size` nodes does not have. `in_branch`: one branch of several gives it.
    `unread`: the launcher does not even look at it, since the job has one machine. `fix` is None
    where no other number is plainly meant."""

    rank: Setting
    number: int
    size: int
    in_branch: bool = False
    unread: bool = False
    fix: Fix | None = None


def outside(launch: Launch) -> Iterator[Outside]:
    """The literal ranks of a launch, one for each branch, that are out of range."""
    rank = launch.get("node_rank")
    size = launch.machines()
    if rank is None or size is None or not launch.is_static:
        return
    if rank.branches:
        yield from _of_branches(launch, rank, size)
    # What Compose fills in from .env is what the variable holds where nobody sets it anew.
    number = default_int(rank.value) if rank.document.kind == "dotenv" else rank.number
    if number is None:
        return
    nnodes = launch.get("nnodes")
    if nnodes is not None and nnodes.number is None:
        return  # a default that the environment may raise
    if launch.withholds("nnodes"):
        return  # env-not-exported says so: there are more nodes than the launcher is told
    if "standalone" in launch.settings:
        return
    if launch.launcher == "deepspeed" and not (launch.command and "no_ssh" in launch.command.given):
        return
    if launch.launcher == "accelerate" and size == 1:
        if number and launch.complete:
            yield Outside(rank, number, size, unread=True)
    elif number < 0:
        yield Outside(rank, number, size)
    elif number >= size and (size > 1 or launch.launcher != "env"):
        fix = _one_based(launch, size) if size > 1 else _only(launch)
        yield Outside(rank, number, size, fix=fix)


def process_outside(launch: Launch) -> Outside | None:
    """The literal RANK of a program that meets the others by itself, where its WORLD_SIZE has no
    such rank; None where it has."""
    rank, number = _process_rank(launch)
    whole = launch.env.get("WORLD_SIZE")
    size = whole.number if whole is not None else None
    if rank is None or number is None or size is None or size < 2 or 0 <= number < size:
        return None
    beside = [_process_rank(x) for x in launch.document.launches]
    numbers = sorted(n for _, n in beside if n is not None)
    one_based = numbers == list(range(1, size + 1))
    fix = _from_zero([r for r, _ in beside if r is not None]) if one_based else None
    return Outside(rank, number, size, fix=fix)


def _process_rank(launch: Launch) -> tuple[Setting | None, int | None]:
    if launch.launcher not in ("python", "env") or "MASTER_ADDR" not in launch.env:
        return None, None
    if launch.container is not None and launch.container.pods is not None:
        return None, None  # an operator may overwrite it
    rank = launch.env.get("RANK")
    return rank, rank.number if rank is not None else None


def _of_branches(launch: Launch, rank: Setting, size: int) -> Iterator[Outside]:
    """What branches set the rank to, where the number of nodes does not hang on them."""
    nnodes = launch.get("nnodes")
    if nnodes is None or nnodes.number is None or size < 2:
        return
    known = [one for one in rank.each() if one.number is not None]
    all_one_based = sorted(one.number or 0 for one in known) == list(range(1, size + 1))
    for one in known:
        number = one.number or 0
        if not 0 <= number < size:
            fix = _from_zero(known) if all_one_based else None
            yield Outside(one, number, size, in_branch=True, fix=fix)


def _only(launch: Launch) -> Fix | None:
    """The rank of a job on one node, where the files say outright that it has one."""
    rank = launch.get("node_rank")
    if rank is None or launch.get("nnodes") is None:
        return None  # perhaps it is the number of nodes that was forgotten
    return repair("the only node has rank 0", rank.write("0"))


def _one_based(launch: Launch, size: int) -> Fix | None:
    """All ranks one less, where the nodes of the job have ranks 1 to n."""
    job = [launch, *launch.peers]
    ranks = [x.get("node_rank") for x in job]
    numbers = sorted(r.number for r in ranks if r is not None and r.number is not None)
    if size < 2 or numbers != list(range(1, size + 1)):
        return None
    return _from_zero([r for r in ranks if r is not None])


def _from_zero(ranks: list[Setting]) -> Fix | None:
    """All of these ranks one less."""
    edits = [rank.write(str((rank.number or 0) - 1)) for rank in ranks]
    return repair("number the nodes from 0", *edits)
