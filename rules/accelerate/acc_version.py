"""A key or value that the accelerate that runs does not know, though another release does.

## What it flags

Top-level keys, keys of sections, and choices that came with a later release or were removed.
Where the settings or a pin in the tree say which accelerate runs, a refused key is an error; else
the newest known release is taken and it is a warning. A section's key is ignored, not refused: a
warning.

## Why it fails

    ValueError: The config file at acc.yaml had unknown keys (['ipex_config']), please try upgrading
    your `accelerate` version or fix (and potentially remove) these keys from your config file.

Before 0.23 it reads `ClusterConfig.__init__() got an unexpected keyword argument 'debug'`.

`ipex_config` is gone since 1.13, `tp_config` since 1.7; `parallelism_config` came with 1.10,
`fp8_config` with 0.34, `enable_cpu_affinity` with 0.29, `debug` with 0.22, `tpu_env` with 0.17.

## Example

    distributed_type: MULTI_GPU
    num_processes: 2
    ipex_config:
      ipex: false

Repair: an empty or switched-off key is deleted.

    distributed_type: MULTI_GPU
    num_processes: 2

## When to ignore it

When the file is for another accelerate than this tree pins; better, say which in `[versions]`.

## References

accelerate's releases (before 0.27 the top-level keys); kohya_ss#726, #942, #1554,
huggingface/accelerate#1083.
"""

from collections.abc import Iterator
from typing import Any

from cfglint.accelerate.config import AccelerateConfig, config_of
from cfglint.project import Project
from cfglint.releases.validate import Fault
from cfglint.rule import ERROR, WARNING, Document, Finding, Rule, edit, repair

RULE = Rule(
    code="ACC006",
    name="acc-version",
    severity=ERROR,
    summary="a key that the deployed accelerate does not know, though another release does",
    fix="safe",
    kinds=("accelerate",),
    symptoms=(
        r"had unknown keys \(\['(?P<key>\w+)'",
        r"please try upgrading your `accelerate`",
        r"ClusterConfig\.__init__\(\) got an unexpected keyword argument '(?P<key>\w+)'",
    ),
)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The keys that only other releases know, at the keys."""
    config = config_of(document, project)
    for fault in config.faults if config else ():
        life = config.life(fault) if config and fault.kind == "unknown" else None
        if config is None or life is None or fault.entry is None:
            continue
        if fault.refused or config.is_ignored(fault):
            yield _finding(config, fault, life)


def _finding(config: AccelerateConfig, fault: Fault, life: tuple[str, str]) -> Finding:
    first, last = life
    package = config.release.package
    is_gone = package.position[last] < config.release.index
    when = f"the last release with it is {last}" if is_gone else f"it came with {first}"
    fix = None
    mapping = config.mapping(fault.section.name.removeprefix("@sagemaker"))
    if fault.entry is not None and mapping is not None and _is_off(fault.value):
        drop = edit.remove_entry(config.document, mapping, fault.entry)
        fix = repair(f"remove {fault.key}, which is switched off", drop, safe=True)
    words = f"had unknown keys ([{fault.key!r}])"
    if config.version.before("0.23"):
        words = f"got an unexpected keyword argument {fault.key!r}"
    effect = f'The launch ends with "{words}".'
    return RULE.finding(
        config.document,
        fault.node.span,
        f"{config.version.title} does not know {fault.key!r}: {when}",
        severity=ERROR if fault.refused and config.version.pinned else WARNING,
        cause=(effect if fault.refused else "It is ignored in silence.") + f" ({config.version})",
        help="Remove it, or install a release that knows it.",
        fix=fix,
    )


def _is_off(value: Any) -> bool:
    """Whether nothing in a value asks for anything."""
    if isinstance(value, dict):
        return all(map(_is_off, value.values()))
    return value in (None, False, "no", "false", 0, 1, []) and value is not True
