"""Launchers around programs that start a launcher themselves.

Sources: facts on LLaMA-Factory a-b (`launcher.py`: torchrun for more than one device), ms-swift,
trl and axolotl as in `cfglint.programs.entrypoints`.
"""

from __future__ import annotations

from cfglint.model.edit import Edit
from cfglint.model.launch import Launch, Program, Setting
from cfglint.model.values import Computed, Literal
from cfglint.programs import entrypoints
from cfglint.record import dataclass
from cfglint.text import Span


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry point that trains in its own process: the module, and the edits that start it in
    place of the program (None among them for one that cannot be written)."""

    module: str
    edits: tuple[Edit | None, ...]


def starts_launcher(launch: Launch) -> str | None:
    """What a launch's program starts a launcher for ("llamafactory-cli train", "torchrun"), None
    where it starts none, or may start none."""
    program = launch.program
    if program is None:
        return None
    command = entrypoints.subcommand(program)
    if entrypoints.is_llamafactory_command(program):
        in_process = any(
            entrypoints.is_on(entrypoints.env_text(launch, v)) for v in ("USE_RAY", "USE_KT")
        )
        inserts_rank = launch.launcher == "deepspeed" and not _is_given(launch, "no_local_rank")
        if command != "train" or in_process or inserts_rank or _has_one_device(launch):
            return None
        return f"{program.text} train"
    other = entrypoints.self_launching(program)
    if other is not None:
        starts = command in entrypoints.SELF_LAUNCHING[other][1]
        if other == "swift":
            starts &= "NPROC_PER_NODE" in launch.env or "NNODES" in launch.env
        else:
            told = any(x.raw.startswith(("--no-accel", "--launcher")) for x in program.args)
            starts &= not (told or _has_one_device(launch))
        return f"{other} {command}" if starts else None
    if program.kind == "module":
        return program.text if program.text in entrypoints.LAUNCHER_MODULES else None
    if entrypoints.name(program) in entrypoints.LAUNCHERS:
        return program.text
    return None


def nested(launch: Launch) -> str | None:
    """What the program of torchrun, accelerate or deepspeed starts a launcher for, if it does."""
    wraps = launch.launcher in ("torchrun", "accelerate", "deepspeed")
    return starts_launcher(launch) if wraps else None


def nested_tasks(launch: Launch) -> Setting | None:
    """The number of srun's tasks on a node, where each of them starts the whole node's processes;
    None where there is one task, or each may have GPUs of its own."""
    tasks, nproc = launch.get("tasks_per_node"), launch.get("nproc_per_node")
    if launch.launcher not in ("llamafactory", "swift") or "srun" not in launch.wrappers:
        return None
    if tasks is None or (tasks.number or 0) < 2:
        return None
    few = [launch.get("gpus_per_task"), launch.get("gpus_per_node"), nproc]
    if any(one is not None and one.number in (None, 1) for one in few):
        return None  # a task has one GPU, or is told to start one process
    if nproc is not None and few[0] is not None and (few[0].number or 0) >= (nproc.number or 0):
        return None  # each task starts as many as it has GPUs
    return tasks if starts_launcher(launch) is not None else None


def words_of(program: Program) -> Span:
    """Where a program and the first word behind it stand; the program alone where it is far off."""
    end = program.span.end
    if program.args and program.args[0].span.start > end and program.args[0].span.end - end < 40:
        end = program.args[0].span.end
    return Span(program.span.start, end)


def in_process(launch: Launch) -> Entry | None:
    """The entry point that does what a launch's program does without a launcher of its own, None
    where there is none. LLaMA-Factory's takes the YAML first: the word `train` goes."""
    program = launch.program
    if program is None or program.word is None or launch.launcher == "deepspeed":
        return None
    place = program.word.place
    other = entrypoints.self_launching(program)
    if other is not None:
        module = f"{entrypoints.SELF_LAUNCHING[other][0]}.{entrypoints.subcommand(program)}"
        start = module if program.kind == "module" else f"-m {module}"
        edits = [place.write(Computed(start)), program.args[0].place.remove()]
        return Entry(module, (*edits, *_with_python(launch)))
    if not entrypoints.is_llamafactory_command(program):
        return None
    v1 = entrypoints.is_on(entrypoints.env_text(launch, "USE_V1"))
    module = "llamafactory.v1.launcher" if v1 else "llamafactory.launcher"
    edits = _with_python(launch)
    if program.kind == "module":
        edits.append(place.write(Literal(module)))
    elif program.text.endswith("/cli.py"):
        path = program.text.removesuffix("cli.py") + ("v1/launcher.py" if v1 else "launcher.py")
        edits.append(place.write(Literal(path)))
    else:
        edits.append(place.write(Computed(f"-m {module}")))
    if not v1:
        edits.append(program.args[0].place.remove())
    return Entry(module, tuple(edits))


def _with_python(launch: Launch) -> list[Edit | None]:
    """The edits that let the launcher start Python, which it may be told not to."""
    given = launch.command.given if launch.command is not None else {}
    return [given["no_python"].remove()] if "no_python" in given else []


def _is_given(launch: Launch, option: str) -> bool:
    return launch.command is not None and option in launch.command.given


def _has_one_device(launch: Launch) -> bool:
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


def starts_whole_job(launch: Launch) -> str | None:
    """What starts DeepSpeed's launcher on each of several nodes, where each starts all ranks of the
    hostfile over ssh; None elsewhere."""
    outer = next((w for w in launch.wrappers if w in ("srun", "mpirun", "pdsh")), None)
    nodes = launch.nodes.number if launch.nodes is not None else None
    if outer is None or launch.tasks == 1 or (nodes or 0) < 2:
        return None
    if launch.launcher == "accelerate":  # with a hostfile it hands over to DeepSpeed's launcher
        kind, through = launch.get("distributed_type"), launch.get("launcher")
        hands_over = kind is not None and kind.text == "DEEPSPEED" and "hostfile" in launch.settings
        return outer if hands_over and (through is None or through.text == "pdsh") else None
    if launch.launcher != "deepspeed":
        return None
    listed, asked = launch.listed_hosts, launch.get("nnodes")
    given = launch.command.given if launch.command is not None else {}
    if listed is None or listed[1] < 2 or "no_ssh" in given:
        return None
    return None if asked is not None and asked.number == 1 else outer
