"""The `deepspeed` launcher (`python -m deepspeed.launcher.runner`)."""

from __future__ import annotations

from collections.abc import Sequence

from cfglint.commands.build import config_ref, new_launch, take_flags
from cfglint.commands.command_line import read_command
from cfglint.commands.options import read_options, table
from cfglint.commands.programs import link_configs
from cfglint.commands.scope import Scope
from cfglint.model.launch import Launch
from cfglint.syntax.shell_words import ShellWord

MODEL = {
    "num_nodes": "nnodes",
    "num_gpus": "num_gpus",
    "num_accelerators": "num_gpus",
    "node_rank": "node_rank",
    "master_addr": "master_addr",
    "master_port": "master_port",
    "hostfile": "hostfile",
    "include": "include",
    "exclude": "exclude",
    "launcher": "launcher",
    "ssh_port": "ssh_port",
}
FLAGS = {
    "nnodes": "--num_nodes",
    "num_gpus": "--num_gpus",
    "node_rank": "--node_rank",
    "master_addr": "--master_addr",
    "master_port": "--master_port",
    "hostfile": "--hostfile",
    "launcher": "--launcher",
    "ssh_port": "--ssh_port",
}


def read(words: Sequence[ShellWord], head: int, scope: Scope) -> Launch:
    """The launch of a deepspeed command whose first `head` words name the launcher.

    It runs on one host and starts the others itself, unless --no_ssh is given; the environment's
    MASTER_ADDR and MASTER_PORT are not read (facts on DeepSpeed c.3, g).
    """
    options = table("deepspeed")
    parsed = read_options(words[head:], options, words[head - 1])
    launch = new_launch("deepspeed", words, scope, head)
    take_flags(launch, parsed, MODEL)
    dests = {g.option.dest for g in parsed}
    if "no_ssh" not in dests:
        launch.evaluated = "once"
    for given in parsed:
        if given.option.dest == "hostfile" and given.value is not None:
            reference = config_ref("hostfile", given.value)
            if reference:
                launch.configs.append(reference)
    read_command(launch, parsed, options, words, words[head - 1], FLAGS, "module" in dests)
    link_configs(launch, parsed.rest)
    return launch
