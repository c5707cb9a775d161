"""`docker run` and relatives: the container, its network and its environment around a command."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from cfglint.commands import unshelled
from cfglint.commands.build import config_ref, setting
from cfglint.commands.docker_line import Given, Run, behind_image, read, to_front
from cfglint.commands.environment import Layered
from cfglint.commands.scope import Scope
from cfglint.commands.wrapping import Inner, env_assignment, skip_options
from cfglint.model.container import Misspelt, may_lock, visible_devices
from cfglint.model.edit import Edit
from cfglint.model.launch import ConfigRef, Container, Network, Port, Setting
from cfglint.model.values import parse_int
from cfglint.record import replace
from cfglint.syntax.shell_words import ShellWord
from cfglint.syntax.shell_write import quoted_text
from cfglint.text import Span

_AND = re.compile(r"[ \t]*&&[ \t]*(?:\\\r?\n[ \t]*)?(?=\S)")
_PORT = re.compile(
    r"(?:(?:(?P<ip>\[[^\]]*\]|[^:]*):)?(?P<host>\d*)(?:-\d+)?:)?(?P<first>\d+)"
    r"(?:-(?P<last>\d+))?(?:/(?P<protocol>\w+))?"
)


def run(words: Sequence[ShellWord], scope: Scope) -> Inner | None:
    """`docker run`, `docker exec` and their like; None for other sub-commands."""
    at = 1
    if words[at : at + 1] and words[at].text == "container":
        at += 1
    command = words[at].text if words[at : at + 1] else None
    if command == "compose":
        return compose(words[1:], scope)
    if command == "exec":
        found = read(words, at + 1)
        inside = scope.inside(
            "docker exec", network=Network("unknown"), env=_environment(found, {})
        )
        inside.detached = found.is_detached
        started = scope.document.started_boxes.get(found.rest[0].raw) if found.rest else None
        if started is not None:
            own = Layered(inside.env, started.env)
            inside = replace(
                inside, env=own, container=started.container, network=started.network,
                env_writer=started.env_writer, complete=started.complete, why=started.why,
            )  # fmt: skip
        return Inner(*unshelled.take(found.rest[1:], inside, partial(_to_folder, found)))
    if command not in ("run", "create"):
        return None
    program = (words[0].text or "").rpartition("/")[2]
    found = read(words, at + 1, "docker" if program.endswith("docker") else "podman")
    if not found.rest:
        return None
    image = found.rest[0]
    behind = behind_image(found)
    if behind is not None:  # judged as they are meant: that they stand there is said once
        found.given += behind.given
        found.rest = (image, *behind.rest)
    network = _network(found)
    if program == "podman":
        network.interfaces = ()  # without root it takes over the names of the host
    container = _container(found, words[0], image)
    if behind is not None:
        container.misplaced = Span(behind.given[0].first.span.start, behind.given[-1].last.span.end)
        container.to_front = partial(to_front, found, behind)
    env = _environment(found, scope.env)
    if container.by_runtime and "NVIDIA_VISIBLE_DEVICES" in env:
        container.gpus = visible_devices(env["NVIDIA_VISIBLE_DEVICES"].text)
    inside = scope.inside("docker run", network=network, container=container, env=env)
    inside.env_writer = _variable_writer(found)
    inside.detached = found.is_detached
    inside.env_files = tuple(_env_files(found))
    if any(g.name == "?" for g in found.given):
        inside.complete, inside.why = False, "a variable may hold options of docker run"
        network.mode = "unknown" if network.span is None else network.mode
        network.interfaces = ()
    elif inside.env_files:
        inside.complete, inside.why = False, "an env file says more"
    _keep(found, inside)
    command_words = tuple(found.rest[1:])
    entrypoint = found.last("--entrypoint")
    if entrypoint is not None and entrypoint.text:
        command_words = (entrypoint, *command_words)
    if not command_words:
        # The image says what runs: all that is seen are the variables.
        return Inner((image,), inside, unseen=True)
    return Inner(*unshelled.take(command_words, inside, partial(_to_folder, found)))


def _keep(found: Run, inside: Scope) -> None:
    """Keep what holds in a container for `docker exec`, by its name as it is written; of two that
    get one name, neither."""
    name, boxes, own = found.last("--name"), inside.document.started_boxes, inside.container
    if name is None or own is None:
        return
    known = boxes.get(name.raw, inside)
    same = known is not None and known.container is not None and known.container.span == own.span
    boxes[name.raw] = inside if same else None


def _to_folder(found: Run, words: Sequence[ShellWord]) -> list[Edit] | None:
    """The edits by which docker changes the folder itself, and starts what follows `cd FOLDER &&`,
    of which the outer shell leaves the container nothing but the `cd`."""
    moved = found.last("-w") or found.last("--workdir")
    return None if moved else _without_cd(found.insert, words)


def _without_cd(
    insert: Callable[[str], Edit | None], words: Sequence[ShellWord]
) -> list[Edit] | None:
    if len(words) != 2:
        return None
    folder, fragment = words[1], words[1].fragment
    following = _AND.match(fragment.text, folder.end)
    if following is None or not folder.raw.startswith(("/", "$")):
        return None
    if words[0].fragment is not fragment:
        return None
    edits = [
        insert(f"-w {folder.raw}"),
        fragment.edit(words[0].start, following.end(), ""),
    ]
    return None if None in edits else [edit for edit in edits if edit is not None]


_COMPOSE_VALUES = frozenset(
    """
    --ansi --env-file --file --parallel --profile --progress --project-directory --project-name
    """.split()  # noqa: SIM905 (a table)
)
_COMPOSE_RUN_VALUES = frozenset(
    """
    --cap-add --cap-drop --entrypoint --env --env-from-file --index --label --name --publish
    --pull --user --volume --workdir
    """.split()  # noqa: SIM905 (a table)
)


def compose(words: Sequence[ShellWord], scope: Scope) -> Inner | None:
    """`docker compose run SERVICE COMMAND` and `exec`: the service says what else holds."""
    at = skip_options(words, 1, "fp", _COMPOSE_VALUES, opaque=False)
    if not words[at : at + 1] or words[at].text not in ("run", "exec"):
        return None
    verb = words[at]
    at = skip_options(words, at + 1, "elpuvw", _COMPOSE_RUN_VALUES, opaque=False) + 1
    if not words[at : at + 1]:
        return None
    options = [word.prefix() for word in words[:at]]
    moved = any(o.startswith(("-w", "--workdir")) for o in options)
    inside = scope.inside("docker exec", network=Network("unknown"), env={})
    inside.complete, inside.why = False, "the service says more"
    if any(o.startswith("--entrypoint") for o in options):
        return Inner(words[at:], inside)
    insert = partial(_behind, verb)
    folder = None if moved else partial(_without_cd, insert)
    service = words[at - 1].text or "?" if verb.text == "run" else ""
    return Inner(*unshelled.take(words[at:], inside, folder, service))


def _behind(word: ShellWord, option: str) -> Edit | None:
    return word.fragment.edit(word.end, word.end, f" {option}")


def apptainer(words: Sequence[ShellWord], scope: Scope) -> Inner | None:
    """`apptainer exec IMAGE COMMAND`: the host's network, memory and environment."""
    if not words[2:3] or words[1].text not in ("exec", "run"):
        return None
    at = 2
    env: dict[str, Setting] = {}
    while words[at : at + 1] and words[at].prefix().startswith("-"):
        text = words[at].prefix()
        name = text.split("=")[0]
        takes = name in _APPTAINER_VALUES and "=" not in text
        if name == "--env":
            word = words[at + 1] if takes and words[at + 1 : at + 2] else words[at].cut(6)
            found = env_assignment(word)
            if found is not None:
                env[found.name] = found
        at += 2 if takes else 1
    inside = scope.inside("apptainer").with_env(env)
    return Inner(words[at + 1 :], inside)


