"""Compose files: one launch for each service that starts or configures a job.

`read` looks at the file alone and names the files it needs (`.env`, `env_file`, a Dockerfile);
`link` reads it again once the project has found them.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping as Variables
from functools import partial

from cfglint.commands import command_launches, may_launch, unshelled
from cfglint.commands.build import model_word, take_env
from cfglint.commands.mounts import Mounts
from cfglint.commands.programs import COMMON_ENV, concerns_jobs
from cfglint.commands.scope import Scope
from cfglint.model.container import visible_devices
from cfglint.model.document import Document
from cfglint.model.launch import ConfigRef, Launch, Program, Setting
from cfglint.model.nodes import may_be_peers
from cfglint.model.tree import Mapping, Scalar, Sequence, find, target
from cfglint.model.values import Literal, Value
from cfglint.readers import compose_command, compose_container, dockerfile, dotenv
from cfglint.readers import compose_service as cs
from cfglint.readers.compose_include import includes
from cfglint.readers.compose_service import Service
from cfglint.readers.compose_string import misread
from cfglint.record import replace
from cfglint.syntax.dockerfile import Dockerfile
from cfglint.syntax.dotenv import Reader
from cfglint.syntax.shell_write import WordPlace
from cfglint.syntax.unsplit import unsplit
from cfglint.text import Span

# The `.env` beside a Compose file, and the file that Compose merges over it without being told,
# need not be there.
PROJECT_ENV, OVERRIDE = "project-env", cs.OVERRIDE


def read(document: Document) -> None:
    """Name the files that the services refer to, and make their launches from this file alone."""
    document.variables = partial(cs.assignments, document)
    found = cs.services(document)
    if "$" in document.source.text or includes(document):
        document.links.append(ConfigRef(PROJECT_ENV, ".env", Span(0, 0)))
    default = cs.DEFAULT.fullmatch(document.file.name)
    if default is not None:
        name = f"{default[1]}.override.{default[2]}"
        document.links.append(ConfigRef(OVERRIDE, name, Span(0, 0)))
    for service in found:
        file = cs.extended_file(service.mapping)
        if file is not None and "$" not in file.text:
            document.links.append(ConfigRef(cs.EXTENDED, file.text, file.span))
    name_files(document)
    link(document)


def name_files(document: Document) -> None:
    """Link the env files and Dockerfiles of the services, with those that the files say which they
    extend, as far as those are at hand."""
    known = {(reference.role, reference.path) for reference in document.links}
    for service in cs.services(document):
        references = [reference for reference, _ in _env_files(service).values()]
        built = _dockerfile(service)
        if built is not None:
            references.append(built)
        document.links += [r for r in references if (r.role, r.path) not in known]


def link(document: Document) -> None:
    """Make the launches, with what the documents behind the links say."""
    document.launches.clear()
    document.scripts.clear()
    document.unfilled, document.misread, document.unsplit, document.started = [], [], [], []
    document.unshelled.clear()
    variables = _variables(document)
    neighbours = compose_container.Neighbours(document)
    for service in cs.services(document):
        document.launches += _launches(service, variables, neighbours)
    if document.compose.unclear_variables:
        document.unfilled = []
    pair_up(document)


def _variables(document: Document) -> dict[str, Setting]:
    """What Compose puts in for variables of a file: its includer's come before its own."""
    found: dict[str, Setting] = {}
    for reference in document.links:
        if reference.role == PROJECT_ENV and reference.document is not None:
            found.update(dotenv.variables(reference.document))
    parent = document.compose.included_by
    if parent is not None:
        found.update(_variables(parent))
    return found


def _env_files(service: Service) -> dict[str, tuple[ConfigRef, Reader]]:
    """The env files of a service by their paths, with how each is read; `format: raw` keeps
    quotes, as docker run --env-file does."""
    found: dict[str, tuple[ConfigRef, Reader]] = {}
    for owned in service.all("env_file"):
        value = owned.value
        for item in map(target, value.items if isinstance(value, Sequence) else [value]):
            node = find(item, "path") if isinstance(item, Mapping) else item
            text = cs.filled(node) if isinstance(node, Scalar) else None
            if text and isinstance(node, Scalar) and "$" not in node.text:
                path = posixpath.normpath(posixpath.join(service.folder(owned.document), text))
                raw = find(item, "format") if isinstance(item, Mapping) else None
                reader: Reader = "docker" if getattr(raw, "text", "") == "raw" else "compose"
                found[path] = ConfigRef("env_file", path, node.span), reader
    return found


