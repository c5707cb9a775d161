"""Putting launches together: a command with the config it names, the nodes of one job."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from cfglint.files import discovery
from cfglint.jobs.own_ranks import called_after, names, own_ranks, stem
from cfglint.model.document import Document
from cfglint.model.launch import Launch, Setting
from cfglint.model.nodes import in_turn
from cfglint.project import (
    Loader,
    Project,
    is_node_file,
    master_key,
    named_node,
)
from cfglint.record import replace
from cfglint.settings import Settings


def linked(documents: list[Document], settings: Settings, root: Path, load: Loader) -> Project:
    """A project with its launches."""
    project = Project(documents, settings, root, load)
    project.search = search_users
    link(project)
    return project


def link(project: Project) -> None:
    """Resolve references, join commands with their configs, group the nodes of jobs."""
    if any(document.kind == "compose" for document in project.documents):
        from cfglint.compose.project import assemble

        assemble(project)
    for document in list(project.documents):
        for reference in document.links:
            # What another file extends is judged there, with what that file says.
            if reference.role == "compose-extended" and reference.document is not None:
                reference.document.launches.clear()
                reference.document.scripts.clear()
    for document in list(project.documents):
        if any(reference.role == "sourced" for reference in document.links):
            _sourced(project, document)
    for document in list(project.documents):
        if document.given and any(_is_a_node(launch) for launch in document.launches):
            from cfglint.jobs import siblings

            siblings.read(project, document)
    for document in list(project.documents):
        if document.given and any(map(_lacks_master, document.launches)):
            _read_containers(project, document)
    if project.settings.jobs:
        from cfglint.files.mentions import files
        from cfglint.jobs import siblings

        siblings.read_declared(project, files(project))
    boxed = any(document.scripts for document in project.documents)
    if boxed:
        from cfglint.jobs.surroundings import read_scripts

        read_scripts(project)
    started = _started(project)
    for document in list(project.documents):
        for launch in started.get(id(document), document.launches):
            resolve(project, launch)
            if launch.program is not None and document.holds is None and _takes_flags(launch):
                document.holds = "llamafactory"
    kept = _read_kept(project)
    if any(document.kind is None for document in project.documents):
        from cfglint.jobs.named_kinds import settle

        settle(project)
    for document in list(project.documents):
        if document.kind == "accelerate" and document.given and _needs_users(document):
            search_users(project, document)
    for document in [*project.documents, *kept]:
        for launch in started.get(id(document), document.launches):
            if document.kind == "accelerate" and project.users(document):
                continue  # judged as part of the commands that use it
            project.launches.append(_joined(launch))
    if boxed or any(launch.container is not None for launch in project.launches):
        from cfglint.jobs.surroundings import surround

        surround(project)
    if any(document.kind == "kubernetes" for document in project.documents):
        from cfglint.jobs.surroundings import leave_to_pods

        leave_to_pods(project)
    _group(project)


def _read_kept(project: Project) -> list[Document]:
    """The configs that files hold for others, in ConfigMaps and in cells that write them."""
    found = []
    for document in list(project.documents):
        if document.kept:
            from cfglint.files import embedded

            for file in document.kept:
                inner = embedded.document(project, document, file)
                if inner is not None:
                    found.append(inner)
    return found


def _started(project: Project) -> dict[int, list[Launch]]:
    """The launches of scripts as other files start them, by the id of the script's document."""
    if all(document.shell_texts is None for document in project.documents):
        return {}
    from cfglint.jobs.started import launches_of, read_started

    read_started(project)
    return launches_of(project)


def _sourced(project: Project, document: Document) -> None:
    """Let a script be read again with the files it sources."""
    from cfglint.readers import script

    for reference in document.links:
        if reference.role == "sourced" and reference.document is None:
            reference.document = project.resolve(document, reference.path)
    script.link(document)


def _is_a_node(launch: Launch) -> bool:
    """Whether other files may be those of other nodes of its job: c10d alone needs no ranks."""
    numbered = launch.get("node_rank") is not None or launch.effective("rdzv_backend") == "c10d"
    return launch.is_multinode and numbered


