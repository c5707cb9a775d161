"""Jobs and their nodes, made from the launches of a project.

A job is one launch, or the launches of several files that are nodes of one job. What belongs to all
nodes (the rendezvous, the size) stands on the job, the rest on the node.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from cfglint.engine import Result
from cfglint.launch import Launch, Setting
from cfglint.rule import Finding
from cfglint.show.values import Fact, describe, of_launch, of_setting, where
from cfglint.text import Span
from cfglint.values import default_int

# Variables that decide who talks to whom; the others of an environment are not shown.
VARIABLES = (
    "NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME", "NCCL_IB_HCA", "NCCL_IB_DISABLE", "NCCL_DEBUG",
    "CUDA_VISIBLE_DEVICES", "FORCE_TORCHRUN", "RDZV_ID",
)  # fmt: skip
NETWORKS = {
    "host": "the host's own (host networking)",
    "bridge": "docker's default bridge: a private network on each machine",
    "project": "a bridge of its own: a private network on each machine",
    "overlay": "overlay: spans the machines of the swarm",
    "macvlan": "macvlan: an address in the machine's own network",
    "ipvlan": "ipvlan: an address in the machine's own network",
    "pod": "the pod's",
    "container": "another container's",
    "none": "none: nothing can be reached",
    "machine": "the machine's own (no container)",
}
OPENINGS = {
    "nnodes": "number of machines",
    "node_rank": "node rank",
    "nproc_per_node": "processes per machine",
    "num_processes": "processes in all",
    "master_addr": "master address",
    "master_port": "master port",
    "rdzv_endpoint": "rendezvous endpoint",
    "rdzv_id": "rendezvous id",
}


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
    """A distributed job. `machines` and `world` are None where the files leave them open."""

    number: int
    title: str
    nodes: list[Node]
    facts: list[Fact]
    machines: int | None
    world: int | None
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
        parts = [_many(machines, "machine", "machines") if machines else "machines unknown"]
        if per_node is not None:
            parts.append(
                f"{_many(per_node, 'process', 'processes')}{' each' if machines != 1 else ''}"
            )
        if self.world is not None and (machines or 0) > 1:
            parts.append(f"{self.world} in all")
        elif per_node is None and self.world is not None:
            parts.append(_many(self.world, "process", "processes"))
        elif per_node is None:
            parts.append("number of processes open")
        return ", ".join(parts)


def _many(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


def jobs(result: Result) -> list[Job]:
    """The jobs of the given files, in the order of their places."""
    project = result.project
    groups = list(project.jobs())
    grouped = {id(launch) for group in groups for launch in group}
    groups += [[launch] for launch in project.launches if id(launch) not in grouped]
    shown = [group for group in groups if any(_is_shown(launch) for launch in group)]
    shown.sort(key=lambda group: min((x.document.path, x.span) for x in group))
    made = [_job(number, group) for number, group in enumerate(shown, 1)]
    _give_findings(made, result.findings)
    return made


def _is_shown(launch: Launch) -> bool:
    given = any(document.given for document in launch.documents())
    # Variables alone (an env file) are no launch; what uses them is.
    return given and (
        launch.launcher != "env" or bool(launch.settings) or launch.program is not None
    )


def _job(number: int, group: list[Launch]) -> Job:
    group = sorted(group, key=lambda x: (_rank(x) is None, _rank(x) or 0, x.document.path, x.span))
    first = group[0]
    machines = first.machines()
    world = _world(group, machines)
    shared = list(_job_facts(first, machines))
    nodes = [_node(launch, len(group) > 1, machines) for launch in group]
    for node in nodes[1:]:
        node.facts[:0] = _differing(shared, list(_job_facts(node.launch, node.launch.machines())))
    return Job(number, _title(first), nodes, shared, machines, world)


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
        return f"variables of {launch.label or launch.document.path}"
    return f"{launch.launcher} with {launch.document.path}"


def _rank(launch: Launch) -> int | None:
    setting = launch.get("node_rank")
    return default_int(setting.value) if setting is not None else None


def _per_node(launch: Launch, machines: int | None) -> int | None:
    """Processes that one machine starts, where the files or a default tell."""
    for name in ("nproc_per_node", "num_gpus"):
        setting = launch.get(name)
        if setting is not None:
            return default_int(setting.value)
    total = launch.get("num_processes")
    if total is not None:
        count = default_int(total.value)
        return count // machines if count is not None and machines else None
    return 1 if launch.launcher == "torchrun" else None


def _world(group: list[Launch], machines: int | None) -> int | None:
    total = group[0].get("num_processes")
    if total is not None:
        return default_int(total.value)
    if len(group) == 1:
        each = _per_node(group[0], machines)
        return each * machines if each is not None and machines else None
    counts = [_per_node(launch, machines) for launch in group]
    if machines != len(group) or None in counts:
        return None
    return sum(count for count in counts if count is not None)


def _job_facts(launch: Launch, machines: int | None) -> Iterator[Fact]:
    """The rendezvous: how the processes find each other."""
    if launch.nodes is not None and launch.get("nnodes") is None:
        yield of_setting("machines", launch.nodes)
    else:
        yield of_launch("machines", launch, "nnodes")
    if launch.get("standalone") is not None:
        setting = launch.settings["standalone"]
        how = "standalone: one machine, a free port"
        yield Fact("rendezvous", how, "known", setting.document, setting.span)
        return
    if launch.launcher not in ("env", "python"):
        yield of_launch("rendezvous", launch, "rdzv_backend")
    if launch.get("rdzv_endpoint") is not None:
        # Where host and port can be told apart, they are shown as two.
        if launch.address is None:
            yield of_launch("endpoint", launch, "rdzv_endpoint")
            return
        yield of_setting("address", launch.address)
        if launch.port is not None:
            yield of_setting("port", launch.port)
        else:
            yield Fact("port", "29400", "default", note="default of c10d")
    else:
        if machines != 1 or launch.address is not None:
            yield of_launch("address", launch, "master_addr")
        yield _port(launch)
    for name, title in (("rdzv_id", "rendezvous id"), ("hostfile", "hostfile")):
        setting = launch.get(name)
        if setting is not None:
            yield of_setting(title, setting)


def _port(launch: Launch) -> Fact:
    if launch.port is None and launch.launcher == "llamafactory":
        return Fact(
            "port", "a free port, found by each node", "default", note="default of llamafactory"
        )
    fact = of_launch("port", launch, "master_port")
    if fact.value == "0" and launch.launcher == "accelerate":
        return Fact("port", "0: a free port", fact.state, fact.document, fact.span)
    return fact


def _node(launch: Launch, several: bool, machines: int | None) -> Node:
    rank = _rank(launch)
    if several and rank is not None:
        name = f"node {rank}"
    elif (machines or 0) > 1 and rank is None:
        name = "every node"
    else:
        name = launch.label if launch.label not in ("", launch.document.path) else "node"
    return Node(
        launch, name, rank, _per_node(launch, machines), list(_node_facts(launch, machines))
    )


def _node_facts(launch: Launch, machines: int | None) -> Iterator[Fact]:
    if launch.program is not None:
        yield Fact("program", launch.program.text, "known", launch.document, launch.program.span)
    for config in launch.configs:
        document = launch.document if config.setting is None else config.setting.document
        state = "known" if config.document is not None else "open"
        note = "" if config.document is not None else "not among the files"
        yield Fact(f"{config.role} file", config.path, state, document, config.span, note)
    if machines != 1 or launch.get("node_rank") is not None:
        yield of_launch("node rank", launch, "node_rank")
    yield _processes(launch, machines)
    yield _network(launch)
    for port in launch.network.ports:
        shown = (
            f"{port.host_ip + ':' if port.host_ip else ''}{port.host or 'any'} -> {port.container}"
        )
        yield Fact("published port", shown, "known", launch.document, port.span)
    container = launch.container
    if container is not None:
        shown = f"{container.kind} {container.name}" + (
            f" ({container.image})" if container.image else ""
        )
        yield Fact("container", shown, "known", launch.document, container.span)
        for title, setting in (("shared memory", container.shm_size), ("ipc", container.ipc)):
            if setting is not None:
                yield of_setting(title, setting)
    for name in VARIABLES:
        setting = launch.env.get(name)
        if setting is not None:
            yield of_setting(name, setting)
    if not launch.complete:
        yield Fact(
            "not seen whole", launch.why_incomplete or "part of it is not in the files", "open"
        )


def _processes(launch: Launch, machines: int | None) -> Fact:
    per_node = launch.get("nproc_per_node") or launch.get("num_gpus")
    if per_node is not None:
        return of_setting("processes", per_node)
    total = launch.get("num_processes")
    if total is not None:
        fact = of_setting("processes", total)
        if (machines or 0) > 1:
            return Fact(
                fact.name, f"{fact.value} over all machines", fact.state, fact.document, fact.span
            )
        return fact
    if launch.launcher in ("deepspeed", "llamafactory"):
        return Fact(
            "processes", "one for each visible GPU", "default", note=f"default of {launch.launcher}"
        )
    if launch.launcher == "torchrun":
        return Fact("processes", "1", "default", note="default of torchrun")
    return Fact("processes", "not given", "absent")


def _network(launch: Launch) -> Fact:
    network = launch.network
    if network.mode == "unknown":
        return Fact("network", "the files do not tell", "open")
    text = NETWORKS.get(network.mode, network.mode)
    if network.names and network.mode not in ("host", "none"):
        text = f"{', '.join(network.names)}: {text}"
    return Fact("network", text, "known", launch.document if network.span else None, network.span)


# -- findings --------------------------------------------------------------------------------------


def _give_findings(made: list[Job], findings: list[Finding]) -> None:
    """Put every finding where a reader looks for it: on the job where it stands on what all nodes
    share, else at the node whose settings it stands on, else at the nodes of its file."""
    for finding in findings:
        exact = [
            (job, node)
            for job in made
            for node in job.nodes
            if any(_touches(s, finding) for s in _settings(node.launch))
        ]
        if not exact:
            exact = [
                (job, node)
                for job in made
                for node in job.nodes
                if finding.document in list(node.launch.documents())
                and _inside(node.launch, finding)
            ]
        for job, node in exact:
            if any(stands_on(finding, fact) for fact in job.facts):
                if finding not in job.findings:
                    job.findings.append(finding)
            else:
                node.findings.append(finding)


def stands_on(finding: Finding, fact: Fact) -> bool:
    """Whether a finding stands where a fact is written."""
    if fact.document is not finding.document or fact.span is None:
        return False
    return overlaps(fact.span, finding.span)


def _settings(launch: Launch) -> Iterator[Setting]:
    yield from launch.settings.values()
    yield from launch.env.values()


def _touches(setting: Setting, finding: Finding) -> bool:
    spans = [setting.span, *(s for s in (setting.key_span, setting.used_at) if s is not None)]
    return setting.document is finding.document and any(overlaps(s, finding.span) for s in spans)


def overlaps(one: Span, other: Span) -> bool:
    """Whether two spans of a document share a place."""
    return one.start < max(other.end, other.start + 1) and other.start < max(one.end, one.start + 1)


def _inside(launch: Launch, finding: Finding) -> bool:
    """Whether a finding stands in a launch's own file in a place that is not another launch's."""
    if finding.document is not launch.document:
        return True
    others = [x for x in launch.document.launches if x.span != launch.span]
    spans = [launch.span]
    if launch.container is not None:
        spans.append(launch.container.span)
    return any(overlaps(s, finding.span) for s in spans) or not others


# -- what is open ----------------------------------------------------------------------------------


def openings(launch: Launch) -> Iterator[str]:
    """One line for each thing that a launch takes from where the files do not show."""
    for name, title in OPENINGS.items():
        setting = launch.get(name)
        if setting is None:
            continue
        text, state = describe(setting.value)
        if state == "open":
            yield f"{where(setting.document, setting.span)}: the {title} is {text}"
    if not launch.complete:
        why = launch.why_incomplete or "the launch is not seen whole"
        yield f"{where(launch.document, launch.span)}: {why}"
