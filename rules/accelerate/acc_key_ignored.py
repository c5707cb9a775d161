"""A key that has no effect where it stands.

## What it flags

- A key inside a section that accelerate does not know: sections are not checked, so raw
  DeepSpeed keys in `deepspeed_config`, misremembered names and the ones that `accelerate config`
  itself writes for FP8 (`amax_history_length`) reach nobody.
- A known key that nothing reads: `offload_optimizer_nvme_path`.
- A section of another `distributed_type`, or one that is no mapping: it is not read at all.
- `rdzv_backend`, `enable_cpu_affinity`, `downcast_bf16`, `tpu_use_sudo` in a file (information):
  the command line's default always wins. `same_network` changes nothing with the rendezvous that
  is left, and is not reported.

## Why

accelerate copies each key of a section onto the launcher option of that name and never asks
whether there is one; there is no error message. With `train_micro_batch_size_per_gpu: 2` in
`deepspeed_config` the job trains with another batch size than the file says.

## Example

    === acc.yaml
    distributed_type: DEEPSPEED
    deepspeed_config:
      train_micro_batch_size_per_gpu: 2
      zero_stage: 2
    num_processes: 8

Repair: DeepSpeed's own keys belong into a DeepSpeed file.

    === acc.yaml
    distributed_type: DEEPSPEED
    deepspeed_config:
      deepspeed_config_file: ds.json
    num_processes: 8
    === ds.json
    {"train_micro_batch_size_per_gpu": 2, "zero_optimization": {"stage": 2}}

## When to ignore it

When another program reads the key from this file.

## References

accelerate, commands/launch.py: `_validate_launch_command`; huggingface/accelerate#2298, #1463,
#3489.
"""

from collections.abc import Iterator

from cfglint.accelerate_config import SECTION_OF, AccelerateConfig, config_of
from cfglint.project import Project
from cfglint.rule import (
    INFO,
    WARNING,
    Document,
    Finding,
    Fix,
    Mapping,
    Rule,
    edit,
    repair,
    resolve_alias,
    to_data,
)
from cfglint.validate import Fault

RULE = Rule(
    code="ACC004",
    name="acc-key-ignored",
    severity=WARNING,
    summary="a key that has no effect where it stands",
    fix="unsafe",
    kinds=("accelerate",),
)
# Keys whose command-line default always wins, with the value that means nothing was asked for.
OPTION_WINS = {"rdzv_backend": "static", "enable_cpu_affinity": False, "tpu_use_sudo": False}


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """What the file says in vain, each at its key."""
    config = config_of(document, project)
    if config is None or config.is_sagemaker or not config.type:
        return
    yield from _sections(config, project)
    for fault in config.faults:
        is_nested = fault.kind == "unknown" and not fault.refused and not fault.near
        if is_nested and config.is_ignored(fault) and not config.life(fault):
            yield _unknown(config, fault)
    yield from _unread(config)
    yield from _top(config)


def _sections(config: AccelerateConfig, project: Project) -> Iterator[Finding]:
    """Sections that this launch does not look at."""
    for name, entry in config.root.index.items():
        if not name.endswith("_config") or config.section(name) is None:
            continue
        if config.options(project) & {"use_fsdp", "use_deepspeed", "use_megatron_lm", "multi_gpu"}:
            return  # the command line decides, not the file
        value = resolve_alias(entry.value)
        if value.entries == [] if isinstance(value, Mapping) else not to_data(value):
            continue
        if not isinstance(value, Mapping):
            if config.reads_section(name) and name != "deepspeed_config":
                yield _at(config, entry.key.span, f"{name} is no mapping: it is not read")
        elif not config.reads_section(name):
            wanted = SECTION_OF.get(name)
            because = f"distributed_type is {config.type}, not {wanted}" if wanted else ""
            if name == "fp8_config":
                because = "mixed_precision is not fp8"
            elif not because:
                because = f"a {config.type} launch does not use it"
            yield _at(config, entry.key.span, f"{name} is not read: {because}")


def _unknown(config: AccelerateConfig, fault: Fault) -> Finding:
    places = [p for p in config.release.package.places(fault.key) if p != fault.section.name]
    known = f"; it is a key of {places[0] or 'the top level'}" if places else ""
    return RULE.finding(
        config.document,
        fault.node.span,
        f"{fault.section.name} has no key {fault.key!r}: it is ignored{known}",
        cause=f"accelerate does not check its sections ({config.version}).",
        help=_advice(fault),
    )


def _advice(fault: Fault) -> str:
    if fault.section.name == "deepspeed_config":
        return "A key of DeepSpeed's belongs into the file that deepspeed_config_file names."
    return "Take it out, or say it where it is read."


def _unread(config: AccelerateConfig) -> Iterator[Finding]:
    """Known keys of the sections in use that nothing reads."""
    for name in config.root.names():
        if not name.endswith("_config") or not config.reads_section(name):
            continue
        section, mapping = config.section(name), config.mapping(name)
        if section is None or mapping is None:
            continue
        for key, entry in mapping.index.items():
            spec = section.spec(key)
            if spec is None or not spec.unread or to_data(entry.value) in (None, "none"):
                continue
            fix: Fix | None = None
            if spec.replaced_by and spec.replaced_by not in mapping:
                short = spec.replaced_by.removeprefix(section.prefix)
                better = spec.replaced_by if key in section.keys else short
                change = edit.rename_key(config.document, entry, better)
                fix = repair(f"Rename {key} to {better}", change)
            yield RULE.finding(
                config.document,
                entry.key.span,
                f"nothing reads {key} of {name}",
                cause=f"It is accepted and has no effect ({config.version}).",
                help=f"It is called {spec.replaced_by}." if spec.replaced_by else "",
                fix=fix,
            )


def _top(config: AccelerateConfig) -> Iterator[Finding]:
    """Top-level keys that always lose against the command line's own default."""
    for key, nothing in OPTION_WINS.items():
        entry = config.root.entry(key)
        value = to_data(entry.value) if entry else None
        if entry and value is not None and value != nothing:
            flag = f" {value}" if isinstance(value, str) else ""
            yield _at(
                config,
                entry.key.span,
                f"{key} has no effect in a config file",
                f"accelerate launch --{key}{flag} has.",
                INFO,
            )
    entry = config.root.entry("downcast_bf16")
    if entry and str(to_data(entry.value)).lower() in ("true", "yes"):
        said = "downcast_bf16 has no effect in a config file"
        yield _at(config, entry.key.span, said, "accelerate launch --downcast_bf16 has.", INFO)


def _at(
    config: AccelerateConfig,
    span: tuple[int, int],
    message: str,
    help: str = "",
    severity: object = None,
) -> Finding:
    return RULE.finding(
        config.document,
        span,
        message,
        severity=INFO if severity is INFO else WARNING,
        cause=f"accelerate launch never looks at it ({config.version}).",
        help=help,
    )