def _dockerfile(service: Service) -> ConfigRef | None:
    """The Dockerfile that a service is built from, None for an image or an address."""
    owned = service.find("build")
    if owned is None:
        return None
    node = owned.value
    context = node if isinstance(node, Scalar) else find(node, "context")
    name = find(node, "dockerfile")
    if find(node, "dockerfile_inline") is not None:
        return None
    folder = cs.filled(context) if isinstance(context, Scalar) else "."
    file = cs.filled(name) if isinstance(name, Scalar) else "Dockerfile"
    if folder is None or file is None or "://" in folder or folder.startswith("git@"):
        return None
    shown = name if isinstance(name, Scalar) else context if isinstance(context, Scalar) else None
    span = shown.span if shown is not None else owned.entry.key.span
    path = posixpath.join(service.folder(owned.document), folder, file)
    return ConfigRef("dockerfile", posixpath.normpath(path), span)


_SCRIPT = re.compile(r"(?<![^\s\"'])[\w./-]+\.(?:ba)?sh\b")


def _launches(
    service: Service,
    variables: Variables[str, Setting],
    neighbours: compose_container.Neighbours,
) -> list[Launch]:
    document = service.document
    image, parts = _image(service)
    parts += [origin for origin in service.origins if origin is not document]
    env: dict[str, Setting] = dict(image.env) if image else {}
    references = {r.path: r for r in document.links if r.role == "env_file"}
    for wanted, reader in _env_files(service).values():
        reference = references.get(wanted.path)
        if reference is not None and reference.document is not None:
            env.update(dotenv.variables(reference.document, reader))
            parts.append(reference.document)
    env.update(cs.environment(service, variables.get))
    for key in ("entrypoint", "command"):
        for _, text in service.texts(key):
            document.started += [(name, env) for name in _SCRIPT.findall(text)]
    if not _may_start_job(service, image, env):
        return []
    document.unfilled += compose_command.unfilled(service, env, variables)
    entrypoint = compose_command.words(service, "entrypoint", variables)
    misreadings = misread(service, entrypoint)
    owned = service.find("entrypoint")
    whole = unsplit(entrypoint or []) if owned is not None and service.is_own(owned) else None
    if whole is not None and isinstance(owned and owned.value, Sequence):
        document.unsplit.append(model_word(whole))
    box = compose_container.container(service, neighbours)
    devices = env.get("NVIDIA_VISIBLE_DEVICES")
    if devices is not None and box.by_runtime:
        box.gpus = visible_devices(devices.text)
    scope = Scope(
        document,
        env,
        network=compose_container.network(service),
        container=box,
        label=f"service {service.name}",
        scripts=[],
        env_writer=lambda name, value: compose_container.add_variable(service, name, value),
    )
    why = _unseen(service, image)
    if why:
        scope = replace(scope, complete=False, why=why)
    before = dict(document.unshelled)
    found = _commands(service, image, scope, variables)
    if len(before) < len(document.unshelled) and any(
        each.what != "continuation" for each in misreadings
    ):  # that a shell is missing is said once
        misreadings = [replace(each, hides=True) for each in misreadings]
        document.unshelled = before
    document.misread += misreadings
    started = scope.scripts or []
    if started and scope.container is not None:
        mounts = image.mounts if image else Mounts()
        scope.container.place = compose_container.bound(service, mounts).place
    document.scripts += started
    if not found:
        found = _configured(service, scope)
    for launch in (*found, *started):
        launch.parts += [part for part in parts if part not in launch.parts]
    return found


def _may_start_job(
    service: Service, image: dockerfile.Image | None, env: Variables[str, Setting]
) -> bool:
    """Whether any word of a service speaks of a job: most services of a file are something else."""
    if any(concerns_jobs(name) for name in env):
        return True
    texts = [text for key in ("entrypoint", "command") for _, text in service.texts(key)]
    for instruction in (image.entrypoint, image.command) if image else ():
        texts.append(instruction.text if instruction else "")
    text = " ".join(texts)
    return "mpirun" in text or may_launch(text) or _SCRIPT.search(text) is not None


def _unseen(service: Service, image: dockerfile.Image | None) -> str:
    """What of a service is not in the files at hand, "" where all of it is."""
    if not service.complete:
        return "another file says more of the service"
    known = {r.path: r for r in service.document.links if r.role == "env_file"}
    for path in _env_files(service):
        found = known.get(path)
        if found is None or found.document is None:
            return f"{path} is not there"
    if any(True for _ in service.all("env_file")) and not _env_files(service):
        return "its env_file is not known"
    return ""


