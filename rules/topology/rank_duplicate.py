"""Two nodes of one job have the same rank.

## What it flags

Two node files of one job (same master, same port) that give the same literal rank under a static
rendezvous. Each of them is reported. One file that is copied to every node, or whose rank the command
line overrides, is no fault; nor is a set of files that only share a master (several experiments of one
cluster): they must be called node files, or be the same but for the rank.

A literal rank in a command that one line starts on several nodes: `srun` over them, `pdsh`, a loop of
`ssh $host`, a script that one file sends to several hosts, pods of one template, or the containers of a
Compose service with `replicas`, where a variable that Compose fills in has one value as well.

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

from cfglint.jobs.ranks import everywhere, twins
from cfglint.project import Project
from cfglint.rule import ERROR, Finding, Related, Rule, repair

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
    """Each command that all nodes run; for each job, the nodes whose rank another one has."""
    for one in everywhere(project):
        starts = {
            "srun": f"srun starts {one.nodes} nodes",
            "pdsh": "pdsh starts every node",
            "pods": f"the manifest starts {one.nodes} pods",
            "replicas": f"the service has {one.nodes} containers",
            "loop": f"the loop starts every {one.hosts}",
            "ssh": f"ssh starts it on {one.nodes} hosts",
        }
        number = one.rank.number
        edit = one.rank.write(one.own) if one.own is not None else None
        yield RULE.at(
            one.rank,
            f"{starts[one.by]} with rank {one.rank.raw if number is None else number}",
            fix=repair("each node's own number", edit),
        )
    for twin in twins(project):
        rank, other = twin.rank, twin.other
        line = other.document.source.position(other.span.start)[0]
        edit = rank.write(f"{twin.own}") if twin.own is not None else None
        yield RULE.at(
            rank,
            f"rank {rank.number} is taken: {other.document.path}:{line} has it too",
            fix=repair(f"rank {twin.own}, its own", edit),
            related=[Related(other.document, other.span, f"also rank {rank.number}")],
        )
