"""A training command in a container that is given no GPU.

## What it flags

A launch with torchrun, accelerate, DeepSpeed, LLaMA-Factory or ms-swift under Compose or `docker
run` where the file asks for no GPU. Images with `cpu` in their name, Gloo jobs and other
accelerators' devices are left alone.

## Why it fails

Without a request Docker shows the container no GPU:

    RuntimeError: No CUDA GPUs are available
    ValueError: ProcessGroupNCCL is only supported with GPUs, no GPUs found!

## Example

    docker run --rm --ipc host train:1 torchrun --standalone --nproc_per_node=8 train.py

Repair:

    docker run --rm --ipc host --gpus all train:1 torchrun --standalone --nproc_per_node=8 train.py

## When to ignore it

When the Docker daemon's default runtime is nvidia, or the job runs on CPUs.

## References

- Docker: GPU access. Compose: deploy, devices.
"""

from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import INFO, Finding, Launch, Rule

RULE = Rule(
    code="BOX008",
    name="gpu-missing",
    severity=INFO,
    summary="a training command in a container that is given no GPU",
    symptoms=(r"No CUDA GPUs are available", r"ProcessGroupNCCL is only supported with GPUs"),
    cause='Docker shows it no GPU: "No CUDA GPUs are available".',
    help="Ask for GPUs: docker run --gpus all, or a device reservation in Compose.",
)
_LAUNCHERS = ("torchrun", "accelerate", "deepspeed", "llamafactory", "swift")


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    box = launch.container
    if box is None or box.gpu_request is not False or launch.launcher not in _LAUNCHERS:
        return
    if not box.complete or "cpu" in box.image.lower() or "CUDA_VISIBLE_DEVICES" in launch.env:
        return
    kind = launch.get("distributed_type")
    words = [word.text or "" for word in (launch.program.args if launch.program else ())]
    if any("gloo" in word or "cpu" in word for word in words) or (
        kind and kind.text == "MULTI_CPU"
    ):
        return
    if any(name.startswith(("NVIDIA_VISIBLE", "ASCEND_", "HIP_", "ROCR_")) for name in launch.env):
        return
    yield RULE.finding(launch.document, box.span, f"{box.name} trains, and asks for no GPU")
