"""Which launches are nodes of one job.

What the settings declare comes first, then launches of one file, files called after nodes, and
files that share a master.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable

from cfglint.files import discovery
from cfglint.jobs.own_ranks import called_after, names, own_ranks, stem
from cfglint.model.launch import Launch, Setting
from cfglint.model.nodes import in_turn
from cfglint.project import Project, is_node_file, master_key, named_node


def find_jobs(project: Project) -> None:
    """Find the launches that are nodes of one job and make them each other's peers."""
    launches = [x for x in project.launches if x.document.kind not in ("template", None)]
    groups: list[list[Launch]] = []
    taken: set[int] = set()
    for declared in project.settings.jobs:
        _take(groups, taken, [x for x in launches if _declared(project, declared.files, x)])
    by_master: dict[tuple[object, str], list[Launch]] = defaultdict(list)
    by_stem: dict[tuple[str, str, str], list[Launch]] = defaultdict(list)
    by_node: dict[tuple[str, str, str], list[tuple[int, Launch]]] = defaultdict(list)
    for launch in launches:
        ranked = _rank(launch) is not None
        if not (ranked or launch.effective("rdzv_backend") == "c10d"):
            continue  # c10d numbers the nodes, and their files alone say which is which
        if not (launch.is_multinode or _is_of_a_node(launch)):
            continue
        key = master_key(launch)
        if key is not None and ranked:
            by_master[key, _program(launch)].append(launch)
        for path in names(launch):
            called = called_after(path)
            shape, node = stem(called), named_node(called)
            if shape is not None and ranked:
                by_stem[shape, launch.launcher, _program(launch)].append(launch)
            if node is not None:
                by_node[node[0], launch.launcher, _program(launch)].append((node[1], launch))
    for group in _in_one_file(launches).values():
        apart = _side_by_side(group)
        if group[0].address is not None or _goes_elsewhere(group[0]):
            apart = apart or _ranks_differ(group) or _hosts_differ(group) or _pods_differ(group)
        if apart and len(group) <= (group[0].machines() or 0):
            _take(groups, taken, group)
    for group in by_stem.values():
        if _ranks_differ(group):
            _take(groups, taken, group)
    for numbered in by_node.values():
        group, numbers = [x for _, x in numbered], {number for number, _ in numbered}
        machines = group[0].machines() or 0
        if len(numbers) == len(group) <= machines >= max(numbers) and _same_size(group):
            _take(groups, taken, group)
    for group in by_master.values():
        if _same_size(group) and _near_each_other(group) and _are_nodes(group):
            _take(groups, taken, group)
    for group in own_ranks(launches):
        _take(groups, taken, group)
    for group in groups:
        for launch in group:
            launch.peers = [x for x in group if x is not launch]


def _is_of_a_node(launch: Launch) -> bool:
    """Whether an env file gives a rank and leaves the number of nodes to whoever reads it."""
    return launch.launcher == "env" and "nnodes" not in launch.settings


def _in_one_file(launches: list[Launch]) -> dict[tuple[object, ...], list[Launch]]:
    """Launches of one file or Compose project that dial one master, by how it is written; lines for
    several hosts, and torchrun's with its 127.0.0.1, count without a master too. Those that c10d
    numbers need no rank, but one id."""
    found: dict[tuple[object, ...], list[Launch]] = defaultdict(list)
    for launch in launches:
        address = launch.address
        if address is None and not _goes_elsewhere(launch) and launch.launcher != "torchrun":
            continue
        numbered = launch.effective("rdzv_backend") == "c10d"
        if launch.is_multinode and (numbered or launch.get("node_rank") is not None):
            master = repr(address.value) if address is not None else ""
            first = launch.started_in.unit[0].path
            one_id = repr(launch.value("rdzv_id")) if numbered else ""
            found[first, launch.launcher, launch.machines(), master, one_id].append(launch)
    return found


def _program(launch: Launch) -> str:
    """The name of the program that all nodes of a job run."""
    return os.path.basename(launch.program.text) if launch.program is not None else ""


def _goes_elsewhere(launch: Launch) -> bool:
    return not {"srun", "ssh"}.isdisjoint(launch.wrappers)


def _take(groups: list[list[Launch]], taken: set[int], group: Iterable[Launch]) -> None:
    fresh = [x for x in group if id(x) not in taken]
    if len({id(x) for x in fresh}) > 1:
        taken.update(map(id, fresh))
        groups.append(fresh)


def _declared(project: Project, globs: tuple[str, ...], launch: Launch) -> bool:
    path = os.path.relpath(launch.document.file, project.settings.root).replace(os.sep, "/")
    return discovery.matches(path, globs)


def _rank(launch: Launch) -> Setting | None:
    """The node's rank, for LLaMA-Factory under the name of other releases too: a node is meant."""
    rank = launch.get("node_rank")
    return launch.env.get("RANK") if rank is None and launch.launcher == "llamafactory" else rank


def _ranks_differ(group: list[Launch]) -> bool:
    ranks = [rank.number if (rank := _rank(x)) else None for x in group]
    return None not in ranks and len(set(ranks)) == len(ranks) and len(ranks) > 1


def _hosts_differ(group: list[Launch]) -> bool:
    hosts = {x.host for x in group}
    return "" not in hosts and len(hosts) == len(group) > 1


def _pods_differ(group: list[Launch]) -> bool:
    boxes = [x.container for x in group if x.container is not None and x.container.pods == 1]
    return len({id(box) for box in boxes}) == len(group) > 1


def _side_by_side(group: list[Launch]) -> bool:
    """Whether one machine runs as many commands at once as the job waits for, on one port."""
    port = {repr(x.port.value) if x.port else "" for x in group}
    least, most = group[0].machines_to_start() or 0, group[0].machines() or 0
    if not max(least, 2) <= len(group) <= most or len(port) > 1:
        return False
    return all(a.overlaps(b) for i, a in enumerate(group) for b in group[i + 1 :])


def _same_size(group: list[Launch]) -> bool:
    return len({x.machines() for x in group}) == 1


def _are_nodes(group: list[Launch]) -> bool:
    """Whether files that share a master are nodes of one job and not several jobs of one cluster:
    their ranks differ, they are called nodes, or they are the same but for the rank."""
    if len(group) > (group[0].machines() or 0) or any(map(in_turn, group, group[1:])):
        return False
    return _ranks_differ(group) or all(map(is_node_file, group)) or _twins(group)


def _twins(group: list[Launch]) -> bool:
    own = ("node_rank", "gpu_ids")
    said = {
        tuple(sorted((k, s.text or "?") for k, s in x.settings.items() if k not in own))
        for x in group
    }
    return len(said) == 1 and len({x.started_in.path for x in group}) == len(group)


def _near_each_other(group: list[Launch]) -> bool:
    """Whether the files lie in one folder or in sibling folders: far ones are other jobs' files."""
    parents = {os.path.dirname(os.path.dirname(os.path.abspath(x.document.file))) for x in group}
    folders = {os.path.dirname(os.path.abspath(x.document.file)) for x in group}
    return len(folders) == 1 or len(parents) == 1
