"""A key without which DeepSpeed or its reader stops.

## What it flags

- no `zero_optimization` where accelerate or the Hugging Face trainer read the file; where no reader
  is known, but only they could read it for its "auto" values, too;
- curriculum learning without `curriculum_metrics`, dynamic batching without `max_tokens`, random
  layer-token drop without `total_layer_num`, elastic training (up to 0.19.7) without its batch sizes
  or beside fixed ones.

## Why it fails

    ValueError: Please specify the ZeRO optimization config in the DeepSpeed config.
    AssertionError: Curriculum learning is enabled, curriculum_metrics must be specified
    AssertionError: Dynamic batching is enabled, so max_tokens must be specified
    ElasticityConfigError: Elasticity config missing max_train_batch_size

## Example

    {
      "train_batch_size": "auto",
      "train_micro_batch_size_per_gpu": "auto",
      "bf16": { "enabled": "auto" }
    }

Repair: the section; stage 0 is ZeRO off.

    {
      "train_batch_size": "auto",
      "train_micro_batch_size_per_gpu": "auto",
      "bf16": { "enabled": "auto" },
      "zero_optimization": { "stage": 0 }
    }

## When to ignore it

When a program adds the key before it calls DeepSpeed.

## References

accelerate, utils/dataclasses.py: `DeepSpeedPlugin.__post_init__`; DeepSpeed,
runtime/data_pipeline/config.py, elasticity/config.py.
"""

from collections.abc import Iterator

from cfglint.deepspeed_config import BATCH, DeepSpeedConfig, configs_in
from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Related, Rule, edit, repair

RULE = Rule(
    code="DS017",
    name="ds-missing-key",
    severity=ERROR,
    summary="a key without which DeepSpeed or its reader stops",
    fix="unsafe",
    kinds=("deepspeed", "llamafactory"),
    symptoms=(
        r"Please specify the ZeRO optimization config in the DeepSpeed config",
        r"Curriculum learning is enabled, curriculum_metrics must be specified",
        r"Dynamic batching is enabled, so max_tokens must be specified",
        r"Elasticity config missing (?P<key>\w+)",
    ),
    yields_to=("DS002", "DS008"),
)
SAMPLING = "data_efficiency.data_sampling"
# A section that, once enabled, needs a key.
NEEDS = (
    (f"{SAMPLING}.curriculum_learning", ("curriculum_metrics",)),
    (f"{SAMPLING}.dynamic_batching", ("max_tokens",)),
    ("data_efficiency.data_routing.random_ltd", ("total_layer_num",)),
    ("elasticity", ("max_train_batch_size", "micro_batch_sizes")),
)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The missing keys of the configs in a document."""
    for config in configs_in(document, project):
        yield from _zero(config)
        for section, keys in NEEDS:
            yield from _needs(config, section, keys)
        yield from _elastic(config)


def _zero(config: DeepSpeedConfig) -> Iterator[Finding]:
    if config.has("zero_optimization") or not config.root.entries:
        return
    use = config.hf_use
    if use is not None and use.document.kind == "accelerate" and use.document.given:
        return  # acc-ds-file says it where accelerate names the file
    if not config.is_for_hf or any(f.near == "zero_optimization" for f in config.unknown()):
        return  # ds-unknown-key says that it is misspelt
    reader = f"{use.reader} reads this file ({use.where})" if use else "only accelerate and the"
    if use is None:
        reader += ' trainer can read this file for its "auto" values'
    addition = edit.insert_entry(config.document, config.root, "zero_optimization", {"stage": 0})
    yield RULE.finding(
        config.document,
        config.root.entries[0].key.span,
        f"there is no zero_optimization, and {reader}",
        cause="It stops: Please specify the ZeRO optimization config in the DeepSpeed config.",
        help='Add "zero_optimization": {"stage": 0} for none.',
        fix=repair("add stage 0", addition),
        related=[Related(use.document, use.span, "read here")] if use else [],
    )


def _needs(config: DeepSpeedConfig, section: str, keys: tuple[str, ...]) -> Iterator[Finding]:
    entry = config.entry(section)
    if entry is None or config.section(section) is None or not config.known(f"{section}.enabled"):
        return
    for key in keys:
        if not config.has(f"{section}.{key}"):
            yield RULE.finding(
                config.document,
                entry.key.span,
                f"{section} is enabled without {key} ({config.judged_by})",
                cause=f"DeepSpeed stops: {key} must be specified.",
                help=f"Add {key}, or switch the section off.",
            )


def _elastic(config: DeepSpeedConfig) -> Iterator[Finding]:
    enabled = config.section("elasticity") is not None and config.known("elasticity.enabled")
    if not enabled or config.known("elasticity.ignore_non_elastic_batch_info"):
        return
    for key in BATCH:
        entry = config.entry(key)
        if entry is not None:
            yield RULE.finding(
                config.document,
                entry.key.span,
                f"{key} stands beside elasticity, which chooses it ({config.judged_by})",
                cause="DeepSpeed stops with an ElasticityConfigError.",
                help='Take it out, or set "ignore_non_elastic_batch_info": true.',
            )
            return
