"""Keys without which DeepSpeed, or what reads its config, stops.

Sources: DeepSpeed, runtime/data_pipeline/config.py, elasticity/; accelerate,
utils/dataclasses.py: `DeepSpeedPlugin.__post_init__`.
"""

from __future__ import annotations

from collections.abc import Iterator

from cfglint.deepspeed.config import BATCH, DeepSpeedConfig
from cfglint.releases.objection import Objection
from cfglint.releases.validate import Fault
from cfglint.rule import Related, near, repair
from cfglint.syntax import editing as edit

SAMPLING = "data_efficiency.data_sampling"
# A section that, once enabled, needs a key.
NEEDS = (
    (f"{SAMPLING}.curriculum_learning", ("curriculum_metrics",)),
    (f"{SAMPLING}.dynamic_batching", ("max_tokens",)),
    ("data_efficiency.data_routing.random_ltd", ("total_layer_num",)),
    ("elasticity", ("max_train_batch_size", "micro_batch_sizes")),
)


def objections(config: DeepSpeedConfig) -> Iterator[Objection]:
    """The keys that have to be there, or must not be beside others."""
    yield from _zero(config)
    for section, keys in NEEDS:
        yield from _needs(config, section, keys)
    yield from _elastic(config)


def mistaken_zero(config: DeepSpeedConfig) -> Fault | None:
    """The unknown key that holds what `zero_optimization` should, where that is missing: a
    misspelling of it, itself at another place, or a mapping at the top that gives a stage."""
    for fault in config.unknown():
        if "zero_optimization" in (fault.near, fault.key):
            return fault
        if not fault.section.name and isinstance(fault.value, dict) and "stage" in fault.value:
            return fault
    return None


def is_said_there(mistaken: Fault) -> bool:
    """Whether ds-unknown-key or ds-misplaced-key says what a mistaken key should be."""
    return "zero_optimization" in (mistaken.near, mistaken.key)


def _zero(config: DeepSpeedConfig) -> Iterator[Objection]:
    if config.has("zero_optimization") or not config.root.entries:
        return
    use = config.hf_use
    if use is not None and use.document.kind == "accelerate" and use.document.given:
        return  # acc-ds-file says it where accelerate names the file
    mistaken = mistaken_zero(config)
    if not config.is_for_hf or config.is_tuned or (mistaken and is_said_there(mistaken)):
        return
    reader = f"{use.reader} reads this file ({use.where})" if use else "only accelerate and the"
    if use is None:
        reader += ' trainer can read this file for its "auto" values'
    addition = edit.insert_entry(config.document, config.root, "zero_optimization", {"stage": 0})
    yield Objection(
        config.root.entries[0].key.span,
        f"there is no zero_optimization, and {reader}",
        cause="It stops: Please specify the ZeRO optimization config in the DeepSpeed config.",
        help=f"Call {mistaken.key} zero_optimization."
        if mistaken
        else 'Add "zero_optimization": {"stage": 0} for none.',
        fix=None if mistaken else repair("add stage 0", addition),
        related=[Related(use.document, use.span, "read here")] if use else [],
    )


def _needs(config: DeepSpeedConfig, section: str, keys: tuple[str, ...]) -> Iterator[Objection]:
    entry = config.entry(section)
    if entry is None or config.section(section) is None or not config.known(f"{section}.enabled"):
        return
    mapping = config.mapping(section)
    names = set(mapping.names()) if mapping is not None else set()
    for key in keys:
        if not config.has(f"{section}.{key}"):
            misspelt = near(key, names)
            yield Objection(
                entry.key.span,
                f"{section} is enabled without {key} ({config.judged_by})",
                cause=f"DeepSpeed stops: {key} must be specified.",
                help=f"Call {misspelt} {key}."
                if misspelt
                else f"Add {key}, or switch the section off.",
            )


def _elastic(config: DeepSpeedConfig) -> Iterator[Objection]:
    enabled = config.section("elasticity") is not None and config.known("elasticity.enabled")
    if not enabled or config.known("elasticity.ignore_non_elastic_batch_info"):
        return
    for key in BATCH:
        entry = config.entry(key)
        if entry is not None:
            yield Objection(
                entry.key.span,
                f"{key} stands beside elasticity, which chooses it ({config.judged_by})",
                cause="DeepSpeed stops with an ElasticityConfigError.",
                help='Take it out, or set "ignore_non_elastic_batch_info": true.',
            )
            return