def _image(service: Service) -> tuple[dockerfile.Image | None, list[Document]]:
    """What the Dockerfile of a service builds, where it is at hand."""
    wanted = _dockerfile(service)
    for reference in service.document.links:
        linked = reference.document
        if wanted is None or linked is None or reference.role != "dockerfile":
            continue
        if reference.path != wanted.path or not isinstance(linked.tree, Dockerfile):
            continue
        file = linked.tree
        name = service.text("build", "target")
        stage = file.stage(name) if name else file.stages[-1] if file.stages else None
        if stage is not None:
            args, context = _build_args(service), _context(service)
            return dockerfile.build(linked, file, stage, args, context), [linked]
    return None, []


def _context(service: Service) -> str:
    """The folder that a service is built from, from its file's own folder."""
    owned = service.find("build")
    if owned is None:
        return ""
    context = owned.value if isinstance(owned.value, Scalar) else find(owned.value, "context")
    folder = cs.filled(context) if isinstance(context, Scalar) else "."
    return posixpath.join(service.folder(owned.document), folder or ".")


def _build_args(service: Service) -> dict[str, Value]:
    owned = service.find("build")
    args = find(owned.value, "args") if owned is not None else None
    found: dict[str, Value] = {}
    if isinstance(args, Mapping):
        for name, entry in args.index.items():
            node = target(entry.value)
            if isinstance(node, Scalar) and node.value is not None:
                found[name] = cs.interpolated(node.text, lambda _: None)
    elif isinstance(args, Sequence):
        for item in map(target, args.items):
            if isinstance(item, Scalar) and "=" in item.text:
                name, _, text = item.text.partition("=")
                found[name] = cs.interpolated(text, lambda _: None)
    return found


def _commands(
    service: Service,
    image: dockerfile.Image | None,
    scope: Scope,
    variables: Variables[str, Setting],
) -> list[Launch]:
    """The launches of what the service runs."""
    entrypoint = compose_command.words(service, "entrypoint", variables)
    command = compose_command.words(service, "command", variables)
    if entrypoint is not None:
        found = command_launches(*unshelled.take([*entrypoint, *(command or ())], scope))
        first = service.find("entrypoint")
    elif image is None:
        found = command_launches(*unshelled.take(command or [], scope))
        first = service.find("command")
    else:
        found = image.launches(scope, command)
        first = service.find("command") if image.entrypoint is None else None
    if not service.is_own(first) and scope.container is not None:
        for launch in found:  # its words stand in another file, which has a launch of its own
            launch.span = scope.container.span
            launch.argv, launch.command = (), None
            if launch.launcher != "env" and not _is_said_by(service, launch.program):
                launch.program = None
    else:
        compose_container.bound(service, image.mounts if image else Mounts()).find(found)
    return found


def _is_said_by(service: Service, program: Program | None) -> bool:
    """Whether a program is a word of the service's own command, which an entrypoint gets."""
    place = program.word.place if program is not None and program.word is not None else None
    return isinstance(place, WordPlace) and place.word.document is service.document


def _configured(service: Service, scope: Scope) -> list[Launch]:
    """A launch that stands for a service whose program is not seen but which configures a job."""
    container = scope.container
    if container is None or not any(concerns_jobs(name) for name in scope.env):
        return []
    launch = Launch(
        service.document, container.span, "env", env=dict(scope.env), network=scope.network,
        container=container, evaluated=scope.evaluated, complete=False,
        why_incomplete=scope.why or "the program is not seen", label=scope.label,
        env_writer=scope.env_writer,
    )  # fmt: skip
    take_env(launch, COMMON_ENV)
    return [launch]


def pair_up(document: Document) -> None:
    """Services of one project that are ranks of one job run on one host: they are peers."""
    found = [launch for file in document.unit for launch in file.launches]
    names = {name for x in found if x.container is not None for name in x.container.aliases}
    masters: dict[tuple[Literal, Value | None], list[Launch]] = {}
    for launch in found:
        if launch.address is not None and isinstance(launch.address.value, Literal):
            port = launch.port.value if launch.port else None
            masters.setdefault((launch.address.value, port), []).append(launch)
    sizes = {id(launch): launch.machines() for launch in found}
    for launch in document.launches:
        size = launch.machines()
        if size in (None, 1):
            continue
        address = launch.address.value if launch.address else None
        port = launch.port.value if launch.port else None
        literal = address if isinstance(address, Literal) else None
        # Who dials a service by its name is of its job, whatever number of nodes it gives.
        whoever = literal is not None and literal.text in names
        launch.peers = [
            other
            for other in (masters.get((literal, port), ()) if literal is not None else ())
            if other is not launch
            and (whoever or sizes[id(other)] == size)
            and (other.container is not launch.container or may_be_peers(launch, other))
        ]
        sizes[id(launch)] = launch.machines()
