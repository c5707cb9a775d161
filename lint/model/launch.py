"""The model: one start of a distributed job, as far as the files tell.

Readers make launches from trees; rules look at launches. Absent settings are absent, never
defaulted: `Launch.effective` is the separate question of what the launcher does without them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cfglint.model.container import Container, Network, Port
from cfglint.model.edit import Edit
from cfglint.model.setting import Behind, ConfigRef, Program, Setting, Word, Written
from cfglint.model.values import Value, default_int, possible
from cfglint.record import dataclass, field
from cfglint.text import Span

if TYPE_CHECKING:
    from cfglint.model.commandline import CommandLine
    from cfglint.model.document import Document


__all__ = [
    "Behind",
    "ConfigRef",
    "Container",
    "Launch",
    "Network",
    "Port",
    "Program",
    "Setting",
    "Word",
    "Written",
]


@dataclass(slots=True)
class Launch:
    """One start of a distributed job.

    `launcher`: "torchrun", "accelerate", "deepspeed", "llamafactory", "swift", "mpirun", "srun",
    "python" (a plain program that reads the rendezvous variables itself), "env" (only variables are
    seen, the program is not), "pytorchjob", "trainjob", "mpijob".
    `evaluated`: "once" (on the host where the batch script or shell runs), "node" (on every node).
    `settings` go by the model's names, whatever a format calls them: nnodes (torchrun's MIN:MAX
    stays one text), node_rank, nproc_per_node, num_processes (over all machines), master_addr,
    master_port, rdzv_backend, rdzv_endpoint (whole, and its parts endpoint_addr and endpoint_port),
    rdzv_id, rdzv_conf, standalone, local_addr, hostfile, include, num_gpus, ssh_port, launcher,
    distributed_type and the like.
    `complete`: the command, its options, its environment and its program were seen whole. Rules
    about something missing look only at complete launches.
    """

    document: Document
    span: Span
    launcher: str
    settings: dict[str, Setting] = field(default_factory=dict)
    env: Mapping[str, Setting] = field(default_factory=dict)
    network: Network = field(default_factory=Network)
    container: Container | None = None
    program: Program | None = None
    configs: list[ConfigRef] = field(default_factory=list)
    evaluated: str = "once"
    complete: bool = True
    why_incomplete: str = ""
    argv: Sequence[Word] = ()  # the launcher's own words, launcher name included
    background: bool = False
    label: str = ""  # what a person calls it: "service trainer", "line 12"
    wrappers: tuple[str, ...] = ()  # srun, docker run, ssh ... around it, outermost first
    tasks: int | None = None  # how many copies a wrapper starts (srun --ntasks), None unknown
    nodes: Setting | None = None  # machines that a scheduler gives (#SBATCH --nodes, replicas)
    allocated: Setting | None = None  # the nodes that Slurm gives to the batch script around it
    step_tasks: int | None = None  # how many tasks an srun in it would start on each of them
    parts: list[Document] = field(default_factory=list)  # other documents that fed settings in
    # Writes a variable where this place keeps them; None where it cannot.
    env_writer: Callable[[str, str], Edit | None] | None = None
    # Writes a setting that is absent ("master_port", "29500") in this place's own form.
    setting_writer: Callable[[str, str], Edit | None] | None = None
    flow: tuple[Any, ...] = ()  # the shell commands around it, innermost first (model.flow)
    # Whether the text around it names a variable (`$NAME`) anywhere.
    mentions: Callable[[str], bool] | None = None
    # Variables (of names that a test lets through) that the script sets before it and neither
    # exports nor uses, with the edit that exports each.
    unexported: Callable[[Callable[[str], bool]], list[tuple[Setting, Edit | None]]] | None = None
    # Variables of its environment that whoever starts the ranks does not hand to those on other
    # machines, with the edit that makes it do so.
    left_behind: dict[str, tuple[Setting, Edit | None]] = field(default_factory=dict)
    # Edits that let the script go on while it runs.
    to_background: Callable[[], list[Edit] | None] | None = None
    # Edits that leave a variable to the tasks of the srun command that starts it.
    read_on_node: Callable[[Setting], list[Edit] | None] | None = None
    detached: bool = False  # the script goes on beside it without `&`: tmux, docker run -d
    detaching: Any = None  # the command of `flow` that does so
    many: bool = False  # one command starts it several times at a time: xargs -P, parallel
    folder: str = ""  # to which the script has gone (`cd`) from where it was started
    host: str = ""  # the machine that ssh or srun -w sends it to, as it is written
    command: CommandLine | None = None  # the launcher's own options, where it is a command
    behind: Behind | None = None  # a launcher among the program's arguments, which starts nothing
    # Adds what the controller of its pods gives a launch in its place.
    controller: Callable[[Launch], None] | None = None
    peers: list[Launch] = field(
        default_factory=list
    )  # node files of the same job, found by the project

    def get(self, name: str) -> Setting | None:
        """The setting of that name, None when the files do not give it."""
        return self.settings.get(name)

    def value(self, name: str) -> Value | None:
        """The value of a setting, None when the files do not give it."""
        setting = self.settings.get(name)
        return setting.value if setting else None

    def overlaps(self, other: Launch) -> bool:
        """Whether both run at the same time on one machine, as far as one script shows.

        Asked of itself: whether a loop starts it again while it runs.
        """
        if not self.flow or self.host != other.host:
            return False
        if self is other and "$" in self.host:
            return False  # each turn of the loop may go to a machine of its own
        if self is other and self.many:
            return True
        from cfglint.model.flow import overlap

        return overlap(self.flow, other.flow, self.detaching, other.detaching)

    @property
    def started_at(self) -> Span:
        """Where its file starts it: the call of the function, or the command that runs the inner
        script, in which it stands; itself else."""
        for command in reversed(self.flow):
            calls = command.script.times[command.name]
            if command.name not in command.script.functions or calls > 1:
                return command.span  # type: ignore[no-any-return]
        return self.span  # but for functions that are called once, as `main` is

    def keeps_back(self, *names: str) -> bool:
        """Whether its script sets one of the variables and does not export it."""
        return self.unexported is not None and bool(self.unexported(names.__contains__))

    def withholds(self, *names: str) -> bool:
        """Whether its script sets a variable for one of the settings and does not export it."""
        prefix = _PREFIXES.get(self.launcher)
        return prefix is not None and self.keeps_back(*(prefix + name.upper() for name in names))

    def assigns(self, name: str) -> bool:
        """Whether its script gives a variable a value anywhere, exported or not."""
        return any(a.name == name for c in self.flow for a in c.script.assignments)

    @property
    def started_in(self) -> Document:
        """The file that starts it: that of a script which starts the one in which it stands, or
        its own."""
        return self.flow[-1].script.document if self.flow else self.document

    @property
    def is_started(self) -> bool:
        """Whether another script starts the one in which it stands."""
        return self.started_in is not self.document

    @property
    def listed_hosts(self) -> tuple[Document, int] | None:
        """The hostfile that the launch hands to DeepSpeed and how many machines it lists.

        None where none is at hand, or a line of it is refused.
        """
        for reference in self.configs:
            named = reference.document if reference.role == "hostfile" else None
            hosts = len(getattr(named.tree, "hosts", ())) if named is not None else 0
            if named is not None and hosts and not getattr(named.tree, "bad", ()):
                return named, hosts
        return None

    @property
    def may_be_told(self) -> bool:
        """Whether it runs in pods whose controller may tell the launcher of the others. Kubernetes'
        own, JobSet, LeaderWorkerSet and Volcano set no variable that torchrun reads."""
        return self.network.mode == "pod" and not self.label.startswith(_SILENT)

    @property
    def in_loop(self) -> bool:
        """Whether a loop of the script starts it."""
        return any(command.context.inside("loop") is not None for command in self.flow)

    @property
    def is_on_first_node(self) -> bool:
        """Whether it stands in a batch script that is seen to start it once, where Slurm starts the
        script, and nothing on another machine."""
        from cfglint.model.flow import stays_here

        around: Sequence[Any] = self.flow
        wrappers = [w for w in self.wrappers if w not in _STAYING]
        if self.host or not (around or wrappers == ["sbatch"]):
            return False
        if wrappers == ["sbatch"]:  # without the script that submits it
            around = [c for c in around if c.script is not around[-1].script]
        elif wrappers or self.document.kind != "slurm":
            return False
        loops = (command.context.inside("loop") for command in around)
        return not any(loops) and all(map(stays_here, around))

    @property
    def calls_others(self) -> bool:
        """Whether its script runs on one machine and calls others: it starts launches by ssh."""
        if self.host or not _CALLS.isdisjoint(self.wrappers):
            return False
        beside = (x for x in self.document.launches if x.flow[-1:] and self.flow[-1:])
        return any(
            not _CALLS.isdisjoint(x.wrappers) and x.flow[-1].script is self.flow[-1].script
            for x in beside
        )

    @property
    def in_every_turn(self) -> bool:
        """Whether a loop of the script starts it once for each turn, whatever the turn."""
        from cfglint.model.flow import in_every_turn

        return any(map(in_every_turn, self.flow))

    def variables(self, wanted: Callable[[str], bool]) -> Iterator[tuple[str, Setting]]:
        """The variables of its environment whose names a test lets through; what the others hold
        is not looked up."""
        named = getattr(self.env, "named", None)
        for name in filter(wanted, self.env) if named is None else named(wanted):
            setting = self.env.get(name)
            if setting is not None:
                yield name, setting

    def set_env(self, name: str, value: str, also: Sequence[Launch] = ()) -> Edit | None:
        """The edit that adds a variable to this launch's environment, None if it cannot be.

        `also`: launches that want the same; those of its script get it by one line above them.
        """
        edit = self.env_writer(name, value) if self.env_writer else None
        if edit is None or not also:
            return edit
        from cfglint.model.exporting import shared_line

        return shared_line(self, also, edit)

    def add(self, name: str, value: str) -> Edit | None:
        """The edit that gives an absent setting a value, None if it cannot be."""
        return self.setting_writer(name, value) if self.setting_writer else None

    @property
    def shows_options(self) -> bool:
        """Whether the launcher's options and its program were seen whole.

        Unlike `complete` it leaves open what whoever starts the container adds to its environment.
        """
        command = self.command
        seen = command is not None and not command.opaque and self.program is not None
        return self.complete or seen

    @property
    def is_static(self) -> bool:
        """Whether the rendezvous is static (a fixed master), as far as is known."""
        return self.effective("rdzv_backend") == "static"

    def effective(self, name: str) -> str | None:
        """What holds for a setting: the file's literal or default literal, else the launcher's own.

        None when the value is not known. Source: facts on torchrun a.5, accelerate b.3,
        LLaMA-Factory a (a random port per node), DeepSpeed c.3.
        """
        setting = self.settings.get(name)
        if setting is not None:
            return next(iter(possible(setting.value)), None)
        if name == "rdzv_backend":
            if "standalone" in self.settings:
                return "c10d"
            return (
                "c10d"
                if self.launcher == "llamafactory" and "rdzv_id" in self.settings
                else "static"
            )
        return LAUNCHER_DEFAULTS.get(self.launcher, {}).get(name)

    def machines(self) -> int | None:
        """How many machines the job spans by a literal or default literal, None if unknown.

        torchrun's MIN:MAX gives MAX. Node files of one job count too.
        """
        setting = self.settings.get("nnodes") or self.nodes
        if setting is not None:
            texts = list(possible(setting.value))
            numbers = [_machines(text) for text in texts]
            known = [n for n in numbers if n is not None]
            return max(known) if known else None
        if self.peers:
            return 1 + len(self.peers)
        if self.nodes is not None:
            return default_int(self.nodes.value)
        if self.launcher == "deepspeed" and not {"include", "exclude"} & self.settings.keys():
            listed = self.listed_hosts
            if listed is not None:
                return listed[1]
        default = LAUNCHER_DEFAULTS.get(self.launcher, {}).get("nnodes")
        return int(default) if default else None

    def machines_to_start(self) -> int | None:
        """How many machines the job waits for: of torchrun's MIN:MAX it is MIN."""
        nnodes = self.settings.get("nnodes")
        least, sign, _ = (nnodes.text or "").partition(":") if nnodes is not None else ("", "", "")
        return _machines(least) if sign else self.machines()

    @property
    def is_multinode(self) -> bool:
        """Whether the files say that the job spans several machines."""
        return (self.machines() or 0) > 1

    @property
    def is_single_node(self) -> bool:
        """Whether the files say that the job stays on one machine."""
        return self.machines() == 1

    @property
    def port(self) -> Setting | None:
        """The rendezvous port as the files give it: the endpoint's part, else the master port."""
        if "rdzv_endpoint" in self.settings:
            return self.settings.get("endpoint_port")
        return self.settings.get("master_port")

    @property
    def address(self) -> Setting | None:
        """The rendezvous address as the files give it: the endpoint's host, else the master's."""
        if "rdzv_endpoint" in self.settings:
            return self.settings.get("endpoint_addr")
        return self.settings.get("master_addr")

    def documents(self) -> Iterator[Document]:
        """Every document that fed this launch, its own first."""
        yield self.document
        yield from self.parts