def shifter(words: Sequence[ShellWord], scope: Scope) -> Inner | None:
    """`shifter --image=IMAGE COMMAND` (NERSC), `ch-run IMAGE -- COMMAND` (Charliecloud): the host's
    network, memory and environment."""
    at = skip_options(words, 1, "iVwembcgu", _SHIFTER_VALUES)
    rest = words[at:]
    behind = next((i for i, word in enumerate(rest) if word.text == "--"), -1)
    return Inner(rest[behind + 1 :], scope.inside("apptainer"))


_SHIFTER_VALUES = frozenset(
    "--image --volume --workdir --env --env-file --module --bind --cd --gid --uid".split()  # noqa: SIM905
)
_APPTAINER_VALUES = frozenset(
    """
    -B --bind --env --env-file -H --home --overlay -o --pwd --mount -W --workdir -S --scratch
    --network --network-args --hostname --dns --cwd --security --add-caps --drop-caps
    """.split()  # noqa: SIM905 (a table)
)


def _environment(found: Run, outer: Mapping[str, Setting]) -> dict[str, Setting]:
    """The variables that a container gets: none of the host's but those that -e names."""
    env: dict[str, Setting] = {}
    for given in found.given:
        word = given.value
        if word is None or given.name not in ("-e", "--env"):
            continue
        variable = env_assignment(word, given.remove)
        if variable is not None:
            env[variable.name] = variable
        elif word.text is not None and word.text in outer:
            env[word.text] = outer[word.text]
    return env


