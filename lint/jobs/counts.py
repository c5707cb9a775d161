"""The ways in which the counts of one job can disagree: processes, nodes, pods, hosts, slots.

Sources: facts on accelerate (num_processes is the total; it divides with floor), torchrun (it waits
for all nodes, and sums uneven processes), DeepSpeed's hostfile, the training operator (what it
multiplies into WORLD_SIZE), Open MPI's slots.
"""

from __future__ import annotations

from collections.abc import Iterator

from cfglint.model.document import Document
from cfglint.model.edit import Edit
from cfglint.model.launch import Launch, Setting
from cfglint.model.values import Variable, parse_int
from cfglint.record import dataclass, replace
from cfglint.text import Span


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A count that does not fit another one of the same job.

    `kind`: "too-few" (fewer processes than machines), "uneven" (processes that do not divide over
    the machines), "scheduler" (nodes that the batch job is given), "surplus" (more of these than a
    c10d rendezvous takes), "pods", "processes" (WORLD_SIZE of an operator taken for nodes), "hosts"
    (of a hostfile) or "slots" (of an MPIJob's workers).
    `asked` is what the launcher is told (`wanted`: the end of its MIN:MAX that does not fit),
    `given` the number that stands against it, at `span` of `document`. `edits` make `asked` right,
    None among them where one cannot be written.
    """

    kind: str
    asked: Setting
    given: int
    document: Document
    span: Span
    edits: tuple[Edit | None, ...] = ()
    wanted: int | None = None

    def figures(self, launch: Launch) -> dict[str, int | str | None]:
        """The numbers of a launch that explain it: `asked`, `given` and whether that is a plural
        (`s`), `machines`, and with `given` as a divisor how many `each` gets and `even` in all."""
        asked, given = self.wanted or self.asked.number or 0, self.given
        each = asked // given
        return {
            "asked": asked,
            "given": given,
            "s": "" if given == 1 else "s",
            "machines": launch.machines(),
            "each": each,
            "even": each * given,
        }

    def other(self, launch: Launch) -> str:
        """What stands at the other place, in words."""
        return _OTHER[self.kind].format(**self.figures(launch))


_OTHER = {
    "too-few": "{given} machines",
    "uneven": "{given} machines",
    "scheduler": "{given} nodes",
    "surplus": "{given} nodes",
    "pods": "{given} pod{s}",
    "processes": "{given} processes per pod",
    "hosts": "{given} host{s}",
    "slots": "{machines} workers with these slots",
}


def disagreements(launch: Launch) -> Iterator[Disagreement]:
    """The counts of a launch that do not fit each other, where both are known."""
    for pair in (_processes, _nodes, _dynamic, _pods, _operator, _hosts, _slots):
        found = pair(launch)
        if found is not None:
            yield found


def _against(kind: str, asked: Setting, given: Setting) -> Disagreement:
    return Disagreement(kind, asked, given.number or 0, given.document, given.span)


def _processes(launch: Launch) -> Disagreement | None:
    total, machines = launch.get("num_processes"), launch.get("nnodes")
    if launch.launcher != "accelerate" or total is None or machines is None:
        return None
    if not total.number or not machines.number or machines.number < 2:
        return None
    if total.number < machines.number:
        return _against("too-few", total, machines)
    return _against("uneven", total, machines) if total.number % machines.number else None


def _nodes(launch: Launch) -> Disagreement | None:
    """The nodes of a batch job against those that a launcher in srun waits for."""
    given, asked = launch.nodes, launch.get("nnodes")
    if given is None or asked is None or not given.number or not asked.number:
        return None
    if launch.launcher == "env":
        return None  # a program that is not seen may not read NNODES
    tasks = launch.get("tasks_per_node")
    if tasks is not None and (not tasks.number or asked.number == given.number * tasks.number):
        return None  # each task is a node of its own to the launcher
    if given.number == asked.number or "srun" not in launch.wrappers or not launch.is_static:
        return None
    return _against("scheduler", asked, given)


def _dynamic(launch: Launch) -> Disagreement | None:
    """The nodes of a batch job against those that a c10d rendezvous waits for, and takes at most.

    Nodes beyond the most wait as long as the job runs, each to take a failed one's place; that is
    what they are for where restarts are allowed. Source: torch's `dynamic_rendezvous.py`.
    """
    given, asked, tasks = launch.nodes, launch.get("nnodes"), launch.get("tasks_per_node")
    if launch.launcher not in ("torchrun", "accelerate") or "srun" not in launch.wrappers:
        return None
    if launch.effective("rdzv_backend") != "c10d" or "standalone" in launch.settings:
        return None
    if launch.background or launch.peers:
        return None  # others may join the same rendezvous
    span = _span_of_nodes(asked)
    if given is None or not given.number or asked is None or span is None:
        return None
    if tasks is not None and not tasks.number:
        return None
    least, most = span
    agents = given.number * (tasks.number or 1) if tasks is not None else given.number
    if agents < least:
        return replace(_against("scheduler", asked, given), wanted=least)
    spare = "max_restarts" in launch.settings and launch.effective("max_restarts") != "0"
    if given.number > most and not spare:
        return replace(_against("surplus", asked, given), wanted=most)
    return None


def _span_of_nodes(asked: Setting | None) -> tuple[int, int] | None:
    """The fewest and the most nodes of a literal N or MIN:MAX."""
    ends = [parse_int(end) for end in (asked.text or "").split(":")] if asked else []
    if len(ends) not in (1, 2) or not ends[0] or not ends[-1]:
        return None
    return ends[0], ends[-1]


def _pods(launch: Launch) -> Disagreement | None:
    """The pods of one job against the number that each pod's command waits for."""
    given, asked = launch.nodes, launch.get("nnodes")
    if given is None or asked is None or launch.document.kind != "kubernetes":
        return None
    if not given.number or not asked.number or given.number == asked.number:
        return None
    # Pods of other objects may belong to a job of several objects, or to none.
    one_job = launch.label.startswith(("PyTorchJob ", "TrainJob "))
    if not one_job and (given.number < 2 or asked.number < 2):
        return None
    return _against("pods", asked, given)


def _operator(launch: Launch) -> Disagreement | None:
    """WORLD_SIZE as the number of nodes, where the operator multiplies it by processes."""
    nnodes, each = launch.get("nnodes"), launch.get("operator_nproc")
    if nnodes is None or each is None or each.number is None or each.number < 2:
        return None
    if not isinstance(nnodes.value, Variable) or nnodes.value.name != "WORLD_SIZE":
        return None
    edits = [nnodes.write(Variable("PET_NNODES"))]
    rank = launch.get("node_rank")
    if rank is not None and isinstance(rank.value, Variable) and rank.value.name == "RANK":
        edits.append(rank.write(Variable("PET_NODE_RANK")))
    return Disagreement("processes", nnodes, each.number, each.document, each.span, tuple(edits))


def _hosts(launch: Launch) -> Disagreement | None:
    """The number of machines against the hosts that DeepSpeed's launcher is given."""
    asked, listed = launch.get("nnodes"), launch.listed_hosts
    if asked is None or not asked.number or listed is None:
        return None
    if "include" in launch.settings or "exclude" in launch.settings:
        return None
    hostfile, hosts = listed
    launcher = launch.get("launcher")
    if launch.launcher == "deepspeed":
        differ = asked.number > hosts
    elif launch.launcher == "accelerate" and asked.number > 1:
        # `standard` is torchrun on every machine, which reads no hostfile.
        name = "pdsh" if launcher is None else launcher.text
        differ = name is not None and name != "standard" and asked.number != hosts
    else:
        return None
    first: Span = hostfile.tree.hosts[0].span
    return Disagreement("hosts", asked, hosts, hostfile, first) if differ else None


def _slots(launch: Launch) -> Disagreement | None:
    """The processes that mpirun is asked for against the slots of an MPIJob's workers."""
    asked, slots = launch.get("ranks"), launch.get("slots")
    if asked is None or slots is None or not asked.number or not slots.number:
        return None
    return _against("slots", asked, slots) if asked.number > slots.number else None
