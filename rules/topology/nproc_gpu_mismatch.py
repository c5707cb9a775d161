"""More processes than GPUs on a node.

## What it flags

The processes per node exceed the GPUs that the same files give them: CUDA_VISIBLE_DEVICES (or
HIP_VISIBLE_DEVICES, ROCR_VISIBLE_DEVICES, ASCEND_RT_VISIBLE_DEVICES), accelerate's gpu_ids, the GPUs of a
compose service or `docker run --gpus`, `--gres=gpu:N`. Fewer processes than GPUs are fine. A warning
where the number is a default (`${NGPU:-8}`) and the devices are listed beside it. A launch behind a test
that these devices do not pass (`if [[ $CUDA_VISIBLE_DEVICES == *,* ]]`) is left alone.

## Why it fails

    RuntimeError: CUDA error: invalid device ordinal
    ncclInvalidUsage: Duplicate GPU detected : rank 1 and rank 0 both on CUDA device 1000

## Example

    CUDA_VISIBLE_DEVICES=1,2 torchrun --standalone --nproc_per_node=4 train.py

Repair: as many processes as devices.

    CUDA_VISIBLE_DEVICES=1,2 torchrun --standalone --nproc_per_node=2 train.py

## When to ignore it

CPU training with gloo.
"""

from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import ERROR, WARNING, Finding, Launch, Related, Rule, Setting, default_int

RULE = Rule(
    code="TOPO007",
    name="nproc-gpu-mismatch",
    severity=ERROR,
    summary="more processes than GPUs on a node",
    symptoms=(r"invalid device ordinal", r"Duplicate GPU detected"),
    cause='The extra ranks stop with "invalid device ordinal" or "Duplicate GPU detected".',
    help="Start as many processes as there are devices.",
)

_VISIBLE = (
    "CUDA_VISIBLE_DEVICES",
    "HIP_VISIBLE_DEVICES",
    "ROCR_VISIBLE_DEVICES",
    "ASCEND_RT_VISIBLE_DEVICES",
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """The launch's processes per node against the devices it is given."""
    found = _processes(launch)
    if found is None:
        return
    place, count = found
    devices = next((launch.env[name] for name in _VISIBLE if name in launch.env), None)
    given: int | None = None
    if launch.get("gpu_ids") is not None:
        devices = launch.get("gpu_ids")
    if launch.launcher == "deepspeed":
        devices = None  # it counts from 0 whatever the variable says
    if devices is not None:
        given = _count(devices)
    elif launch.container is not None and launch.container.gpus is not None:
        given = launch.container.gpus
    elif launch.get("gpus_per_node") is not None:
        devices = launch.settings["gpus_per_node"]
        given = devices.number
    if given is None or count <= given:
        return
    where = f"{devices.key}={devices.text}" if devices is not None else "all that the container has"
    related = [Related(devices.document, devices.span, f"{given} devices")] if devices else []
    by_default = " by default" if place.number is None else ""
    yield RULE.at(
        place,
        f"{count} processes{by_default} on {given} GPU{'s' * (given != 1)} ({where})",
        severity=WARNING if by_default else ERROR,
        related=related,
    )


def _processes(launch: Launch) -> tuple[Setting, int] | None:
    """The processes on this node, and where they are said."""
    if "mpirun" in launch.wrappers and launch.launcher in ("mpirun", "python"):
        return None  # ranks of a program that shares the GPUs out by itself
    kind = launch.get("distributed_type")
    if kind is not None and (kind.text or "").upper() in (
        "NO",
        "FALSE",
        "MULTI_CPU",
        "XLA",
        "MULTI_NPU",
    ):
        return None
    if launch.launcher == "accelerate":
        total, machines = launch.get("num_processes"), launch.machines()
        if total is None or not total.number or machines is None or total.number % machines:
            return None
        return total, total.number // machines
    each = launch.get("num_gpus" if launch.launcher == "deepspeed" else "nproc_per_node")
    if each is None:
        return None
    count = each.number
    if count is None and any(name in launch.env for name in _VISIBLE):
        count = default_int(each.value)
    return (each, count) if count else None


def _count(devices: Setting) -> int | None:
    """How many devices a list names; None where that is not known."""
    text = devices.text
    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdigit() for part in parts):
        return None
    return len(set(parts))
