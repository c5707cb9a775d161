"""An option that another one overrules.

## What it flags

`--master_addr` or `--master_port` beside `--rdzv_endpoint`, `--rdzv_endpoint`, `--master_port`,
`--master_addr` or `--rdzv_id` beside `--standalone`, and `--node_rank` for `deepspeed` without
`--no_ssh`. As a warning: `--master_port` or `--master_addr` beside deepspeed's `--launcher openmpi`,
`mvapich` or `slurm`, which do not pass them on.

## Why

`--rdzv_endpoint` wins over the address and port, `--standalone` over all of them, and nothing says
so. The job runs; who changes the dead option later wonders why nothing happens.

## Example

    torchrun --standalone --master_port=29511 --nproc_per_node=8 train.py

Repair: without the dead option.

    torchrun --standalone --nproc_per_node=8 train.py
"""

from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import INFO, WARNING, Finding, Launch, Rule, repair

RULE = Rule(
    code="RUN013",
    name="launcher-flag-ignored",
    severity=INFO,
    summary="an option that another one overrules",
    fix="safe",
    symptoms=(r"is ignored.*rdzv", r"are auto-assigned and any explicitly set values are ignored"),
    help="Leave the dead option out.",
    yields_to=("TOPO008", "PORT006", "PORT005"),
)
_DEAD = {
    "standalone": ("rdzv_endpoint", "rdzv_id", "rdzv_backend", "master_port", "master_addr"),
    "rdzv_endpoint": ("master_port", "master_addr"),
}
_NOT_PASSED_ON = ("openmpi", "mvapich", "slurm")


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """Each option of a torchrun or deepspeed command that has no effect."""
    command = launch.command
    if command is None:
        return
    if launch.launcher == "torchrun":
        for winner, losers in _DEAD.items():
            if winner not in command.given:
                continue
            for loser in losers:
                option = command.given.get(loser)
                if option is None or (loser == "rdzv_backend" and option.text == "c10d"):
                    continue
                yield RULE.finding(
                    launch.document,
                    option.key_span or option.span,
                    f"{option.key} has no effect beside {command.given[winner].key}",
                    cause=f"{command.given[winner].key} overrules it without a word.",
                    fix=repair(f"leave {option.key} out", option.remove(), safe=True),
                )
            return
    elif launch.launcher == "deepspeed":
        yield from _deepspeed(launch)


def _deepspeed(launch: Launch) -> Iterator[Finding]:
    """A rank that only --no_ssh reads, and what MPI and Slurm launchers do not hand to the ranks."""
    command = launch.command
    assert command is not None
    rank = command.given.get("node_rank")
    if rank is not None and "no_ssh" not in command.given:
        yield RULE.finding(
            launch.document,
            rank.key_span or rank.span,
            f"{rank.key} has no effect without --no_ssh",
            cause="The launcher counts the hosts of the hostfile itself.",
            fix=repair(f"leave {rank.key} out", rank.remove(), safe=True),
        )
    launcher = command.given.get("launcher")
    if launcher is None or (launcher.text or "").lower() not in _NOT_PASSED_ON:
        return
    for name in ("master_port", "master_addr"):
        option = command.given.get(name)
        if option is not None and option.text != "29500":
            yield RULE.finding(
                launch.document,
                option.key_span or option.span,
                f"{option.key} is not passed on by --launcher {launcher.text}",
                severity=WARNING,
                cause="The ranks find each other through MPI and take port 29500.",
                help="Use another launcher, or let the ranks have it by other means.",
            )