def _machines(text: str) -> int | None:
    tail = text.rsplit(":", 1)[-1].strip()
    return int(tail) if tail.isascii() and tail.isdigit() and len(tail) < 10 else None


# Kinds of objects whose controllers leave the pods' launchers alone.
_SILENT = ("Job ", "CronJob ", "StatefulSet ", "Deployment ", "Pod ", "JobSet ", "LeaderWorkerSet ")

# Wrappers that stay on the machine.
_CALLS = frozenset(("ssh", "pdsh"))
_STAYING = ("apptainer", "docker run", "docker exec", "nsys", "xargs", "parallel")

# What the variables are called from which a launcher takes settings, in front of a setting's name.
_PREFIXES = {"llamafactory": "", "torchrun": "PET_"}

# What each launcher does where the files say nothing. Absent here: it depends or is not known.
LAUNCHER_DEFAULTS: dict[str, dict[str, str]] = {
    "torchrun": {
        "nnodes": "1",
        "node_rank": "0",
        "master_addr": "127.0.0.1",
        "master_port": "29500",
    },
    "accelerate": {"nnodes": "1", "node_rank": "0", "master_port": "29500"},
    "deepspeed": {"master_port": "29500"},
    "llamafactory": {"nnodes": "1", "node_rank": "0", "master_addr": "127.0.0.1"},
}
