"""Port 0 for a launcher that does not pick a free port for it.

## What it flags

`torchrun --master_port 0` with its static rendezvous, `deepspeed --master_port 0`, and
`MASTER_PORT=0` for LLaMA-Factory, on one machine. accelerate's `main_process_port: 0` is right
there, except where a pin says that it is older than 1.7, and so is torchrun's `--rdzv_backend c10d
--rdzv_endpoint localhost:0`; several machines are PORT005's.

## Why it fails

The launcher listens on a random port and tells its workers port 0:

    The client socket has timed out after 20000ms while trying to connect to (127.0.0.1, 0).

## Example

    torchrun --nproc_per_node=8 --nnodes=1 --master_port=0 train.py

Repair: --standalone, which takes a free port.

    torchrun --standalone --nproc_per_node=8 --nnodes=1 train.py
"""

from collections.abc import Iterator

from cfglint.jobs import ports
from cfglint.project import Project
from cfglint.rule import (
    ERROR,
    Edit,
    Finding,
    Fix,
    Launch,
    Literal,
    Rule,
    Setting,
    Variable,
    possible,
    repair,
)

RULE = Rule(
    code="PORT006",
    name="port-zero-unsupported",
    severity=ERROR,
    summary="port 0 for a launcher that does not pick a free port for it",
    fix="safe",
    unsafe_too=True,
    symptoms=(r"timed out after \d+ms while trying to connect to \(127\.0\.0\.1, 0\)",),
    cause="The workers dial port 0 and time out.",
)
_LAUNCHERS = ("torchrun", "deepspeed", "llamafactory", "swift")


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """A launch on one machine whose port is 0."""
    port = launch.port
    if launch.launcher == "accelerate" and port is not None and port.number == 0:
        yield from _by_accelerate(launch, port, project)
    if launch.launcher not in _LAUNCHERS or port is None or launch.is_multinode:
        return
    if "0" not in possible(port.value) or "standalone" in launch.settings:
        return
    if launch.launcher == "torchrun" and launch.effective("rdzv_backend") != "static":
        return
    helped = {
        "torchrun": "Use --standalone.",
        "deepspeed": "Leave the option out, or give a port.",
    }
    yield RULE.at(
        port,
        f"{launch.launcher} does not pick a free port for 0",
        help=helped.get(launch.launcher, "Leave it out: a free port is taken then."),
        fix=_fix(launch, port, project),
    )


def _by_accelerate(launch: Launch, port: Setting, project: Project) -> Iterator[Finding]:
    version = project.versions(launch.document, "accelerate")
    kind = launch.get("distributed_type")
    if launch.is_multinode or not version.pinned or not version.before("1.7.0"):
        return
    if kind is not None and (kind.text or "").upper() in ("NO", "FALSE", "MULTI_CPU"):
        return  # no launcher, no rendezvous
    number = ports.common(project)
    yield RULE.at(
        port,
        f"{version.title} does not pick a free port for 0: that began with 1.7",
        cause="It hangs.",
        help=f"Give a port, {number} for one, or upgrade accelerate.",
        fix=repair(f"use port {number}", port.write(number)),
    )


def _fix(launch: Launch, port: Setting, project: Project) -> Fix | None:
    if isinstance(port.value, Variable):  # 0 is what it is by default
        number = ports.common(project)
        better = Variable(port.value.name, Literal(number), port.value.operator)
        return repair(f"use {number} as the default", port.write(better))
    edits: list[Edit | None] = [port.remove()]
    if launch.launcher == "torchrun":
        if "rdzv_endpoint" in launch.settings or port.origin != "flag":
            return None
        edits.append(launch.add("standalone", "true"))
        return repair("use --standalone, which takes a free port", *edits, safe=True)
    return repair("leave the port out", *edits, safe=True)
