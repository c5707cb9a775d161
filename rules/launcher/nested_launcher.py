"""A launcher around a program that is itself a launcher.

## What it flags

`torchrun`, `accelerate launch` or `deepspeed` in front of `llamafactory-cli train`, `lmf train` or
`-m llamafactory.cli train`, in front of `swift sft` with `NPROC_PER_NODE`, `trl sft` or `axolotl
train`, or in front of another launcher. So is srun with several tasks on a node, one for each GPU,
in front of `llamafactory-cli train` or `swift sft`, and srun or mpirun that starts `deepspeed` on
each node of a hostfile, or `accelerate launch` with DeepSpeed and a hostfile: it reaches the others
over ssh by itself (`--no_ssh` and the standard launcher do not). The entry points that train in their own process (`-m llamafactory.launcher`,
`src/train.py`) are left alone, as is one process per node where nothing says that the node has more
than one GPU, and jobs under `USE_RAY` or `USE_KT`.

## Why it fails

LLaMA-Factory's command starts torchrun whenever it sees more than one device or `FORCE_TORCHRUN` is
set, whatever started it. Each worker of the outer launcher inherits its `MASTER_PORT` and starts
another launcher on it. With torch up to 2.6 every one of them dies on a port that nobody else uses:

    torch.distributed.DistNetworkError: The server socket has failed to listen on any local network address. port: 29500, useIpv6: false, code: -98, name: EADDRINUSE, message: address already in use

With torch 2.7 and newer the bind failure is only logged ("TORCHELASTIC_USE_AGENT_STORE is enabled
so ignoring the error"), and N x N processes share N GPUs and one store. Another port changes
nothing.

## Example

    torchrun --nproc_per_node=8 --master_port=29500 -m llamafactory.cli train full.yaml

Repair: the entry point that starts no launcher. It takes the YAML first, without the word `train`.

    torchrun --nproc_per_node=8 --master_port=29500 -m llamafactory.launcher full.yaml

Or let LLaMA-Factory start torchrun: `FORCE_TORCHRUN=1 NPROC_PER_NODE=8 llamafactory-cli train
full.yaml`.

## References

- LLaMA-Factory `src/llamafactory/launcher.py`; torch `TCPStore`, release 2.7
"""

from collections.abc import Iterator

from cfglint.jobs.nesting import (
    in_process,
    nested,
    nested_tasks,
    starts_whole_job,
    words_of,
)
from cfglint.project import Project
from cfglint.rule import ERROR, Finding, Launch, Related, Rule, repair

RULE = Rule(
    code="RUN001",
    name="nested-launcher",
    severity=ERROR,
    summary="a launcher around a program that starts a launcher itself",
    fix="safe",
    unsafe_too=True,
    symptoms=(
        r"TORCHELASTIC_USE_AGENT_STORE is enabled so ignoring the error",
        r"server socket has failed to listen on any local network address.*port: (?P<port>\d+)",
        r"EADDRINUSE",
        r"[Aa]ddress already in use",
    ),
    cause="Each worker starts a launcher of its own on the outer one's port: EADDRINUSE on a port "
    "nobody else uses (torch <= 2.6), or N x N processes on one store (newer).",
    help="Use the entry point that starts no launcher.",
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """A launcher whose program launches; srun's tasks, where each starts a whole node's processes."""
    program = launch.program
    if program is None:
        return
    tasks = nested_tasks(launch)
    if tasks is not None:
        yield RULE.finding(
            launch.document,
            launch.span,
            f"each of the {tasks.number} tasks on a node starts {launch.launcher}, which starts a"
            " process on every GPU itself",
            cause="The launchers of one node fight over the port, and each GPU gets a process of"
            " each.",
            help="Ask for one task per node: --ntasks-per-node=1.",
            fix=repair("one task per node", tasks.write("1"), safe=True),
            related=[Related(tasks.document, tasks.span, f"{tasks.number} tasks per node")],
        )
    outer = starts_whole_job(launch)
    if outer is not None and launch.nodes is not None:
        through = launch.get("launcher") if launch.launcher == "accelerate" else None
        yield RULE.finding(
            launch.document,
            launch.span,
            f"{outer} starts {launch.launcher} on {launch.nodes.number} nodes, and each starts the"
            " whole job",
            cause="Each of DeepSpeed's launchers reaches all hosts of the hostfile over ssh: the jobs"
            " fight over the port and the GPUs.",
            help=f"Start it once, without {outer}, or give --no_ssh, --node_rank and --master_addr."
            if launch.launcher == "deepspeed"
            else "Set deepspeed_multinode_launcher: standard, which starts this node's ranks only.",
            fix=repair("use the standard launcher", through.write("standard")) if through else None,
        )
    inner = nested(launch)
    if inner is not None:
        entry = in_process(launch)
        yield RULE.finding(
            launch.document,
            words_of(program),
            f"{launch.launcher} starts {inner}, which starts a launcher itself",
            fix=repair(f"start {entry.module} instead", *entry.edits, safe=True) if entry else None,
        )
