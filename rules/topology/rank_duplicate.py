"""Two nodes of one job have the same rank.

## What it flags

Two node files of one job (same master, same port) that give the same literal rank under a static
rendezvous. Each of them is reported. One file that is copied to every node, or whose rank the command
line overrides, is no fault; nor is a set of files that only share a master (several experiments of one
cluster): they must be called node files, or be the same but for the rank.

A literal rank in a command that one line starts on several nodes: `srun` over them, `pdsh`, or a loop
of `ssh $host`.

## Why it fails

Two real hosts both start a store or both register as rank 0, and all wait:

    torch.distributed.DistStoreError: wait timeout after 900000ms, keys: /none/torchelastic/role_info/...

## Example

    === node0.yaml
    compute_environment: LOCAL_MACHINE
    distributed_type: MULTI_GPU
    num_machines: 2
    num_processes: 16
    machine_rank: 0
    main_process_ip: 10.0.0.1
    main_process_port: 29500
    === node1.yaml
    compute_environment: LOCAL_MACHINE
    distributed_type: MULTI_GPU
    num_machines: 2
    num_processes: 16
    machine_rank: 0
    main_process_ip: 10.0.0.1
    main_process_port: 29500

Repair: ranks 0 to num_machines - 1, each once; 0 on the machine that main_process_ip names.

    === node1.yaml
    compute_environment: LOCAL_MACHINE
    distributed_type: MULTI_GPU
    num_machines: 2
    num_processes: 16
    machine_rank: 1
    main_process_ip: 10.0.0.1
    main_process_port: 29500
"""

from collections.abc import Iterator

from cfglint.project import Project, node_number
from cfglint.rule import (
    ERROR,
    Computed,
    Finding,
    Fix,
    Launch,
    Related,
    Rule,
    Value,
    Variable,
    repair,
)

RULE = Rule(
    code="TOPO001",
    name="rank-duplicate",
    severity=ERROR,
    summary="two nodes of one job have the same rank",
    fix="unsafe",
    symptoms=(
        r"role_info/",
        r"wait timeout after \d+ms, keys",
        r"Tried to launch distributed communication on port",
    ),
    cause="The nodes never agree who is who: wait timeout ... role_info, after 15 minutes.",
    help="Give each node its own rank, 0 on the machine that the master address names.",
)


def check_project(project: Project) -> Iterator[Finding]:
    """For each job, the nodes whose rank another one has; each command that all nodes run."""
    for launch in project.launches:
        yield from _everywhere(launch)
    if any(document.kind in ("script", "slurm") for document in project.documents):
        from cfglint.started import started_scripts

        for _, launches in started_scripts(project):
            for launch in launches:
                yield from _everywhere(launch)
    for job in project.jobs():
        static = [x for x in job if x.is_static and x.get("node_rank") is not None]
        for launch in static:
            rank = launch.settings["node_rank"]
            twin = next((x for x in static if x is not launch and _same(x, launch)), None)
            if twin is None or rank.number is None:
                continue
            other = twin.settings["node_rank"]
            line = other.document.source.position(other.span.start)[0]
            yield RULE.at(
                rank,
                f"rank {rank.number} is taken: {other.document.path}:{line} has it too",
                fix=_fix(launch, static),
                related=[Related(other.document, other.span, f"also rank {rank.number}")],
            )


def _same(one: Launch, other: Launch) -> bool:
    """Whether two places give the same rank (a shared place is one file that every node runs)."""
    a, b = one.get("node_rank"), other.get("node_rank")
    if a is None or b is None:
        return False
    return a.number == b.number and (a.document, a.span) != (b.document, b.span)


def _fix(launch: Launch, job: list[Launch]) -> Fix | None:
    """The rank that the file's own name says, or the line's place among those of one script, where
    it is free."""
    number = node_number(launch.document.path)
    if all(x.document is launch.document for x in job):
        number = sorted(job, key=lambda x: x.started_at.start).index(launch)
    ranks = {x.settings["node_rank"].number for x in job}
    size = launch.machines() or 0
    if number is None or number in ranks or number >= size:
        return None
    return repair(f"rank {number}, its own", launch.settings["node_rank"].write(str(number)))


def _everywhere(launch: Launch) -> Iterator[Finding]:
    """A literal rank where one command starts every node."""
    rank = launch.get("node_rank")
    if rank is None or rank.number is None or not launch.is_static or not launch.is_multinode:
        return
    if any(
        x.document is launch.document and not x.overlaps(launch) and not _same(x, launch)
        for x in launch.peers
    ):
        return  # a line for each node: slurm-srun-sequential's fault
    nodes = launch.nodes.number if launch.nodes is not None else None
    own: Value | None = None  # how each node can say its own number there
    if "srun" in launch.wrappers and (nodes or 0) > 1 and launch.tasks != 1:
        by = f"srun starts {nodes} nodes"
        own = Variable("SLURM_NODEID") if launch.evaluated == "node" else None
    elif "pdsh" in launch.wrappers:
        by = "pdsh starts every node"
        if launch.flow and launch.flow[-1].script.document is rank.document:
            own = Computed("%n")  # which pdsh fills in, in its own command
    elif launch.in_every_turn and "$" in launch.host:
        by = f"the loop starts every {launch.host}"
    else:
        return
    written = rank.write(own) if own is not None and rank.used_at is None else None
    fix = repair("each node's own number", written)
    yield RULE.at(rank, f"{by} with rank {rank.number}", fix=fix)
