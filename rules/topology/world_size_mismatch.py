"""The numbers of processes, nodes and hosts do not fit together.

## What it flags

- accelerate: `num_processes` (the total over all machines) is not a multiple of `num_machines`, or less.
- `--nnodes` and the nodes that the scheduler gives (`#SBATCH --nodes`), or the pods that a manifest
  starts, are different literals. Under c10d a MIN:MAX that fits is fine; nodes beyond the most are a
  warning, and none with `--max-restarts`, for which they are spare.
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
waits for nodes that do not exist (under c10d: RendezvousTimeoutError after 600 s):

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

from cfglint.jobs.counts import disagreements
from cfglint.project import Project
from cfglint.rule import ERROR, WARNING, Finding, Launch, Related, Rule, repair

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


# Of each kind: the message, what happens, the help where it is not the rule's.
_WORDS = {
    "too-few": (
        "{asked} processes for {given} machines: some get none",
        "accelerate passes nproc_per_node 0, and torchrun stops with an AssertionError.", "",
    ),
    "uneven": (
        "{asked} processes do not divide over {given} machines",
        "accelerate starts {each} on each and trains with {even}, silently.", "",
    ),
    "scheduler": (
        "{asked} nodes are waited for, the job is given {given}",
        "torchrun waits for nodes that never come, or the surplus ones fail to join.",
        "Use the scheduler's number: $SLURM_NNODES.",
    ),
    "surplus": (
        "the rendezvous takes {asked} of the {given} nodes that the job is given",
        "Those that come first train; the others wait in silence until the job is over.",
        "Use the scheduler's number: $SLURM_NNODES. Spare nodes want --max-restarts.",
    ),
    "pods": (
        "the command counts {asked} nodes, the manifest starts {given} pod{s}",
        "torchrun waits for nodes that never come, or the surplus pods train by themselves.",
        "Leave --nnodes out where the operator sets PET_NNODES, or make both the same.",
    ),
    "processes": (
        "WORLD_SIZE counts processes here ({given} per pod), not nodes",
        "torchrun waits for that many nodes: Timed out waiting for clients.",
        "The operator sets PET_NNODES and PET_NODE_RANK for torchrun.",
    ),
    "hosts": (
        "{asked} machines, and the hostfile lists {given} host{s}",
        "DeepSpeed starts on the {given} host{s} of the file and waits for no other.",
        "List every machine in the hostfile, or ask for as many as it lists.",
    ),
    "slots": (
        "mpirun is asked for {asked} processes, the workers have {given} slots",
        'mpirun stops: "There are not enough slots available in the system".',
        "slotsPerWorker times the workers is the most that -np can be.",
    ),
}  # fmt: skip


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """The launch's numbers against each other."""
    for found in disagreements(launch):
        figures = found.figures(launch)
        message, cause, help = (text.format(**figures) for text in _WORDS[found.kind])
        yield RULE.at(
            found.asked,
            message,
            severity=WARNING if found.kind == "surplus" else None,
            cause=cause,
            help=help or None,
            fix=repair("use PET_NNODES and PET_NODE_RANK", *found.edits),
            related=[Related(found.document, found.span, found.other(launch))],
        )
