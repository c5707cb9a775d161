"""torchrun, `python -m torch.distributed.run` and `python -m torch.distributed.launch`."""

from __future__ import annotations

from collections.abc import Sequence

from cfglint.commands.build import endpoint, env_setting, new_launch, split_value, take_flags
from cfglint.commands.command_line import read_command
from cfglint.commands.options import Table, read_options, table
from cfglint.commands.programs import link_configs
from cfglint.commands.scope import Scope
from cfglint.model.launch import Launch
from cfglint.model.values import Literal
from cfglint.syntax.shell_words import Part, ShellWord

MODEL = {
    "nnodes": "nnodes",
    "nproc_per_node": "nproc_per_node",
    "node_rank": "node_rank",
    "master_addr": "master_addr",
    "master_port": "master_port",
    "rdzv_backend": "rdzv_backend",
    "rdzv_endpoint": "rdzv_endpoint",
    "rdzv_id": "rdzv_id",
    "rdzv_conf": "rdzv_conf",
    "standalone": "standalone",
    "local_addr": "local_addr",
    "max_restarts": "max_restarts",
}
FLAGS = {name: f"--{dest}" for dest, name in MODEL.items()}


def read(words: Sequence[ShellWord], head: int, scope: Scope, spelling: str = "torchrun") -> Launch:
    """The launch of a torchrun command whose first `head` words name the launcher.

    torchrun reads its options, then PET_ variables; MASTER_ADDR and relatives it does not read
    (facts on torchrun a.3).
    """
    options = table(spelling)
    parsed = read_options(words[head:], options, words[head - 1])
    launch = new_launch("torchrun", words, scope, head)
    take_flags(launch, parsed, MODEL)
    take_env(launch, options, words)
    module = any(g.option.dest == "module" for g in parsed)
    read_command(launch, parsed, options, words, words[head - 1], FLAGS, module)
    no_python = any(g.option.dest == "no_python" for g in parsed)
    if launch.program and launch.program.kind == "script" and no_python:
        launch.program.kind = "command"
    link_configs(launch, parsed.rest)
    return launch


def take_env(launch: Launch, options: Table, words: Sequence[ShellWord] = ()) -> None:
    """The settings that PET_ variables give, where no option does."""
    for option in options.options:
        name = MODEL.get(option.dest)
        variable = launch.env.get(option.env) if option.env else None
        if not name or variable is None or name in launch.settings:
            continue
        if name == "standalone" and variable.text in ("0", ""):
            continue
        launch.settings[name] = env_setting(name, variable)
        if name != "rdzv_endpoint" or variable.text is None:
            continue
        if words:
            part = Part(Literal(variable.text), 0, 0, known=True, sources=(variable,))
            word = ShellWord(words[0].fragment, launch.document, (part,), 0, 0)
            launch.settings.update(endpoint(launch.settings[name], word))
        else:
            launch.settings.update(split_value(launch.settings[name]))
