"""Programs that start a launcher themselves, and the configs that programs are given."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from cfglint.commands.build import config_ref, new_launch, program, take_env
from cfglint.commands.scope import Scope
from cfglint.model.edit import Edit
from cfglint.model.launch import Launch, Program
from cfglint.syntax.shell_words import ShellWord

# LLaMA-Factory's command reads these and builds a torchrun command from them (facts a).
LLAMAFACTORY_ENV = {
    "NNODES": "nnodes",
    "NODE_RANK": "node_rank",
    "NPROC_PER_NODE": "nproc_per_node",
    "MASTER_ADDR": "master_addr",
    "MASTER_PORT": "master_port",
    "RDZV_ID": "rdzv_id",
    "MAX_RESTARTS": "max_restarts",
}
# ms-swift's command does the same.
SWIFT_ENV = {
    "NNODES": "nnodes",
    "NODE_RANK": "node_rank",
    "NPROC_PER_NODE": "nproc_per_node",
    "MASTER_ADDR": "master_addr",
    "MASTER_PORT": "master_port",
}
# What init_method="env://" reads, and names that are commonly used around it.
COMMON_ENV = {
    "MASTER_ADDR": "master_addr",
    "MASTER_PORT": "master_port",
    "NNODES": "nnodes",
    "NODE_RANK": "node_rank",
}
PYTHON_ENV = {"MASTER_ADDR": "master_addr", "MASTER_PORT": "master_port"}

# Variables by which a container shows that it takes part in a job, whatever runs in it.
_JOB_PREFIXES = (
    "NCCL_", "TORCH_", "GLOO_", "PET_", "CUDA_VISIBLE", "MASTER_", "DEEPSPEED_", "ACCELERATE_",
    "NVSHMEM_", "FI_",
)  # fmt: skip
_JOB_NAMES = frozenset(
    ("NNODES", "NODE_RANK", "NPROC_PER_NODE", "WORLD_SIZE", "RANK", "FORCE_TORCHRUN")
)

LLAMAFACTORY_NAMES = ("llamafactory-cli", "lmf")
LLAMAFACTORY_MODULES = ("llamafactory.cli", "llmtuner.cli")
TRAINING = ("train", "sft", "dpo", "rm", "pt", "rlhf")
_CONFIG = re.compile(r"(?!-).+\.(ya?ml|json)$")
_DEEPSPEED_OPTIONS = ("--deepspeed", "--deepspeed_config", "--deepspeed-config")


def link_configs(launch: Launch, words: Sequence[ShellWord]) -> None:
    """The config files among a program's own words (the program first)."""
    inner = llamafactory_words(launch.program, words)
    if inner is not None:
        _link_config(launch, inner)
    _link_deepspeed(launch, words)


def _link_deepspeed(launch: Launch, words: Sequence[ShellWord]) -> None:
    if not words or "--deepspeed" not in words[0].document.source.text:
        return
    previous = ""
    for word in words[1:]:
        text = word.text or ""
        name, _, value = text.partition("=")
        if previous in _DEEPSPEED_OPTIONS and text.endswith(".json"):
            reference = config_ref("deepspeed", word)
            if reference:
                launch.configs.append(reference)
        elif name in _DEEPSPEED_OPTIONS and value.endswith(".json"):
            reference = config_ref("deepspeed", word.cut(len(name) + 1))
            if reference:
                launch.configs.append(reference)
        previous = text


def llamafactory_words(
    started: Program | None, words: Sequence[ShellWord]
) -> Sequence[ShellWord] | None:
    """The words behind a LLaMA-Factory program (sub-command left out), None for other programs."""
    if started is None or not words:
        return None
    name = started.text.rsplit("/", 1)[-1]
    if name in LLAMAFACTORY_NAMES or started.text in LLAMAFACTORY_MODULES:
        return words[2:]
    if started.text in ("llamafactory.launcher", "llamafactory.train.tuner"):
        return words[1:]
    path = started.text
    if path.endswith(("llamafactory/launcher.py", "src/train.py")) or path == "train.py":
        return words[1:]
    return None


def _link_config(launch: Launch, words: Sequence[ShellWord]) -> None:
    if words and _CONFIG.match(words[0].text or ""):
        reference = config_ref("llamafactory", words[0])
        if reference:
            launch.configs.append(reference)