def _env_files(found: Run) -> list[ConfigRef]:
    references = [config_ref("env_file", word) for word in found.values("--env-file")]
    return [reference for reference in references if reference is not None]


def _network(found: Run) -> Network:
    network = Network("bridge")
    for given in found.given:
        if given.name in ("--network", "--net") and given.value is not None:
            text = given.value.text
            network.span = Span(given.first.span.start, given.last.span.end)
            if text is None:
                network.mode = "unknown"
            elif text in ("host", "none", "bridge"):
                network.mode = text
            elif text.startswith("container:"):
                network.mode = "container"
            else:
                # A network made elsewhere: a bridge of one host, or an overlay of many.
                network.mode = "unknown" if text != "default" else "bridge"
                network.names = (text,)
        elif given.name == "--pod":  # podman's: the containers of a pod have one network
            network.mode = "container"
    published = [g for g in found.given if g.name in ("-p", "--publish") and g.value is not None]
    network.ports = [port for g in published if (port := _port(g)) is not None]
    if published:
        network.ports_span = Span(published[0].first.span.start, published[-1].last.span.end)

    def drop_ports() -> list[Edit] | None:
        edits = [g.remove() for g in published]
        return None if None in edits else [e for e in edits if e is not None]

    def to_host() -> list[Edit] | None:
        named = [g for g in found.given if g.name in ("--network", "--net", "-p", "--publish")]
        edits = [g.remove() for g in named]
        edits.append(found.insert("--network host"))
        return None if None in edits else [e for e in edits if e is not None]

    network.drop_ports = drop_ports
    network.to_host = to_host
    if network.mode == "bridge":
        network.interfaces = ("eth0",)  # libnetwork calls them so, one for each network
    return network


def _port(given: Given) -> Port | None:
    assert given.value is not None
    text = given.value.text
    match = _PORT.fullmatch(text) if text is not None else None
    if match is None:
        return Port(given.value.span, None)
    last = parse_int(match["last"]) if match["last"] else None
    return Port(
        given.value.span,
        int(match["first"]),
        parse_int(match["host"]) if match["host"] else None,
        (match["ip"] or "").strip("[]"),
        last,
    )


