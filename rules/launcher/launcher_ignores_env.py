"""Variables set for a launcher that does not read them.

## What it flags

- `MASTER_PORT`, `MASTER_ADDR`, `NNODES` or `NODE_RANK` in the environment of `torchrun`,
  `deepspeed` or `accelerate launch`, with another value than the launcher takes anyway, where no
  option says the same and nothing else in the file uses the variable.
- `DEEPSPEED_PORT_RANGE`, which nothing reads.
- `MAX_RESTARTS`, `MIN_NNODES` or `MAX_NNODES` for LLaMA-Factory without `RDZV_ID`.

## Why it fails

torchrun reads its options and `PET_` variables, and overwrites `MASTER_ADDR`, `MASTER_PORT` and
`RANK` for its workers; deepspeed and accelerate do the same. The job runs on the default port, or
waits for itself:

    The server socket has failed to listen on any local network address. port: 29500

## Example

    MASTER_PORT=29777 torchrun --nproc_per_node=8 --nnodes=1 train.py

Repair: the option.

    torchrun --master_port=29777 --nproc_per_node=8 --nnodes=1 train.py
"""

from collections.abc import Iterator

from cfglint import entrypoints
from cfglint.project import Project
from cfglint.rule import WARNING, Finding, Fix, Launch, Rule, Setting, default_literal, repair

RULE = Rule(
    code="RUN012",
    name="launcher-ignores-env",
    severity=WARNING,
    summary="variables set for a launcher that does not read them",
    fix="safe",
    yields_to=("K8S001", "BOX006"),
    symptoms=(r"server socket has failed to listen on any local network address",),
)
# What each variable would be as a setting, and what the launcher takes without it.
_UNREAD = {
    "torchrun": {
        "MASTER_PORT": ("master_port", ("29500",)),
        "MASTER_ADDR": ("master_addr", ("127.0.0.1", "localhost")),
        "NNODES": ("nnodes", ("1",)),
        "NODE_RANK": ("node_rank", ("0",)),
    },
    "deepspeed": {
        "MASTER_PORT": ("master_port", ("29500",)),
        "MASTER_ADDR": ("master_addr", ("127.0.0.1", "localhost")),
    },
    "accelerate": {
        "MASTER_PORT": ("master_port", ("29500",)),
        "MASTER_ADDR": ("master_addr", ("127.0.0.1", "localhost")),
    },
}
_ELASTIC = ("MAX_RESTARTS", "MIN_NNODES", "MAX_NNODES")


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """Each variable of the launch that its launcher does not read."""
    for name, (setting_name, same) in _UNREAD.get(launch.launcher, {}).items():
        variable = launch.env.get(name)
        if variable is None or not _is_whole(launch) or setting_name in launch.settings:
            continue
        if _used(launch, name) or _is_moot(launch, name):
            continue
        value = default_literal(variable.value)
        if value is None or value in same:
            continue
        yield RULE.at(
            variable,
            f"{launch.launcher} does not read {name}",
            cause=f"The job runs as if {name} were not set: {_instead(launch, setting_name)}.",
            help=f"Say it with the option for {setting_name}.",
            fix=_fix(launch, variable, setting_name),
        )
    yield from _read_by_nothing(launch)


def _is_whole(launch: Launch) -> bool:
    """Whether no option is unseen. Whoever runs an image adds variables, which change nothing."""
    box = launch.container
    in_image = box is not None and box.kind == "dockerfile"
    return launch.complete or (in_image and launch.shows_options)


def _used(launch: Launch, name: str) -> bool:
    """Whether anything else in the file uses the variable."""
    if launch.mentions is not None:
        return launch.mentions(name)
    return any(f"${name}" in w.raw or f"${{{name}" in w.raw for w in launch.argv)


def _is_moot(launch: Launch, name: str) -> bool:
    """Whether an option settles the same in another way."""
    if {"standalone", "rdzv_endpoint"} & launch.settings.keys() and name.startswith("MASTER_"):
        return True
    if name == "NODE_RANK":
        return "NNODES" in launch.env or launch.effective("rdzv_backend") != "static"
    return name == "MASTER_ADDR" and launch.is_single_node


def _instead(launch: Launch, name: str) -> str:
    default = launch.effective(name)
    return f"it takes {default}" if default else "it takes its default"


def _fix(launch: Launch, variable: Setting, name: str) -> Fix | None:
    """The option with the same value; a variable of this one command goes."""
    if variable.text is None or variable.document is not launch.document:
        return None
    if launch.launcher == "accelerate" and any(c.role == "accelerate" for c in launch.configs):
        return None
    edits = [launch.add(name, variable.text)]
    removed = variable.remove()
    if removed is not None:
        edits.append(removed)
    return repair("say it with an option", *edits, safe=True)


def _read_by_nothing(launch: Launch) -> Iterator[Finding]:
    unread = launch.env.get("DEEPSPEED_PORT_RANGE")
    if unread is not None:
        yield RULE.at(
            unread,
            "nothing reads DEEPSPEED_PORT_RANGE",
            cause="The job takes the launcher's port, whatever the range says.",
            help="Give the launcher a port: --master_port.",
            fix=repair("remove it", unread.remove(), safe=True),
        )
    if launch.launcher == "llamafactory" and "RDZV_ID" not in launch.env:
        if entrypoints.is_on(entrypoints.env_text(launch, "USE_V1")):
            return
        for name in _ELASTIC:
            variable = launch.env.get(name)
            if variable is not None and variable.text not in (None, "", "0"):
                yield RULE.at(
                    variable,
                    f"LLaMA-Factory reads {name} only beside RDZV_ID",
                    cause="The job starts once, with a fixed number of nodes.",
                    help="Set RDZV_ID too, or leave it out.",
                )
