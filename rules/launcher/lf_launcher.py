"""LLaMA-Factory started in a way that its config does not allow.

## What it flags

A LLaMA-Factory YAML given to the `deepspeed` launcher without `--no_local_rank`, and a YAML with
`deepspeed:` that `llamafactory-cli` starts on one visible GPU without `FORCE_TORCHRUN`.

## Why it fails

The deepspeed launcher puts `--local_rank=0` in front of the YAML. LLaMA-Factory reads a YAML only
in the first place, so it takes everything for options:

    ValueError: Please provide `model_name_or_path`.
    Unknown command: --local_rank=0.

On one GPU the command does not start torchrun by itself, and DeepSpeed needs it:

    ValueError: Please use `FORCE_TORCHRUN=1` to launch DeepSpeed training.

## Example

    === run.sh
    deepspeed --num_gpus 8 src/train.py lora.yaml
    === lora.yaml
    model_name_or_path: Qwen/Qwen3-0.6B
    stage: sft
    do_train: true
    finetuning_type: lora
    dataset: alpaca
    template: qwen3
    output_dir: out

Repair: LLaMA-Factory's own command, which starts torchrun.

    === run.sh
    FORCE_TORCHRUN=1 NPROC_PER_NODE=8 llamafactory-cli train lora.yaml
"""

from collections.abc import Iterator

from cfglint import entrypoints
from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Fix, Launch, Mapping, Rule, repair

RULE = Rule(
    code="RUN006",
    name="lf-launcher",
    severity=ERROR,
    summary="LLaMA-Factory under a launcher, or without one, that its config does not allow",
    fix="safe",
    symptoms=(
        r"Please provide `model_name_or_path`",
        r"Unknown command: --local_rank",
        r"Please use `FORCE_TORCHRUN=1` to launch DeepSpeed training",
        r"Please launch distributed training with `llamafactory-cli` or `torchrun`",
        r"unrecognized arguments: --local[_-]rank",
    ),
    help="Start it with FORCE_TORCHRUN=1 llamafactory-cli train.",
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """LLaMA-Factory under deepspeed, or DeepSpeed without torchrun."""
    if launch.launcher == "deepspeed":
        yield from _under_deepspeed(launch)
    elif launch.launcher == "llamafactory":
        yield from _without_torchrun(launch)


def _under_deepspeed(launch: Launch) -> Iterator[Finding]:
    program, command = launch.program, launch.command
    reference = next((r for r in launch.configs if r.role == "llamafactory"), None)
    if program is None or command is None or "no_local_rank" in command.given:
        return
    starts_cli = entrypoints.is_llamafactory_command(program)
    known = reference is not None and reference.document is not None
    if known and reference is not None and reference.document is not None:
        known = reference.document.kind == "llamafactory"
    if not (
        starts_cli
        or (reference is not None and (known or entrypoints.is_llamafactory_script(program)))
    ):
        return
    yaml = program.args[0].raw if program.args else "the YAML"
    yield RULE.finding(
        launch.document,
        launch.span if program.word is None else program.span,
        f"deepspeed puts --local_rank in front of {yaml}",
        cause='LLaMA-Factory then sees no YAML: "Please provide `model_name_or_path`".'
        if not starts_cli
        else 'It prints "Unknown command: --local_rank=0", trains nothing and exits with 0.',
        fix=_to_torchrun(launch, starts_cli),
    )


def _to_torchrun(launch: Launch, starts_cli: bool) -> Fix | None:
    """LLaMA-Factory's command with what the options said, where it can say all of it."""
    command = launch.command
    if command is None or launch.program is None:
        return None
    variables = {"num_gpus": "NPROC_PER_NODE", "master_port": "MASTER_PORT"}
    words = ["FORCE_TORCHRUN=1"]
    for option, setting in command.given.items():
        if option == "num_nodes" and setting.text == "1":
            continue
        if option not in variables:
            return None
        words.append(f"{variables[option]}={setting.raw}")
    words.append("llamafactory-cli")
    if not starts_cli:
        words.append("train")
    return repair("let LLaMA-Factory start torchrun", command.replace(" ".join(words)), safe=True)


def _without_torchrun(launch: Launch) -> Iterator[Finding]:
    program = launch.program
    if program is None or entrypoints.subcommand(program) != "train":
        return
    if any(
        name in launch.env for name in ("FORCE_TORCHRUN", "USE_RAY", "USE_V1", "USE_MCA", "USE_KT")
    ):
        return
    devices = entrypoints.env_text(launch, "CUDA_VISIBLE_DEVICES")
    if devices is None or "," in devices or not devices.strip().isdigit():
        return
    for reference in launch.configs:
        document = reference.document
        if reference.role == "llamafactory" and document is not None and _has_deepspeed(document):
            yield RULE.finding(
                launch.document,
                program.span,
                f"{reference.path} uses DeepSpeed, and one visible GPU starts no torchrun",
                cause='It stops: "Please use `FORCE_TORCHRUN=1` to launch DeepSpeed training".',
                help="Set FORCE_TORCHRUN=1.",
                fix=repair(
                    "set FORCE_TORCHRUN=1", launch.set_env("FORCE_TORCHRUN", "1"), safe=True
                ),
            )


def _has_deepspeed(document: Document) -> bool:
    root = document.root
    return isinstance(root, Mapping) and root.get("deepspeed") is not None
