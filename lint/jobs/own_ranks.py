"""Nodes that no launcher starts: a program that meets the others by RANK and WORLD_SIZE alone.

A rank is one process then, and RANK its number. That several of them are nodes of one job, files
called after nodes show, or the containers of one file.

Source: torch `rendezvous.py` (`env://`: MASTER_ADDR, MASTER_PORT, WORLD_SIZE, RANK).
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator

from cfglint.model.launch import Launch, Setting
from cfglint.model.values import Literal
from cfglint.network import addresses
from cfglint.project import ROLE, stem_of_node_file
from cfglint.record import replace


def names(launch: Launch) -> set[str]:
    """The files after which a node may be called: the one that starts it, and its config."""
    configs = [c.document.path for c in launch.configs if c.role == "accelerate" and c.document]
    return {launch.started_in.path, *configs}


def called_after(path: str) -> str:
    """The path after which a node is called; node1/run.sh is run.sh@node1, as its name says
    nothing of the node and its folder's does."""
    folder, _, name = path.rpartition("/")
    around, _, holder = folder.rpartition("/")
    if stem_of_node_file(name) is None and ROLE.search(holder.replace("_", " ")):
        return f"{around}/{name}@{holder}"
    return path


def stem(called: str) -> str | None:
    """A node file's name without what tells the node from others, its number or its role (master,
    worker); None where nothing does."""
    numbered = stem_of_node_file(called)
    if numbered is not None:
        return numbered
    folder, _, name = called.rpartition("/")
    shape, count = ROLE.subn("#", name)
    return f"{folder}/{shape}" if count else None


def own_ranks(launches: list[Launch]) -> Iterator[list[Launch]]:
    """The groups of programs that are ranks of one job. Each gets its RANK for a node's."""
    by_stem: dict[tuple[str, str], list[Launch]] = defaultdict(list)
    by_unit: dict[tuple[str, ...], list[Launch]] = defaultdict(list)
    for launch in launches:
        if launch.launcher != "python" or not _is_ranked(launch):
            continue
        program = os.path.basename(launch.program.text) if launch.program is not None else ""
        address = launch.address
        if address is None:
            continue
        shape = stem(called_after(launch.started_in.path))
        if shape is not None and not addresses.is_loopback(address.text or ""):
            by_stem[shape, program].append(launch)
        elif shape is None and launch.container is not None:
            unit, port = launch.started_in.unit[0].path, launch.port
            written = repr(port.value) if port is not None else ""
            by_unit[unit, program, repr(address.value), written].append(launch)
    for group in (*by_stem.values(), *by_unit.values()):
        sizes = {x.env["WORLD_SIZE"].number for x in group}
        if sizes != {len(group)} or len(group) < 2:
            continue
        if any(not 0 <= (x.env["RANK"].number or 0) < len(group) for x in group):
            continue  # rank-out-of-range's fault
        for launch in group:
            rank = launch.env["RANK"]
            launch.settings["node_rank"] = replace(rank, name="node_rank")
            launch.settings["rdzv_backend"] = Setting(
                "rdzv_backend", Literal("static"), rank.document, rank.span, "rdzv_backend"
            )
        yield group


def _is_ranked(launch: Launch) -> bool:
    """Whether a program is told outright which rank it is, of how many."""
    known = all(
        name in launch.env and launch.env[name].number is not None
        for name in ("RANK", "WORLD_SIZE")
    )
    box = launch.container
    copied = box is not None and (box.pods is not None or box.replicas is not None)
    return known and not copied and not launch.in_every_turn and "mpirun" not in launch.wrappers
