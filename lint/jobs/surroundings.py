"""What surrounds a launch in other files: the env file of its container, and the container in which
its script is started.

A Compose service, an image or a pod that runs `bash node.sh` starts what node.sh starts, in its own
environment and network. Such a pair becomes one more launch, in the container's file; the script's
own launch then says nothing about what it lacks.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from cfglint.commands import torchrun
from cfglint.commands.build import take_env
from cfglint.commands.options import table
from cfglint.commands.programs import (
    COMMON_ENV,
    LLAMAFACTORY_ENV,
    PYTHON_ENV,
    SWIFT_ENV,
    places_a_node,
)
from cfglint.files.names import by_endings, names
from cfglint.model.launch import Launch, Network, Setting
from cfglint.model.values import Variable
from cfglint.record import replace

if TYPE_CHECKING:
    from cfglint.model.document import Document
    from cfglint.project import Project

_READS = {
    "llamafactory": LLAMAFACTORY_ENV,
    "swift": SWIFT_ENV,
    "python": PYTHON_ENV,
    "env": COMMON_ENV,
}
_SCRIPTS = ("script", "slurm")
STARTED = "another file starts it in a container"


def surround(project: Project) -> None:
    """Put the project's launches together with their env files and containers."""
    launches = [
        filled
        for launch in project.launches
        if not _is_no_job(project, filled := _with_env_files(launch), launch)
    ]
    silent = [launch for document in project.documents for launch in document.scripts]
    pairs = [
        (launch, document)
        for launch in (*launches, *silent)
        if launch.container is not None and launch.document.kind not in _SCRIPTS
        if (document := _script(project, launch)) is not None
    ]
    started: dict[int, Launch] = {id(document): launch for launch, document in pairs}
    joined: list[Launch] = []
    for launch, document in pairs:
        own = [each for each in launches if each.document is document] or document.launches
        joined += [_inside(each, launch) for each in own]
    project.launches = [
        _left(launch, started[id(launch.document)]) if id(launch.document) in started else launch
        for launch in launches
    ] + joined


def read_scripts(project: Project) -> None:
    """Read for context the scripts that containers start without any variable of a job."""
    for document in list(project.documents):
        for launch in document.scripts:
            _script(project, launch)


def leave_to_pods(project: Project) -> None:
    """Let the launches of scripts that a manifest's pods run say nothing about what they lack:
    operators give pods the rendezvous (kubeflow/trainer, PET_MASTER_ADDR and relatives)."""
    endings = by_endings((".sh", ".bash"))
    manifests = [d for d in project.documents if d.kind == "kubernetes"]
    named = {name for manifest in manifests for name in names(manifest.source.text, endings)}
    for at, launch in enumerate(project.launches):
        document = launch.document
        if document.kind in _SCRIPTS and launch.complete and document.file.name in named:
            project.launches[at] = replace(launch, complete=False, why_incomplete=STARTED)


# -- env files of docker run -------------------------------------------------------------------


def _with_env_files(launch: Launch) -> Launch:
    """A `docker run` launch with what its --env-file sets; -e beats the file."""
    box = launch.container
    if box is None or box.kind != "docker":
        return launch
    references = [r for r in launch.configs if r.role == "env_file"]
    files = [r.document for r in references if r.document is not None]
    if not files:
        return launch
    from cfglint.readers.dotenv import variables

    env: dict[str, Setting] = {}
    for file in files:
        env.update(variables(file, "docker"))
    env.update(launch.env)
    result = replace(launch, env=env, parts=[*launch.parts, *files])
    if len(files) == len(references) and launch.why_incomplete == "an env file says more":
        result.complete, result.why_incomplete = True, ""
    return _filled(result, env)


def _is_no_job(project: Project, launch: Launch, read: Launch) -> bool:
    """Whether a `docker run` was taken for a job's only because its env files were not read yet:
    they say nothing of one, or are not at hand. Then it is forgotten, as it is of no interest."""
    box = launch.container
    if launch.launcher != "env" or box is None or box.kind != "docker":
        return False
    if places_a_node(launch.env):
        return False
    files = [r.document for r in launch.configs if r.document is not None]
    for launches in (launch.document.launches, *map(project.users, files)):
        launches[:] = [each for each in launches if each is not read]
    return True


def with_loaded_files(launch: Launch) -> Launch:
    """A launch of a Makefile or justfile with the variables of the env files that it loads."""
    if launch.container is not None or launch.host:
        return launch
    files = [r.document for r in launch.configs if r.role == "env_file" and r.document is not None]
    if not files:
        return launch
    from cfglint.readers.make_env_files import variables

    env = variables(launch, files)
    return _filled(replace(launch, env=env, parts=[*launch.parts, *files]), env)


def _filled(launch: Launch, env: Mapping[str, Setting]) -> Launch:
    """The launch with settings that only named a variable of this environment."""
    settings = dict(launch.settings)
    for name, setting in settings.items():
        value = setting.value
        if not isinstance(value, Variable) or value.operator or value.name not in env:
            continue
        known = env[value.name]
        settings[name] = Setting(
            name, known.value, known.document, known.span, setting.key, setting.key_span,
            setting.span, "env", known.place,
        )  # fmt: skip
    result = replace(launch, settings=settings)
    if launch.launcher == "torchrun":
        torchrun.take_env(result, table("torchrun"))
    else:
        take_env(result, _READS.get(launch.launcher, {}))
    return result


# -- scripts in containers ---------------------------------------------------------------------


def _script(project: Project, launch: Launch) -> Document | None:
    """The script of the project that a container's command starts."""
    program, box = launch.program, launch.container
    if program is None or box is None or launch.launcher not in ("env", "python"):
        return None
    words = [program.text, *(word.text or "" for word in program.args)]
    text = next((text for text in words if text.endswith((".sh", ".bash"))), None)
    if text is None:
        return None
    place = box.place(text) if box.place is not None else None
    path, name = text.lstrip("/"), text.rsplit("/", 1)[-1]
    for one in (place, path, name):
        found = project.resolve(launch.document, one) if one else None
        if found is not None:
            return found if found.kind in _SCRIPTS else None
    return None


def _inside(launch: Launch, outer: Launch) -> Launch:
    """A script's launch as it runs in a container of another file."""
    env = {**outer.env, **launch.env}
    result = replace(
        launch, document=outer.document, span=outer.span, env=env, network=outer.network,
        container=outer.container, program=None, argv=(), command=None, flow=(), configs=[],
        complete=launch.complete and outer.container is not None and outer.container.complete,
        label=outer.label, env_writer=outer.env_writer, setting_writer=None, mentions=None,
        to_background=None, unexported=None, nodes=outer.nodes or launch.nodes,
        parts=[*outer.parts, launch.document],
    )  # fmt: skip
    if outer.controller is not None:
        result.settings = dict(result.settings)
        outer.controller(result)
    return _filled(result, env)


def _left(launch: Launch, outer: Launch) -> Launch:
    """A script's own launch, of which its container's file says the rest."""
    env = {**outer.env, **launch.env}
    return _filled(
        replace(
            launch, env=env, network=Network("unknown"), complete=False, why_incomplete=STARTED
        ),
        env,
    )
