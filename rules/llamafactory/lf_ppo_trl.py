"""PPO with a LLaMA-Factory whose trl has no such trainer any more.

## What it flags

`stage: ppo` for training with LLaMA-Factory 0.9.4 or newer.

## Why it fails

LLaMA-Factory's PPO trainer is built on the one of trl 0.8.6 to 0.9.6. Releases since 0.9.4 demand
trl 0.18 or newer when they start, so that an installation that passes the one test fails the
other:

    ImportError: trl>=0.8.6,<=0.9.6 is required for a normal functioning of this module, but found
    trl==0.24.0. Incompatible TRL version detected.

## Example

    === requirements.txt
    llamafactory==0.9.5
    === ppo.yaml
    model_name_or_path: Qwen/Qwen2.5-7B-Instruct
    stage: ppo
    do_train: true
    finetuning_type: lora
    template: qwen
    dataset: identity
    reward_model: saves/reward
    output_dir: saves/ppo

Repair: the last release whose trl has the trainer.

    === requirements.txt
    llamafactory==0.9.3

## When to ignore it

When trl 0.9.6 is installed beside it and DISABLE_VERSION_CHECK=1 is set where the job runs; set
in a command of the tree it silences the rule.
"""

from collections.abc import Iterator

from cfglint.llamafactory.arguments import arguments, is_on
from cfglint.project import Project
from cfglint.releases.versions import allows
from cfglint.rule import WARNING, Document, Finding, Rule

RULE = Rule(
    code="LF012",
    name="lf-ppo-trl",
    severity=WARNING,
    summary="PPO with a LLaMA-Factory that demands a trl without its trainer",
    kinds=("llamafactory",),
    symptoms=(
        r"trl[<>=\d., ]* is required for a normal functioning",
        r"Incompatible TRL version detected",
    ),
)
TRAINER = "0.9.6"  # the last trl with the trainer (facts on LLaMA-Factory e.20)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """A training file for the PPO stage, under a release that refuses the trl it needs."""
    given = arguments(document, project)
    if given is None or given.form != "train" or given.value("stage") != "ppo":
        return
    required = next((r for r in given.release.table("requires") if r.startswith("trl")), "trl")
    entry = given.entry("stage")
    if entry is None or not given.value("do_train") or allows(required[3:], TRAINER):
        return
    given.search()
    if is_on(given.environment("DISABLE_VERSION_CHECK")):
        return
    yield RULE.finding(
        document,
        entry.span,
        f"PPO needs trl {TRAINER} or older, {given.llamafactory.title} demands {required}"
        f" ({given.llamafactory.source})",
        cause='"ImportError: trl>=0.8.6,<=0.9.6 is required ... Incompatible TRL version detected."',
        help="Use LLaMA-Factory 0.9.3, or trl 0.9.6 with DISABLE_VERSION_CHECK=1.",
    )
