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

from cfglint.llamafactory.start import gets_rank_first, lacking_torchrun, own_command
from cfglint.programs.entrypoints import is_llamafactory_command
from cfglint.project import Project
from cfglint.rule import ERROR, Finding, Launch, Rule, repair

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
    program = launch.program
    if program is None:
        return
    if gets_rank_first(launch):
        yaml = program.args[0].raw if program.args else "the YAML"
        yield RULE.finding(
            launch.document,
            launch.span if program.word is None else program.span,
            f"deepspeed puts --local_rank in front of {yaml}",
            cause='It prints "Unknown command: --local_rank=0", trains nothing and exits with 0.'
            if is_llamafactory_command(program)
            else 'LLaMA-Factory then sees no YAML: "Please provide `model_name_or_path`".',
            fix=repair("let LLaMA-Factory start torchrun", own_command(launch), safe=True),
        )
    for reference in lacking_torchrun(launch):
        also = [x for x in project.launches if any(lacking_torchrun(x))]
        edit = launch.set_env("FORCE_TORCHRUN", "1", also)
        yield RULE.finding(
            launch.document,
            program.span,
            f"{reference.path} uses DeepSpeed, and one visible GPU starts no torchrun",
            cause='It stops: "Please use `FORCE_TORCHRUN=1` to launch DeepSpeed training".',
            help="Set FORCE_TORCHRUN=1.",
            fix=repair("set FORCE_TORCHRUN=1", edit, safe=True),
        )
