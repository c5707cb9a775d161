"""An option that another one overrules.

## What it flags

`--master_addr` or `--master_port` beside `--rdzv_endpoint`, `--rdzv_endpoint`, `--master_port`,
`--master_addr` or `--rdzv_id` beside `--standalone`, and `--node_rank` for `deepspeed` without
`--no_ssh`.

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
from cfglint.rule import INFO, Finding, Launch, Rule, repair

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
    elif (
        launch.launcher == "deepspeed"
        and "node_rank" in command.given
        and "no_ssh" not in command.given
    ):
        option = command.given["node_rank"]
        yield RULE.finding(
            launch.document,
            option.key_span or option.span,
            f"{option.key} has no effect without --no_ssh",
            cause="The launcher counts the hosts of the hostfile itself.",
            fix=repair(f"leave {option.key} out", option.remove(), safe=True),
        )
