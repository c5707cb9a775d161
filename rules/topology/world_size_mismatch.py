"""The numbers of processes, nodes and hosts do not fit together.

## What it flags

- accelerate: `num_processes` (the total over all machines) is not a multiple of `num_machines`, or less.
- `--nnodes` and the nodes that the scheduler gives (`#SBATCH --nodes`), or the pods that a manifest
  starts, are different literals.
- DeepSpeed's launcher is asked for more machines (`--num_nodes`) than its hostfile lists, or an
  accelerate config counts other machines (`num_machines`) than the `deepspeed_hostfile` it names.
- mpirun in an MPIJob is asked for more processes (`-np`) than the workers have slots, and neither
  names hosts itself nor allows more with `--oversubscribe`.
- `--nnodes=$WORLD_SIZE` under an operator that sets WORLD_SIZE to the number of processes.

Uneven processes per node are fine where each node says its own (torchrun sums them), and so is
`--num_nodes` below the hostfile's number: it takes the first ones.

## Why it fails

accelerate divides with floor, without a word: 3 processes over 2 machines train with 2; fewer than
machines is an AssertionError. DeepSpeed takes what the hostfile has, also without a word. torchrun
waits for nodes that do not exist:

    torch.distributed.DistStoreError: Timed out after 901 seconds waiting for clients. 2/16 clients joined.

## Example

    compute_environment: LOCAL_MACHINE
    distributed_type: MULTI_GPU
    num_machines: 2
    num_processes: 15
    machine_rank: 0
    main_process_ip: 10.0.0.1
    main_process_port: 29500

Repair: the total, machines times GPUs of each.

    compute_environment: LOCAL_MACHINE
    distributed_type: MULTI_GPU
    num_machines: 2
    num_processes: 16
    machine_rank: 0
    main_process_ip: 10.0.0.1
    main_process_port: 29500
"""

from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import ERROR, Finding, Launch, Related, Rule, Variable, repair

