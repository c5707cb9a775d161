"""`accelerate launch`, `accelerate-launch`, `python -m accelerate.commands.launch`."""

from __future__ import annotations

from collections.abc import Sequence

from cfglint.commands.build import config_ref, new_launch, take_flags
from cfglint.commands.command_line import read_command
from cfglint.commands.options import read_options, table
from cfglint.commands.programs import link_configs
from cfglint.commands.scope import Scope
from cfglint.model.launch import Launch, Setting
from cfglint.model.values import Literal
from cfglint.syntax.shell_words import ShellWord

MODEL = {
    "num_machines": "nnodes",
    "machine_rank": "node_rank",
    "main_process_ip": "master_addr",
    "main_process_port": "master_port",
    "num_processes": "num_processes",
    "rdzv_backend": "rdzv_backend",
    "rdzv_conf": "rdzv_conf",
    "max_restarts": "max_restarts",
    "deepspeed_hostfile": "hostfile",
    "deepspeed_multinode_launcher": "launcher",
    "deepspeed_inclusion_filter": "include",
    "deepspeed_exclusion_filter": "exclude",
}
FLAGS = {name: f"--{dest}" for dest, name in MODEL.items()}
_CONFIGS = {
    "config_file": "accelerate",
    "deepspeed_config_file": "deepspeed",
    "deepspeed_hostfile": "hostfile",
}
# Options that choose the kind of launch whatever the file says.
_TYPES = {
    "multi_gpu": "MULTI_GPU",
    "use_deepspeed": "DEEPSPEED",
    "use_fsdp": "FSDP",
    "use_megatron_lm": "MEGATRON_LM",
    "tpu": "XLA",
    "cpu": "MULTI_CPU",
}


def read(words: Sequence[ShellWord], head: int, scope: Scope) -> Launch:
    """The launch of an accelerate command whose first `head` words name the launcher."""
    options = table("accelerate")
    parsed = read_options(words[head:], options, words[head - 1])
    launch = new_launch("accelerate", words, scope, head)
    take_flags(launch, parsed, MODEL)
    for given in parsed:
        kind = _TYPES.get(given.option.dest)
        if kind and "distributed_type" not in launch.settings:
            launch.settings["distributed_type"] = Setting(
                "distributed_type", Literal(kind), given.word.document, given.word.span,
                given.word.raw, given.word.span, None, "flag",
            )  # fmt: skip
        role = _CONFIGS.get(given.option.dest)
        if role and given.value is not None:
            reference = config_ref(role, given.value)
            if reference:
                launch.configs.append(reference)
            else:
                launch.complete = False
                launch.why_incomplete = f"the file of {given.word.raw} is not known"
    module = any(g.option.dest == "module" for g in parsed)
    read_command(launch, parsed, options, words, words[head - 1], FLAGS, module)
    said = launch.settings
    if "nnodes" in said and "master_addr" not in said and not launch.configs:
        launch.complete = False
        launch.why_incomplete = "a default config in the user's home may say more"
    link_configs(launch, parsed.rest)
    return launch