def _container(found: Run, name: ShellWord, image: ShellWord) -> Container:
    label = found.last("--name")
    text = label.text if label is not None and label.text else image.text or image.raw
    container = Container("docker", text, name.span, image.text or image.raw)
    container.document = name.document
    for option, attribute in (("--shm-size", "shm_size"), ("--ipc", "ipc")):
        word = found.last(option)
        if word is not None:
            setattr(container, attribute, setting(attribute, word, option))
    mounts = [w.text or "" for w in found.values("-v", "--volume", "--mount", "--tmpfs")]
    container.shm_mount = any(re.search(r"(?:^|[:=])/dev/shm/?(?:$|[:,])", m) for m in mounts)
    if found.last("--pod") is not None:
        container.shm_mount = True  # the pod's, whose size `podman pod create` sets
    container.gpus, container.gpu_request = _gpus(found)
    runtime = found.last("--runtime") if found.last("--gpus") is None else None
    container.by_runtime = runtime is not None and runtime.text == "nvidia"
    if (name.text or "").endswith("nvidia-docker"):
        container.gpu_request = True  # it asks for all of them
    container.devices = tuple(w.text for w in found.values("--device") if w.text is not None)
    for word in found.values("--ulimit"):
        if (word.text or "").startswith("memlock="):
            container.memlock = (word.text or "").removeprefix("memlock=").split(":")[0]
    capabilities = [w.text or "" for w in found.values("--cap-add")]
    privileged = any(g.name == "--privileged" for g in found.given)
    container.locks_freely = privileged or may_lock(capabilities)
    if privileged:  # it has the devices of all GPUs
        container.gpus, container.by_runtime = None, False
    container.complete = all(given.name != "?" for given in found.given)
    hostname = found.last("-h", "--hostname")
    container.hostname = (hostname.text or "") if hostname is not None else ""
    if label is not None and label.text:
        more = (w.text or "" for w in found.values("--network-alias", "--net-alias", "--ip"))
        container.aliases = (label.text, *filter(None, more))
    # --link NAME[:ALIAS], --add-host NAME:ADDRESS (or =): lines of its /etc/hosts.
    written = [w.text or "" for w in found.values("--link", "--add-host")]
    container.known_hosts = tuple(part for text in written for part in re.split("[:=]", text))

    def set_option(option: str, value: str) -> list[Edit] | None:
        if option == "memlock":  # one of several --ulimit
            edit = found.insert(f"--ulimit memlock={value}")
            return None if edit is None else [edit]
        flag = "--" + option.replace("_", "-")
        edits = [g.remove() for g in found.given if g.name == flag]
        edits.append(found.insert(f"{flag}={quoted_text(value, '')}"))
        return None if None in edits else [e for e in edits if e is not None]

    container.set_option = set_option
    container.pass_env = lambda name: found.insert(f"-e {name}")
    container.misspelt = tuple(
        Misspelt(g.written, g.name, g.name_span, g.respell()) for g in found.given if g.written
    )
    container.place = partial(_place, found)
    return container


_BIND = re.compile(
    r"(?P<here>(?:\$PWD|\$\{PWD\}|\$\(pwd\)|`pwd`|\.)(?:/[\w./-]*)?):(?P<there>/[\w./-]*)(?::[\w,]+)?"
)
_BIND_LONG = re.compile(
    r"(?=.*\btype=bind\b)(?=.*\b(?:source|src)=(?P<here>[^,]+))"
    r"(?=.*\b(?:target|dst|destination)=(?P<there>[^,]+)).*"
)


def _place(found: Run, path: str) -> str:
    """Where a path in the container lies, below the folder of the script, by what is bound."""
    from cfglint.commands.mounts import Mounts

    workdir = found.last("-w", "--workdir")
    mounts = Mounts((workdir.text or "") if workdir is not None else "")
    for word in found.values("-v", "--volume", "--mount"):
        raw = word.raw.replace('"', "").replace("'", "")
        match = _BIND.fullmatch(raw) or _BIND_LONG.fullmatch(raw)
        if match is None:  # from elsewhere; one that cannot be read may lie over anything
            target = raw.split(":")[1] if raw.count(":") and "=" not in raw else "/"
            mounts.places.append((target if target.startswith("/") else "/", None))
        else:
            here = re.sub(r"^(?:\$PWD|\$\{PWD\}|\$\(pwd\)|`pwd`)", ".", match["here"])
            known = here if here.startswith(".") else None
            mounts.places.append((posixpath.normpath(match["there"]), known))
    return mounts.place(path)


def _gpus(found: Run) -> tuple[int | None, bool | None]:
    word = found.last("--gpus")
    if word is not None:
        text = (word.text or "").strip("\"'")
        devices = re.fullmatch(r"device=([\w,-]+)", text)
        return (len(devices[1].split(",")) if devices else parse_int(text)), True
    names = {g.name for g in found.given}
    runtime = found.last("--runtime")
    if runtime is not None and runtime.text == "nvidia":
        return None, True  # those that NVIDIA_VISIBLE_DEVICES names, or the image
    if "--runtime" in names or "--privileged" in names or "?" in names:
        return None, None
    if any("/dev/" in (w.text or "/dev/") for w in found.values("--device")):
        return None, None
    return None, False


def _variable_writer(found: Run) -> Callable[[str, str], Edit | None]:
    def write(name: str, value: str) -> Edit | None:
        return found.insert(f"-e {name}={quoted_text(value, '')}")

    return write
