"""Variables set for a launcher that does not read them.

## What it flags

- `MASTER_PORT`, `MASTER_ADDR`, `NNODES` or `NODE_RANK` in the environment of `torchrun`,
  `deepspeed` or `accelerate launch`, with another value than the launcher takes anyway, where no
  option says the same and nothing else in view uses the variable: no other command, recipe, step,
  cell or service, no script that sources the same file, no program in another branch.
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

from cfglint.environment.unread import as_option, unread
from cfglint.project import Project
from cfglint.rule import WARNING, Finding, Launch, Rule, repair

RULE = Rule(
    code="RUN012",
    name="launcher-ignores-env",
    severity=WARNING,
    summary="variables set for a launcher that does not read them",
    fix="safe",
    yields_to=("K8S001", "BOX006"),
    symptoms=(r"server socket has failed to listen on any local network address",),
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """Each variable of the launch that its launcher does not read."""
    for one in unread(launch, project):
        name = one.name
        if one.by == "launcher":
            instead = f"it takes {one.default or 'its default'}"
            yield RULE.at(
                one.variable,
                f"{launch.launcher} does not read {name}",
                cause=f"The job runs as if {name} were not set: {instead}.",
                help=f"Say it with the option for {one.option}.",
                fix=repair("say it with an option", *as_option(launch, one, project), safe=True),
            )
        elif one.by == "anything":
            yield RULE.at(
                one.variable,
                f"nothing reads {name}",
                cause="The job takes the launcher's port, whatever the range says.",
                help="Give the launcher a port: --master_port.",
                fix=repair("remove it", one.variable.remove(), safe=True),
            )
        else:
            yield RULE.at(
                one.variable,
                f"LLaMA-Factory reads {name} only beside RDZV_ID",
                cause="The job starts once, with a fixed number of nodes.",
                help="Set RDZV_ID too, or leave it out.",
            )