def llamafactory(words: Sequence[ShellWord], head: int, scope: Scope) -> Launch:
    """The launch of `llamafactory-cli SUBCOMMAND CONFIG` (or `python -m llamafactory.cli`)."""
    return _self_launching("llamafactory", words, head, scope, LLAMAFACTORY_ENV)


def swift(words: Sequence[ShellWord], head: int, scope: Scope) -> Launch:
    """The launch of ms-swift's `swift sft ...`."""
    return _self_launching("swift", words, head, scope, SWIFT_ENV)


def _self_launching(
    launcher: str, words: Sequence[ShellWord], head: int, scope: Scope, names: dict[str, str]
) -> Launch:
    launch = new_launch(launcher, words, scope, head)
    rest = words[head - 1 :]
    launch.program = program(rest)
    if launch.program and head > 1:  # python -m llamafactory.cli
        launch.program.kind = "module"
    command = words[head].text if words[head : head + 1] else None
    if command is None:
        launch.complete = False
        launch.why_incomplete = "the sub-command is not known"
    if command is None or command in TRAINING:
        take_env(launch, names)
    if launcher == "llamafactory":
        _link_config(launch, words[head + 1 :])
    _link_deepspeed(launch, words[head:])
    variables = {name: variable for variable, name in names.items()}

    def write(name: str, value: str) -> Edit | None:
        variable = variables.get(name)
        return launch.set_env(variable, value) if variable else None

    launch.setting_writer = write
    return launch


def python(words: Sequence[ShellWord], head: int, scope: Scope) -> Launch | None:
    """A plain Python program that is given the rendezvous by its environment, or its rank by the
    mpirun of a job on GPUs; None for others."""
    given = any(name in scope.env for name in ("MASTER_ADDR", "MASTER_PORT", "WORLD_SIZE", "RANK"))
    if not given and not _is_rank(scope):
        return None
    if not words[head - 1 : head] or _is_remark(words[head - 1 :]):
        return None
    launch = new_launch("python" if given else "mpirun", words, scope, head)
    if scope.mpi_job or not given:
        launch.settings.update(scope.allocation)
    is_module = words[head - 1 - 1].text == "-m" if head >= 2 else False
    launch.program = program(words[head - 1 :], is_module)
    take_env(launch, PYTHON_ENV)
    link_configs(launch, words[head - 1 :])
    # The program may take its rank and size from anywhere.
    launch.complete = False
    launch.why_incomplete = "the program reads the rendezvous by itself"
    return launch


def _is_rank(scope: Scope) -> bool:
    """Whether mpirun starts the ranks of a job on GPUs: that of an MPIJob, one in a container that
    is given some, one on listed hosts that is told something for NCCL."""
    if "mpirun" not in scope.wrappers or scope.mpi_job:
        return scope.mpi_job and "mpirun" in scope.wrappers
    box = scope.container
    inside = scope.wrappers[-1] == "mpirun"  # each `docker run` that it starts holds one rank
    if inside and box is not None and box.gpu_request:
        return True
    return "hosts" in scope.allocation and any(name.startswith("NCCL_") for name in scope.env)


def _is_remark(words: Sequence[ShellWord]) -> bool:
    """Whether Python is asked for its version or a line of code that trains nothing."""
    option = words[0].text
    code = words[1].raw if words[1:2] else ""
    return option in ("-V", "--version") or (option == "-c" and "distributed" not in code)


def concerns_jobs(name: str) -> bool:
    """Whether a variable of this name says that a container takes part in a job."""
    return name.startswith(_JOB_PREFIXES) or name in _JOB_NAMES


def places_a_node(env: Iterable[str]) -> bool:
    """Whether any variable of these names gives a node its place in a job."""
    return any(name in COMMON_ENV or name.startswith("PET_") for name in env)


def unseen(words: Sequence[ShellWord], scope: Scope) -> Launch | None:
    """A program that is not seen but gets rendezvous variables, else None; what else may start a
    job where its script lies in the tree is noted."""
    given = places_a_node(scope.env)
    if not given and (scope.scripts is None or not any(map(_is_script, words))):
        box = scope.container
        if box is None or box.kind != "docker" or not scope.env_files:
            return None
        given = True  # until its env files are read
    launch = new_launch("env", words, scope)
    launch.program = program(words)
    take_env(launch, COMMON_ENV)
    launch.complete = False
    launch.why_incomplete = "the program is not seen"
    if not given and scope.scripts is not None:
        scope.scripts.append(launch)
    return launch if given else None


def _is_script(word: ShellWord) -> bool:
    return (word.text or "").endswith((".sh", ".bash"))
