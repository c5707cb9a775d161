"""One DeepSpeed setting under two names.

## What it flags

A key together with its other name (`prefetch_bucket_size` and `stage3_prefetch_bucket_size`), or an
old key together with the one that replaced it (`cpu_offload` and `offload_optimizer`).

## Why it fails

    pydantic_core._pydantic_core.ValidationError: 1 validation error for DeepSpeedZeroConfig
    prefetch_bucket_size
      Extra inputs are not permitted [type=extra_forbidden, ...]

    AssertionError: Cannot provide deprecated parameter 'cpu_offload' and replacing parameter
    'offload_optimizer' together

## Example

    {
      "train_micro_batch_size_per_gpu": 1,
      "zero_optimization": {
        "stage": 2,
        "cpu_offload": true,
        "offload_optimizer": { "device": "cpu" }
      }
    }

Repair: one of them.

    {
      "train_micro_batch_size_per_gpu": 1,
      "zero_optimization": {
        "stage": 2,
        "offload_optimizer": { "device": "cpu" }
      }
    }

## When to ignore it

Never: every release refuses it.
"""

from collections.abc import Callable, Iterator

from cfglint.deepspeed_config import DeepSpeedConfig, configs_in
from cfglint.project import Project
from cfglint.rule import ERROR, Document, Entry, Finding, Mapping, Related, Rule, edit, repair
from cfglint.schemadata import Section

RULE = Rule(
    code="DS015",
    name="ds-key-twice",
    severity=ERROR,
    summary="one DeepSpeed setting under two names",
    fix="unsafe",
    kinds=("deepspeed", "llamafactory"),
    symptoms=(r"Cannot provide deprecated parameter '(?P<key>\w+)' and replacing parameter",),
)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The settings that a config names twice."""
    for config in configs_in(document, project):
        for name in project.fact(("named twice", config.release.version), _candidates(config)):
            if name and name.partition(".")[0] not in config.root:
                continue
            section, mapping = config.section(name), config.mapping(name)
            if section is not None and mapping is not None:
                yield from _twice(config, section, mapping)


def _candidates(config: DeepSpeedConfig) -> Callable[[], list[str]]:
    """The sections of the release that have keys with other names."""

    def find() -> list[str]:
        found = []
        for name in config.release.package.raw["sections"]:
            section = config.section(name)
            keys = section.keys.values() if section is not None and section.refuses else ()
            if any(spec.aliases or (spec.deprecated and spec.replaced_by) for spec in keys):
                found.append(name)
        return found

    return find


def _twice(config: DeepSpeedConfig, section: Section, mapping: Mapping) -> Iterator[Finding]:
    for key, spec in section.keys.items():
        for other in spec.aliases:
            if key in mapping and other in mapping:
                yield _finding(config, mapping, mapping.index[other], mapping.index[key], "other")
        if spec.deprecated and spec.replaced_by and spec.raw.get("set_new", True):
            new = section.canonical(spec.replaced_by)
            newer = mapping.entry(new) or mapping.entry(spec.replaced_by)
            if key in mapping and newer is not None:
                yield _finding(config, mapping, mapping.index[key], newer, "old")


def _finding(
    config: DeepSpeedConfig, mapping: Mapping, worse: Entry, better: Entry, how: str
) -> Finding:
    document = config.document
    return RULE.finding(
        document,
        worse.key.span,
        f"{worse.name} is an{' old' if how == 'old' else 'other'} name of {better.name},"
        " which stands here too",
        cause='DeepSpeed stops with "Cannot provide deprecated parameter ... together".'
        if how == "old"
        else 'DeepSpeed stops with "Extra inputs are not permitted".',
        help=f"Keep {better.name}.",
        fix=repair(f"take out {worse.name}", edit.remove_entry(document, mapping, worse)),
        related=[Related(document, better.key.span, f"{better.name}")],
    )
