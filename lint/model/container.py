"""The model of where a launch runs: its container, its network and the ports that lead into it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from cfglint.model.edit import Edit
from cfglint.model.values import default_literal
from cfglint.patterns import lazy
from cfglint.record import dataclass, field
from cfglint.text import Span

if TYPE_CHECKING:
    from cfglint.model.document import Document
    from cfglint.model.launch import Setting

DEFAULT_SHM = 64 * 2**20  # bytes of /dev/shm that Docker and the container runtimes give
_SIZE = lazy(r"\s*(\d+)\s*([bkmgt]?)i?b?\s*")
_UNITS = {"": 1, "b": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}


def may_lock(capabilities: Iterable[str]) -> bool:
    """Whether one of the capabilities lets a process lock more memory than its limit: the kernel
    asks for CAP_IPC_LOCK where the limit is reached (`ib_umem_get` in drivers/infiniband)."""
    return any(re.fullmatch(r"(?i)all|(?:cap_)?ipc_lock", one) for one in capabilities)


def visible_devices(text: str | None) -> int | None:
    """How many GPUs a list of NVIDIA_VISIBLE_DEVICES gives a container under NVIDIA's runtime, None
    for `all` and what says nothing. A request of Docker's own (`--gpus`) overrules it."""
    known = re.fullmatch(r"(?:\d+|GPU-[\w-]+)(?:,(?:\d+|GPU-[\w-]+))*", text or "")
    return len(known[0].split(",")) if known else None


@dataclass(slots=True)
class Port:
    """A published port: `host_ip` "" means all interfaces; ranges give the first number."""

    span: Span
    container: int | None
    host: int | None = None
    host_ip: str = ""
    container_last: int | None = None
    host_last: int | None = None
    unpublish: Callable[[], Edit | None] | None = None  # leaves the host's port to be picked
    document: Document | None = None  # where it stands, if in another file than the launch

    def covers(self, port: int) -> bool:
        """Whether the container port is published by this entry."""
        if self.container is None:
            return False
        return self.container <= port <= (self.container_last or self.container)


@dataclass(slots=True)
class Network:
    """The network a launch runs in.

    `mode`: "host", "bridge" (docker's own default network), "project" (compose's or another
    user-defined bridge, with name resolution), "overlay", "macvlan", "ipvlan", "pod",
    "container" (another container's), "none", "machine" (no container at all), "unknown".
    """

    mode: str = "unknown"
    span: Span | None = None  # where the mode is written; None when it is a default
    document: Document | None = None  # where that is another file than the launch's
    ports: list[Port] = field(default_factory=list)
    ports_span: Span | None = None  # the whole `ports:` entry or the -p flags
    ports_document: Document | None = None  # where that is another file than the launch's
    names: tuple[str, ...] = ()  # networks joined
    # What a container's interfaces beside lo are called, () where that is not known.
    interfaces: tuple[str, ...] = ()
    to_host: Callable[[], list[Edit] | None] | None = None  # edits that switch to host networking
    drop_ports: Callable[[], list[Edit] | None] | None = None

    @property
    def is_private_bridge(self) -> bool:
        """Whether other machines cannot reach addresses of this network."""
        return self.mode in ("bridge", "project")


@dataclass(frozen=True, slots=True)
class Misspelt:
    """An option of the container's command that docker does not have, the one that is meant, and
    the edit that writes it."""

    written: str
    meant: str
    span: Span
    edit: Edit | None


@dataclass(slots=True)
class Container:
    """The container (compose service, docker run, pod) a launch runs in."""

    kind: str  # "compose", "docker", "dockerfile", "pod", "apptainer"
    name: str
    span: Span  # its name or the start of the command: where something missing is reported
    image: str = ""
    complete: bool = True  # whether all of its options stand in the files at hand
    shm_size: Setting | None = None
    ipc: Setting | None = None
    shm_mount: bool = False  # something is mounted on /dev/shm
    build_shm_size: Setting | None = None
    gpus: int | None = None  # how many GPUs it is given; None unknown
    gpu_request: bool | None = None  # whether any GPU is asked for; None unknown
    by_runtime: bool = False  # NVIDIA's runtime gives it those of NVIDIA_VISIBLE_DEVICES
    devices: tuple[str, ...] = ()
    memlock: str | None = None  # "-1", a number, or None when not set
    locks_freely: bool = False  # CAP_IPC_LOCK: it may lock more memory than `memlock`
    hostname: str = ""
    replicas: Setting | None = None
    pods: int | None = None  # how many pods of one template it runs in
    aliases: tuple[str, ...] = ()  # names by which others reach it
    known_hosts: tuple[str, ...] = ()  # what its own /etc/hosts is given; "" for what is not known
    reached_by: tuple[str, ...] = ()  # other services of the project whose lines name it
    profiles: tuple[str, ...] = ()  # compose profiles: it starts only with one of them
    waits_for: tuple[str, ...] = ()  # services that have ended before it starts
    document: Document | None = None  # where a command starts it; None: that of its launches
    misspelt: tuple[Misspelt, ...] = ()
    # Its options that stand behind the image, where its program gets them; edits that move them.
    misplaced: Span | None = None
    to_front: Callable[[], list[Edit] | None] | None = None
    # Where a path in it lies in the tree, "" where that is not known; None where nothing tells.
    place: Callable[[str], str] | None = None
    # The edit that hands it a variable of the shell that starts it.
    pass_env: Callable[[str], Edit | None] | None = None
    # Edits that set a container option ("shm_size", "16gb"), None where it cannot be written.
    set_option: Callable[[str, str], list[Edit] | None] | None = None

    def may_run_beside(self, other: Container) -> bool:
        """Whether two services of one Compose project may run at the same time: one that is behind
        a profile is started with those of its profile, one that waits for another's success after
        it."""
        behind = self.profiles or other.profiles
        if behind and not set(self.profiles) & set(other.profiles):
            return False
        return self.name not in other.waits_for and other.name not in self.waits_for

    @property
    def shared_memory(self) -> int | None:
        """The bytes of its own /dev/shm; None where it shares another's, something is mounted
        there, or the size is not known."""
        mode = default_literal(self.ipc.value) if self.ipc is not None else "private"
        if self.shm_mount or mode not in ("private", "none"):
            return None
        if self.shm_size is None:
            return DEFAULT_SHM
        text = default_literal(self.shm_size.value) or ""
        match = _SIZE.fullmatch(text.lower())
        return int(match[1]) * _UNITS[match[2]] if match else None