RULE = Rule(
    code="TOPO006",
    name="world-size-mismatch",
    severity=ERROR,
    summary="processes, nodes and hosts do not fit together",
    fix="unsafe",
    symptoms=(
        r"Timed out after \d+ seconds waiting for clients",
        r"AssertionError.*nproc_per_node",
        r"There are not enough slots available in the system",
    ),
    help="num_processes is the total: machines times processes on each.",
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """The launch's numbers against each other."""
    yield from _accelerate(launch)
    yield from _scheduler(launch)
    yield from _replicas(launch)
    yield from _operator(launch)
    yield from _hostfile(launch)
    yield from _slots(launch)


def _accelerate(launch: Launch) -> Iterator[Finding]:
    total, machines = launch.get("num_processes"), launch.get("nnodes")
    if launch.launcher != "accelerate" or total is None or machines is None:
        return
    if not total.number or not machines.number or machines.number < 2:
        return
    related = [Related(machines.document, machines.span, f"{machines.number} machines")]
    if total.number < machines.number:
        yield RULE.at(
            total,
            f"{total.number} processes for {machines.number} machines: some get none",
            cause="accelerate passes nproc_per_node 0, and torchrun stops with an AssertionError.",
            related=related,
        )
    elif total.number % machines.number:
        each = total.number // machines.number
        yield RULE.at(
            total,
            f"{total.number} processes do not divide over {machines.number} machines",
            cause=f"accelerate starts {each} on each and trains with {each * machines.number}, silently.",
            related=related,
        )


def _scheduler(launch: Launch) -> Iterator[Finding]:
    given, asked = launch.nodes, launch.get("nnodes")
    if (
        given is None
        or asked is None
        or not given.number
        or not asked.number
        or not launch.is_static
    ):
        return
    tasks = launch.get("tasks_per_node")
    if tasks is not None and (not tasks.number or asked.number == given.number * tasks.number):
        return  # each task is a node of its own to the launcher
    if given.number != asked.number and "srun" in launch.wrappers:
        yield RULE.at(
            asked,
            f"{asked.number} nodes are waited for, the job is given {given.number}",
            cause="torchrun waits for nodes that never come, or the surplus ones fail to join.",
            help="Use the scheduler's number: $SLURM_NNODES.",
            related=[Related(given.document, given.span, f"{given.number} nodes")],
        )


def _replicas(launch: Launch) -> Iterator[Finding]:
    """The pods of one job against the number that each pod's command waits for."""
    given, asked = launch.nodes, launch.get("nnodes")
    if given is None or asked is None or launch.document.kind != "kubernetes":
        return
    if not given.number or not asked.number or given.number == asked.number:
        return
    # Pods of other objects may belong to a job of several objects, or to none.
    one_job = launch.label.startswith(("PyTorchJob ", "TrainJob "))
    if not one_job and (given.number < 2 or asked.number < 2):
        return
    word = "pod" if given.number == 1 else "pods"
    yield RULE.at(
        asked,
        f"the command counts {asked.number} nodes, the manifest starts {given.number} {word}",
        cause="torchrun waits for nodes that never come, or the surplus pods train by themselves.",
        help="Leave --nnodes out where the operator sets PET_NNODES, or make both the same.",
        related=[Related(given.document, given.span, f"{given.number} {word}")],
    )


def _operator(launch: Launch) -> Iterator[Finding]:
    """WORLD_SIZE as the number of nodes, where the operator multiplies it by processes."""
    nnodes, each = launch.get("nnodes"), launch.get("operator_nproc")
    if nnodes is None or each is None or (each.number or 1) < 2:
        return
    if not isinstance(nnodes.value, Variable) or nnodes.value.name != "WORLD_SIZE":
        return
    rank = launch.get("node_rank")
    own = rank is not None and isinstance(rank.value, Variable) and rank.value.name == "RANK"
    edits = [nnodes.write(Variable("PET_NNODES"))]
    if own and rank is not None:
        edits.append(rank.write(Variable("PET_NODE_RANK")))
    yield RULE.at(
        nnodes,
        f"WORLD_SIZE counts processes here ({each.number} per pod), not nodes",
        cause="torchrun waits for that many nodes: Timed out waiting for clients.",
        help="The operator sets PET_NNODES and PET_NODE_RANK for torchrun.",
        fix=repair("use PET_NNODES and PET_NODE_RANK", *edits),
        related=[Related(each.document, each.span, f"{each.number} processes per pod")],
    )


def _hostfile(launch: Launch) -> Iterator[Finding]:
    """The number of machines against the hosts that DeepSpeed's launcher is given."""
    asked, listed = launch.get("nnodes"), launch.listed_hosts
    if asked is None or not asked.number or listed is None:
        return
    if "include" in launch.settings or "exclude" in launch.settings:
        return
    hostfile, hosts = listed
    launcher = launch.get("launcher")
    if launch.launcher == "deepspeed":
        differ = asked.number > hosts
    elif launch.launcher == "accelerate" and asked.number > 1:
        # `standard` is torchrun on every machine, which reads no hostfile.
        name = "pdsh" if launcher is None else launcher.text
        differ = name is not None and name != "standard" and asked.number != hosts
    else:
        return
    if differ:
        word = "host" if hosts == 1 else "hosts"
        yield RULE.at(
            asked,
            f"{asked.number} machines, and the hostfile lists {hosts} {word}",
            cause=f"DeepSpeed starts on the {hosts} {word} of the file and waits for no other.",
            help="List every machine in the hostfile, or ask for as many as it lists.",
            related=[Related(hostfile, hostfile.tree.hosts[0].span, f"{hosts} {word}")],
        )


def _slots(launch: Launch) -> Iterator[Finding]:
    """The processes that mpirun is asked for against the slots of an MPIJob's workers."""
    asked, slots, machines = launch.get("ranks"), launch.get("slots"), launch.machines()
    if asked is None or slots is None or not asked.number or not slots.number:
        return
    if asked.number > slots.number:
        yield RULE.at(
            asked,
            f"mpirun is asked for {asked.number} processes, the workers have {slots.number} slots",
            cause='mpirun stops: "There are not enough slots available in the system".',
            help="slotsPerWorker times the workers is the most that -np can be.",
            related=[Related(slots.document, slots.span, f"{machines} workers with these slots")],
        )
