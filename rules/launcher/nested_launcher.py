"""A launcher around a program that is itself a launcher.

## What it flags

`torchrun`, `accelerate launch` or `deepspeed` in front of `llamafactory-cli train`, `lmf train` or
`-m llamafactory.cli train`, in front of `swift sft` with `NPROC_PER_NODE`, `trl sft` or `axolotl
train`, or in front of another launcher. So is srun with several tasks on a node, one for each GPU,
in front of `llamafactory-cli train` or `swift sft`. The entry points that train in their own process (`-m llamafactory.launcher`,
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

from cfglint import entrypoints
from cfglint.project import Project
from cfglint.rule import (
    ERROR,
    Computed,
    Finding,
    Fix,
    Launch,
    Literal,
    Program,
    Related,
    Rule,
    Span,
    repair,
)

RULE = Rule(
    code="RUN001",
    name="nested-launcher",
    severity=ERROR,
    summary="a launcher around a program that starts a launcher itself",
    fix="safe",
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
    """A launcher whose program launches."""
    program = launch.program
    if program is not None and "srun" in launch.wrappers:
        yield from _each_task(launch, program)
    if launch.launcher not in ("torchrun", "accelerate", "deepspeed") or program is None:
        return
    inner = _launches(launch, program)
    if inner is None:
        return
    end = program.span.end
    if program.args and program.args[0].span.start > end and program.args[0].span.end - end < 40:
        end = program.args[0].span.end
    yield RULE.finding(
        launch.document,
        Span(program.span.start, end),
        f"{launch.launcher} starts {inner}, which starts a launcher itself",
        fix=_fix(launch, program),
    )


def _each_task(launch: Launch, program: Program) -> Iterator[Finding]:
    """A command that starts the processes of a whole node, in each task of srun on it."""
    tasks, nproc = launch.get("tasks_per_node"), launch.get("nproc_per_node")
    if launch.launcher not in ("llamafactory", "swift") or tasks is None or tasks.number is None:
        return
    few = [launch.get("gpus_per_task"), launch.get("gpus_per_node"), nproc]
    if tasks.number < 2 or any(one is not None and one.number in (None, 1) for one in few):
        return  # a task has one GPU, or is told to start one process
    if nproc is not None and few[0] is not None and (few[0].number or 0) >= (nproc.number or 0):
        return  # each task starts as many as it has GPUs
    if _launches(launch, program) is None:
        return
    yield RULE.finding(
        launch.document,
        launch.span,
        f"each of the {tasks.number} tasks on a node starts {launch.launcher}, which starts a"
        " process on every GPU itself",
        cause="The launchers of one node fight over the port, and each GPU gets a process of each.",
        help="Ask for one task per node: --ntasks-per-node=1.",
        fix=repair("one task per node", tasks.write("1"), safe=True),
        related=[Related(tasks.document, tasks.span, f"{tasks.number} tasks per node")],
    )


def _launches(launch: Launch, program: Program) -> str | None:
    """What the program starts a launcher for, None where it does not."""
    command = entrypoints.subcommand(program)
    if entrypoints.is_llamafactory_command(program):
        in_process = any(
            entrypoints.is_on(entrypoints.env_text(launch, v)) for v in ("USE_RAY", "USE_KT")
        )
        inserts_rank = launch.launcher == "deepspeed" and not _given(launch, "no_local_rank")
        if command != "train" or in_process or inserts_rank or _one_device(launch):
            return None
        return f"{program.text} train"
    other = entrypoints.self_launching(program)
    if other is not None:
        starts = command in entrypoints.SELF_LAUNCHING[other][1]
        if other == "swift":
            starts &= bool({"NPROC_PER_NODE", "NNODES"} & set(launch.env))
        else:
            told = any(x.raw.startswith(("--no-accel", "--launcher")) for x in program.args)
            starts &= not (told or _one_device(launch))
        return f"{other} {command}" if starts else None
    if entrypoints.name(program) in entrypoints.LAUNCHERS and program.kind == "command":
        return program.text
    return None


def _given(launch: Launch, option: str) -> bool:
    return launch.command is not None and option in launch.command.given


def _one_device(launch: Launch) -> bool:
    """Whether the node may have one device only: then the inner launcher never starts."""
    if entrypoints.is_on(entrypoints.env_text(launch, "FORCE_TORCHRUN")):
        return False
    nproc = launch.get("nproc_per_node")
    if launch.launcher == "torchrun":
        return nproc is None or nproc.text == "1"
    count = launch.get("num_processes") or launch.get("num_gpus")
    unseen = any(c.role == "accelerate" and c.document is None for c in launch.configs)
    if count is None and unseen:
        return True
    return count is not None and count.text == "1"


def _fix(launch: Launch, program: Program) -> Fix | None:
    """The un-nested entry point; the word `train` goes, since it takes the YAML first."""
    if program.word is None or launch.launcher == "deepspeed":
        return None
    other = entrypoints.self_launching(program)
    if other is not None:
        module = f"{entrypoints.SELF_LAUNCHING[other][0]}.{entrypoints.subcommand(program)}"
        start = module if program.kind == "module" else f"-m {module}"
        place = program.word.place
        edits = [place.write(Computed(start)), program.args[0].place.remove()]
        return repair(f"start {module} instead", *edits, safe=True)
    if not entrypoints.is_llamafactory_command(program):
        return None
    v1 = entrypoints.is_on(entrypoints.env_text(launch, "USE_V1"))
    module = "llamafactory.v1.launcher" if v1 else "llamafactory.launcher"
    edits = []
    if program.kind == "module":
        edits.append(program.word.place.write(Literal(module)))
    elif program.text.endswith("/cli.py"):
        path = program.text.removesuffix("cli.py") + ("v1/launcher.py" if v1 else "launcher.py")
        edits.append(program.word.place.write(Literal(path)))
    else:
        edits.append(program.word.place.write(Computed(f"-m {module}")))
    if not v1:
        edits.append(program.args[0].place.remove())
    if launch.command is not None and "no_python" in launch.command.given:
        edits.append(launch.command.given["no_python"].remove())
    return repair(f"start {module} instead", *edits, safe=True)
