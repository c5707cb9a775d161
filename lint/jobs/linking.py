"""Putting launches together: a command with the config it names, the nodes of one job."""

from __future__ import annotations

import os
from pathlib import Path

from cfglint.model.document import Document
from cfglint.model.launch import Launch
from cfglint.project import (
    Loader,
    Project,
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
    if len(project.launches) > 1:
        from cfglint.jobs.grouping import find_jobs

        find_jobs(project)


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
