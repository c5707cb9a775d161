"""Jobs and their nodes, made from the launches of a project.

A job is one launch, or the launches of several files that are nodes of one job. What belongs to all
nodes (the rendezvous, the size) stands on the job, the rest on the node.
"""

from __future__ import annotations

from cfglint.model.document import Document
from cfglint.model.launch import Launch
from cfglint.model.values import default_int
from cfglint.record import dataclass, field, replace
from cfglint.result import Result
from cfglint.rule import Finding
from cfglint.show.facts import hosts, job_facts, node_facts, per_node
from cfglint.show.placing import give_findings
from cfglint.show.values import Fact, where
from cfglint.syntax.hostfile import Host
from cfglint.wording import many


@dataclass(slots=True)
class Node:
    """One launch as a node (or as all nodes) of its job. `rank` is None where the files leave it
    open or one launch stands for all of them."""

    launch: Launch
    name: str
    rank: int | None
    per_node: int | None
    facts: list[Fact]
    findings: list[Finding] = field(default_factory=list)

    @property
    def place(self) -> str:
        """Where the launch is written."""
        return where(self.launch.document, self.launch.span)

    @property
    def starter(self) -> str:
        """What starts it: the launcher, and what stands around that (srun, docker run, ssh)."""
        return " ".join([*self.launch.wrappers, self.launch.launcher])


@dataclass(slots=True)
class Job:
    """A distributed job. `machines` and `world` are None where the files leave them open; `hosts`
    are those of DeepSpeed's hostfile."""

    number: int
    title: str
    nodes: list[Node]
    facts: list[Fact]
    machines: int | None
    world: int | None
    hosts: list[Host] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    @property
    def all_findings(self) -> list[Finding]:
        """The job's own findings and those of its nodes, each once."""
        every = [*self.findings, *(f for node in self.nodes for f in node.findings)]
        return list({id(f): f for f in every}.values())

    @property
    def size(self) -> str:
        """The size in words: machines and processes."""
        each = {node.per_node for node in self.nodes}
        per_node = each.pop() if len(each) == 1 else None
        machines = self.machines
        parts = [many(machines, "machine", "machines") if machines else "number of machines open"]
        if per_node is not None:
            parts.append(
                f"{many(per_node, 'process', 'processes')}{' each' if machines != 1 else ''}"
            )
        if self.world is not None and (machines or 0) > 1:
            parts.append(f"{self.world} {'' if per_node else 'processes '}in all")
        elif per_node is None and self.world is not None:
            parts.append(many(self.world, "process", "processes"))
        elif per_node is None:
            parts.append("number of processes open")
        return ", ".join(parts)


def jobs(result: Result) -> list[Job]:
    """The jobs of the given files, in the order of their places."""
    project = result.project
    groups = list(project.jobs())
    grouped = {id(launch) for group in groups for launch in group}
    groups += [[launch] for launch in project.launches if id(launch) not in grouped]
    shown = [group for group in groups if any(_is_shown(launch) for launch in group)]
    shown.sort(key=lambda group: min((x.document.path, x.span) for x in group))
    made = [_job(number, group) for number, group in enumerate(shown, 1)]
    give_findings(made, result.findings)
    return made


def documents(made: list[Job]) -> list[Document]:
    """Every document that something of these jobs was read in."""
    nodes = [node for job in made for node in job.nodes]
    every = [d for node in nodes for d in node.launch.documents()]
    every += [f.document for job in made for f in job.facts if f.document is not None]
    return list({id(d): d for d in every}.values())


def _is_shown(launch: Launch) -> bool:
    given = any(document.given for document in launch.documents())
    # Variables alone (an env file) are no launch; what uses them is.
    return given and (
        launch.launcher != "env" or bool(launch.settings) or launch.program is not None
    )


def _job(number: int, group: list[Launch]) -> Job:
    group = sorted(group, key=lambda x: (_rank(x) is None, _rank(x) or 0, x.document.path, x.span))
    first = group[0]
    named = hosts(first)
    machines = len(named) or first.machines()
    world = _world(group, machines, named)
    shared = list(job_facts(first, machines))
    nodes = [_node(launch, len(group) > 1, machines) for launch in group]
    for node in nodes[1:]:
        node.facts[:0] = _differing(shared, list(job_facts(node.launch, node.launch.machines())))
    return Job(number, _title(first), nodes, shared, machines, world, named)


def _differing(shared: list[Fact], own: list[Fact]) -> list[Fact]:
    """What a node's file says otherwise than the first node's of things that all must share."""
    said = {fact.name: fact.value for fact in shared}
    return [replace(f, note="differs") for f in own if said.get(f.name) != f.value]


def _title(launch: Launch) -> str:
    program = launch.program.text if launch.program is not None else ""
    configs = [c.path for c in launch.configs if c.role == "llamafactory"]
    what = " ".join([program, *configs]).strip()
    if what:
        return what
    if launch.launcher == "env":
        return f"variables of {launch.label or launch.document.file.name}"
    return f"{launch.launcher} with {launch.document.file.name}"


def _rank(launch: Launch) -> int | None:
    setting = launch.get("node_rank")
    return default_int(setting.value) if setting is not None else None


def _world(group: list[Launch], machines: int | None, named: list[Host]) -> int | None:
    if named:
        limit = per_node(group[0], machines)
        return sum(min(host.slots, limit or host.slots) for host in named)
    total = group[0].get("num_processes")
    if total is not None:
        return default_int(total.value)
    if len(group) == 1:
        each = per_node(group[0], machines)
        return each * machines if each is not None and machines else None
    counts = [per_node(launch, machines) for launch in group]
    if machines != len(group) or None in counts:
        return None
    return sum(count for count in counts if count is not None)


def _node(launch: Launch, several: bool, machines: int | None) -> Node:
    rank = _rank(launch)
    if several and rank is not None:
        name = f"node {rank}"
    elif (machines or 0) > 1 and rank is None:
        name = "every node"
    else:
        name = launch.label if launch.label not in ("", launch.document.path) else "node"
    return Node(launch, name, rank, per_node(launch, machines), list(node_facts(launch, machines)))