def _lacks_master(launch: Launch) -> bool:
    """Whether a script leaves it to whoever starts it to say where its nodes meet."""
    if launch.document.kind not in ("script", "slurm") or launch.launcher != "torchrun":
        return False
    return launch.is_multinode and launch.complete and launch.address is None


def _read_containers(project: Project, document: Document) -> None:
    """Read for context the manifests and Compose files of the root that name a script."""
    from cfglint.files.mentions import naming

    for path in naming(project, document.file.name):
        if path.suffix in (".yaml", ".yml"):
            project.file_at(path)


def resolve(project: Project, launch: Launch) -> None:
    """Follow a launch to the configs it names, and tell them of it."""
    place = launch.container.place if launch.container is not None else None
    for reference in launch.configs:
        if place is not None and not reference.place and reference.role != "env_file":
            reference.place = place(reference.path)
        named = project.follow(launch.document, reference)
        if named is not None and reference.role in (
            "accelerate",
            "llamafactory",
            "hostfile",
            "env_file",
        ):
            users = project.users(named)
            if all(user is not launch for user in users):
                users.append(launch)


def _takes_flags(launch: Launch) -> bool:
    """Whether a command gives LLaMA-Factory its arguments as flags."""
    program = launch.program
    if program is None or not ("llamafactory" in program.text or program.text.endswith("train.py")):
        return False
    from cfglint.llamafactory.flags import takes_flags

    return takes_flags(launch)


def _joined(launch: Launch) -> Launch:
    """The launch with the settings of the accelerate config it names underneath its own, and the
    variables of the env files that a Makefile or justfile loads."""
    if launch.configs and launch.document.kind in ("makefile", "justfile"):
        from cfglint.jobs.surroundings import with_loaded_files

        launch = with_loaded_files(launch)
    for reference in launch.configs:
        named = reference.document
        if reference.role != "accelerate" or named is None or named.kind != "accelerate":
            continue
        if not named.launches:
            return replace(launch, complete=False, why_incomplete=f"{named.path} cannot be read")
        base = named.launches[0]
        return replace(
            launch,
            settings={**base.settings, **launch.settings},
            configs=[*launch.configs, *base.configs],
            parts=[*launch.parts, named],
            setting_writer=base.setting_writer or launch.setting_writer,
        )
    unseen = next((c for c in launch.configs if c.role == "accelerate" and not c.document), None)
    if unseen is not None and launch.complete:
        return replace(launch, complete=False, why_incomplete=f"{unseen.path} is not seen")
    return launch


def _needs_users(document: Document) -> bool:
    """Whether who starts a config makes a difference: several machines, or no process count."""
    if not document.launches:
        return False
    launch = document.launches[0]
    return launch.is_multinode or "num_processes" not in launch.settings


def search_users(project: Project, document: Document) -> bool:
    """Read every file of the root that names a config; whether the answer is complete.

    Names found in the raw bytes of scripts are the filter. A file that names the config but shows
    no launch that uses it leaves the answer open.
    """

    def search() -> bool:
        from cfglint.files.mentions import SEARCH_FILES, files, is_told_in_prose, naming
        from cfglint.jobs.series import is_told_as_a_series

        own = os.path.abspath(document.file)
        complete = len(files(project)) <= SEARCH_FILES
        for path in naming(project, document.file.name):
            if os.path.abspath(path) == own:
                continue
            other = project.file_at(path) if path.suffix != ".py" else None
            if other is None:
                complete = False
                continue
            for launch in other.launches:
                resolve(project, launch)
            if all(user.document is not other for user in project.users(document)):
                complete = False
        complete = complete and not is_told_in_prose(project, document)
        return complete and not is_told_as_a_series(project, document, resolve)

    result: bool = project.fact(("search", id(document)), search)
    return result


# -- jobs --------------------------------------------------------------------------------------


def _group(project: Project) -> None:
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
