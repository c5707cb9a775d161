"""Who holds which port of a host at the same time.

Sources: facts on torchrun a.10-12 (the default port, free ports from torch 2.12 on), ports b.6-9.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator

from cfglint.compose.publications import copies
from cfglint.jobs import ports
from cfglint.jobs.crowds import crowd_of
from cfglint.model.document import Document
from cfglint.model.edit import Edit, Fix
from cfglint.model.launch import Launch, Setting
from cfglint.model.values import Computed, Variable, as_int, default_int
from cfglint.project import Project
from cfglint.record import dataclass
from cfglint.rule import Related, repair
from cfglint.text import Span


@dataclass(frozen=True, slots=True)
class Contention:
    """Two jobs that hold one port of a host at the same time.

    `earlier` and `later` are the same launch where a loop starts it again while it runs, or where
    `copies` containers of one service run it on the host's network. `caller` is the script that
    starts both by way of other scripts, None where their own files show that they run together.
    `holders` counts the jobs that hold the port when the later one starts. `is_certain` False: one
    of the two takes the port from a variable of its own, which the environment may set.
    """

    earlier: Launch
    later: Launch
    port: int
    caller: Document | None = None
    holders: int = 1
    copies: Setting | None = None
    is_certain: bool = True

    @property
    def is_repeated(self) -> bool:
        """Whether it is one job, started again or in several containers."""
        return self.earlier is self.later

    @property
    def earlier_at(self) -> Span:
        """Where the earlier one shows its port, or starts, in its file (the caller's, if any)."""
        starts = self.caller is not None or self._is_one_place
        return self.earlier.started_at if starts else _shown(self.earlier)

    @property
    def later_at(self) -> Span:
        """Where the later one shows its port, or starts, in its file (the caller's, if any)."""
        later, port = self.later, self.later.port
        starts = self.caller is not None or (self._is_one_place and port is None)
        used = None if self.is_repeated or port is None else self._own_use(port)
        if self._is_one_place and used is not None:
            return used  # what both name stands in front of them
        if self._is_one_place and self._before_it() is not None:
            return later.span
        return later.started_at if starts else _shown(later)

    @property
    def place(self) -> tuple[Document, Span]:
        """Where to speak of it: where the later one starts or shows its port; at the port itself
        where that is in another file, or that of copies."""
        own = self.later.port
        if self.caller is not None:
            return self.caller, self.later_at
        elsewhere = own is not None and own.document is not self.later.document
        if own is not None and (elsewhere or self.copies is not None):
            return own.document, own.span
        return self.later.document, self.later_at

    @property
    def beside(self) -> list[Related]:
        """The other places that show it."""
        if self.copies is not None:
            copies = self.copies
            return [Related(copies.document, copies.span, f"{copies.number} copies")]
        places = []
        if not self.is_repeated:
            document = self.caller or self.earlier.document
            places.append(Related(document, self.earlier_at, "the job that runs beside it"))
        own = self.later.port
        if self.caller is not None and own is not None:
            places.append(Related(own.document, own.span, f"port {self.port}"))
        return places

    @property
    def earlier_line(self) -> str:
        """The line on which the earlier one is started, with its file where that is another one."""
        document = self.caller or self.earlier.document
        line = document.source.position(self.earlier.started_at.start)[0]
        return f"line {line}" + ("" if document is self.place[0] else f" of {document.path}")

    @property
    def _is_one_place(self) -> bool:
        """Whether both are one command: two calls of the function in which it stands."""
        earlier, later = self.earlier, self.later
        return earlier.document is later.document and _shown(earlier) == _shown(later)

    def other_port(self, project: Project) -> Fix | None:
        """What gives the later job another port: a free one, else the next number. None for copies
        of one container, which all read the same."""
        if self.copies is not None:
            return None
        free = ports.free_port(self.later, project)
        is_shared = self.is_repeated or (self.caller is None and self._is_one_place)
        if free is not None or is_shared:
            # Another number where it stands would be that of both.
            return free or self._at_use() or self._before_it()
        return self._in_front() or self._next()

    def _at_use(self) -> Fix | None:
        """The number behind it, where the later one's own words expand the variable of both."""
        later, port = self.later, self.later.port
        used = self._own_use(port) if port is not None else None
        if port is None or used is None or later.document.kind not in ("script", "slurm"):
            return None
        expanded = re.fullmatch(r'("?)\$\{?(\w+)\}?\1', port.raw)
        if expanded is None:
            return None
        better = f"{expanded[1]}$(({expanded[2]} + {self.holders})){expanded[1]}"
        return repair(f"use the port behind it: {better}", Edit(later.document.path, used, better))

    def _before_it(self) -> Fix | None:
        """A variable that both read from the environment, set in front of the later command."""
        later, port = self.later, self.later.port
        if self.is_repeated or port is None or port.origin != "env" or not later.flow:
            return None
        if self.caller is not None:
            return None
        command, given = later.flow[0], f"{port.key}={self.port + self.holders}"
        edit = command.script.fragment.edit(command.start, command.start, f"{given} ")
        return repair(f"start it with {given}", edit)

    def _own_use(self, port: Setting) -> Span | None:
        """Where the later one's own words expand the variable that holds its port."""
        used, theirs = port.used_at, self.earlier.port
        if used is None or self.caller is not None or theirs is None or theirs.used_at == used:
            return None
        command = self.later.flow[0].span if self.later.flow else self.later.span
        return used if command.start <= used.start < command.end else None

    def _in_front(self) -> Fix | None:
        """The script's port variable, set in front of the command that starts it."""
        port = self.later.port
        if self.caller is None or port is None or not isinstance(port.value, Variable):
            return None
        at = self.later.started_at.start
        given = f"{port.value.name}={self.port + self.holders}"
        return repair(f"start it with {given}", Edit(self.caller.path, Span(at, at), f"{given} "))

    def _next(self) -> Fix | None:
        own, better = self.later.port, f"{self.port + 1}"
        if own is not None and isinstance(own.value, Variable):
            text = f"$((${{{own.value.name}:-{self.port}}} + 1))"
            return repair(f"use the port behind it: {text}", own.write(Computed(text)))
        edit = own.write(better) if own is not None else self.later.add("master_port", better)
        return repair(f"use port {better}", edit)


def contentions(project: Project) -> Iterator[Contention]:
    """Each job of a project that finds its port held, with the first that holds it."""
    for launch in project.launches:
        several = copies(launch) if launch.network.mode == "host" and launch.port else None
        number = host_port(launch, project) if several is not None else None
        if number is not None:
            yield Contention(launch, launch, number, copies=several)
    yield from _started(project)
    holders: dict[tuple[int, int, int], dict[Hashable, list[Launch]]] = {}
    for later in project.launches:
        number = host_port(later, project)
        if number is None or later.is_started:
            continue
        crowds = holders.setdefault((number, id(later.document.unit[0]), _whole(later)), {})
        other, held = _first_beside(crowds.values(), later)
        crowds.setdefault(crowd_of(project, later), []).append(later)
        if other is None and _together(later, later):
            other, held = later, 1
        if other is not None:
            sure = _same_source(other, later)
            yield Contention(other, later, number, holders=held, is_certain=sure)


def host_port(launch: Launch, project: Project) -> int | None:
    """The port that a launch opens on its host, None where it is not known."""
    if not ports.matters(launch) or launch.is_multinode or _is_other_rank(launch):
        return None
    if _is_script(launch, project) or _may_be_alone(launch):
        return None
    if launch.machines() is None and launch.get("node_rank") is not None:
        return None  # perhaps one node of a job: its peers are meant to name the same port
    if launch.port is not None:
        return default_int(launch.port.value) or None
    if launch.launcher == "torchrun":
        version = project.versions(launch.document, "torch")
        if not (version.pinned and version.before("2.12")):
            return None  # torch 2.12 and newer take a free port where none is given
    if launch.launcher in ("torchrun", "deepspeed", "accelerate"):
        text = launch.effective("master_port")
        return int(text) if text else None
    return None


def _is_other_rank(launch: Launch) -> bool:
    """Whether a program is given a rank that is, or may be, none that opens the port: 0 does."""
    if launch.launcher not in ("python", "env"):
        return False
    given = launch.env.get("RANK") or launch.env.get("LOCAL_RANK")
    return given is not None and as_int(given.value) != 0


def _may_be_alone(launch: Launch) -> bool:
    """Whether a Python program may meet nobody: it inherits a port that is meant for others. One
    that is given devices or a rank, or that is started twice, is a job of its own."""
    port, program = launch.port, launch.program
    if launch.launcher != "python" or port is None or program is None or not launch.flow:
        return False
    if any(name in launch.env for name in ("RANK", "WORLD_SIZE", "CUDA_VISIBLE_DEVICES")):
        return False
    own, given = launch.flow[0].span, port.span
    if port.document is launch.document and own.start <= given.start < own.end:
        return False

    def named() -> Counter[str | None]:
        launches = (x for x in launch.document.launches if x.launcher == "python")
        return Counter(x.program.text for x in launches if x.program is not None)

    times: Counter[str | None] = launch.document.fact("python programs", named)
    return times[program.text] < 2


def _is_script(launch: Launch, project: Project) -> bool:
    """Whether what a shell starts, with rendezvous variables, is a script of the tree: what that
    opens is read there."""
    program = launch.program
    if launch.launcher != "env" or launch.container is not None or program is None:
        return False
    words = (program.text, *(word.text or "" for word in program.args[:4]))
    name = next((word for word in words if word.endswith((".sh", ".bash"))), None)
    return name is not None and project.exists(launch.document, name) is True


def _started(project: Project) -> Iterator[Contention]:
    """Jobs of scripts that another script starts side by side."""
    if all(document.kind not in ("script", "slurm") for document in project.documents):
        return
    from cfglint.jobs.started import started_scripts

    for caller, launches in started_scripts(project):
        held: list[tuple[Launch, int]] = []
        for later in launches:
            if {"srun", "sbatch"} & set(later.wrappers):
                continue  # Slurm may put a step, and a job, on a node of its own
            port, number = later.port, host_port(later, project)
            whole = not later.is_multinode and not _is_other_rank(later)
            if number is None and port is not None and whole:
                number = default_int(port.value) or None
            if number is None:
                continue
            same = [x for x, taken in held if taken == number and _together(x, later)]
            held.append((later, number))
            earlier = same[0] if same else later if _together(later, later) else None
            if earlier is not None:
                yield Contention(earlier, later, number, caller, len(same))


def _together(earlier: Launch, later: Launch) -> bool:
    if _may_be_elsewhere(earlier) and _may_be_elsewhere(later):
        return False
    if earlier.overlaps(later):
        bare = earlier.container is None and later.container is None
        return bare or earlier.network.mode == later.network.mode == "host"
    if earlier is later or earlier.container is None or later.container is None:
        return False
    if earlier.flow and later.flow and earlier.flow[-1].script is later.flow[-1].script:
        return False  # one script of one container, which starts them one after the other
    hosts = earlier.network.mode == later.network.mode == "host"
    if not hosts or earlier.container.kind != "compose" or earlier.peers:
        return False
    return earlier.container.may_run_beside(later.container)


def _whole(launch: Launch) -> int:
    """What starts a launch and all that can run beside it: a Compose project, or one script."""
    if launch.container is not None and launch.container.kind == "compose":
        return 0
    return id(launch.flow[-1].script) if launch.flow else id(launch)


def _first_beside(crowds: Iterable[list[Launch]], later: Launch) -> tuple[Launch | None, int]:
    """The first that runs when a later one starts, and how many do."""
    first: Launch | None = None
    count = 0
    for crowd in crowds:
        behind = later.flow and crowd[-1].flow and crowd[-1].flow[-1].start < later.flow[-1].start
        asked = crowd[:1] if behind else crowd  # the others of it would say the same
        held = [other for other in asked if _together(other, later)]
        if held:
            first = first or held[0]
            count += len(crowd) if behind else len(held)
    return first, count


def _same_source(earlier: Launch, later: Launch) -> bool:
    """Whether two launches that name one port cannot be given different ones."""
    one, other = (x.port.value if x.port is not None else None for x in (earlier, later))
    if isinstance(one, Variable) and isinstance(other, Variable):
        return one.name == other.name
    return not isinstance(one, Variable) and not isinstance(other, Variable)


def _may_be_elsewhere(launch: Launch) -> bool:
    """Whether Slurm may put a step on any of several nodes."""
    nodes = launch.nodes.number if launch.nodes is not None else None
    return "srun" in launch.wrappers and nodes != 1


def _shown(launch: Launch) -> Span:
    """Where a launch's own file gives its port, else where the launch stands."""
    port = launch.port
    return port.span if port is not None and port.document is launch.document else launch.span
