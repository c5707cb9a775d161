"""How LLaMA-Factory is started: what deepspeed puts in front of it, and where it needs torchrun.

Source: facts on LLaMA-Factory a-b (`hparams/parser.py` reads a YAML in the first place only;
`launcher.py` starts torchrun for more than one device), DeepSpeed's launcher (--local_rank).
"""

from __future__ import annotations

from collections.abc import Iterator

from cfglint.model.edit import Edit
from cfglint.model.launch import ConfigRef, Launch
from cfglint.model.tree import Mapping
from cfglint.programs import entrypoints

_ELSEWHERE = ("FORCE_TORCHRUN", "USE_RAY", "USE_V1", "USE_MCA", "USE_KT")
_OPTIONS = {"num_gpus": "NPROC_PER_NODE", "master_port": "MASTER_PORT"}


def gets_rank_first(launch: Launch) -> bool:
    """Whether the deepspeed launcher puts --local_rank in front of what LLaMA-Factory reads."""
    program, command = launch.program, launch.command
    if launch.launcher != "deepspeed" or program is None or command is None:
        return False
    if "no_local_rank" in command.given:
        return False
    if entrypoints.is_llamafactory_command(program):
        return True
    reference = next((r for r in launch.configs if r.role == "llamafactory"), None)
    if reference is None:
        return False
    config = reference.document
    is_config = config is not None and config.kind == "llamafactory"
    return is_config or entrypoints.is_llamafactory_script(program)


def own_command(launch: Launch) -> Edit | None:
    """The edit that starts LLaMA-Factory by its own command, with what the launcher's options said
    as variables; None where these cannot say all of it."""
    command, program = launch.command, launch.program
    if command is None or program is None:
        return None
    words = ["FORCE_TORCHRUN=1"]
    for option, setting in command.given.items():
        if option == "num_nodes" and setting.text == "1":
            continue
        if option not in _OPTIONS:
            return None
        words.append(f"{_OPTIONS[option]}={setting.raw}")
    words.append("llamafactory-cli")
    if not entrypoints.is_llamafactory_command(program):
        words.append("train")
    return command.replace(" ".join(words))


def lacking_torchrun(launch: Launch) -> Iterator[ConfigRef]:
    """The configs with `deepspeed` that LLaMA-Factory's command trains on one visible GPU, where
    nothing makes it start torchrun."""
    program = launch.program
    if launch.launcher != "llamafactory" or program is None:
        return
    if entrypoints.subcommand(program) != "train" or any(n in launch.env for n in _ELSEWHERE):
        return
    devices = entrypoints.env_text(launch, "CUDA_VISIBLE_DEVICES")
    if devices is None or not devices.strip().isdigit():
        return
    for reference in launch.configs:
        root = reference.document.root if reference.document is not None else None
        key = root.get("deepspeed") if isinstance(root, Mapping) else None
        if reference.role == "llamafactory" and key is not None:
            yield reference
