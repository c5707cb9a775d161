"""A key that accelerate does not know.

## What it flags

A top-level key of an accelerate config that no release of accelerate knows: the file is refused.
A key inside a section (`fsdp_config`, `deepspeed_config` ...) that is a known one misspelt: it is
ignored in silence, so this is a warning. A key that another release knows is `acc-version`'s; a
section's key that resembles none is `acc-key-ignored`'s.

## Why it fails

    ValueError: The config file at acc.yaml had unknown keys (['main_process_address']), please try
    upgrading your `accelerate` version or fix (and potentially remove) these keys from your config
    file.

Options of `accelerate launch` such as `--max_restarts` are no keys of the file either, and
neither is the holder of a YAML anchor.

## Example

    distributed_type: MULTI_GPU
    num_machines: 2
    num_processes: 8
    machine_rank: 0
    main_process_address: 10.9.0.3
    main_process_port: 29400

Repair: the key that accelerate has.

    distributed_type: MULTI_GPU
    num_machines: 2
    num_processes: 8
    machine_rank: 0
    main_process_ip: 10.9.0.3
    main_process_port: 29400

## When to ignore it

Never at the top: the file does not load. In a section, when another program reads that key.

## References

accelerate, commands/config/config_args.py: `from_yaml_file`; huggingface/accelerate#1935.
"""

from collections.abc import Iterator

from cfglint.accelerate_config import AccelerateConfig, config_of
from cfglint.project import Project
from cfglint.rule import ERROR, WARNING, Document, Finding, Fix, Mapping, Rule, edit, near, repair
from cfglint.validate import Fault

RULE = Rule(
    code="ACC001",
    name="acc-unknown-key",
    severity=ERROR,
    summary="a key that accelerate does not know",
    fix="safe",
    kinds=("accelerate",),
    symptoms=(r"had unknown keys \(\['(?P<key>\w+)'", r"got an unexpected keyword argument"),
)
# What torchrun and others call these.
MEANT = {
    "master_addr": "main_process_ip",
    "master_address": "main_process_ip",
    "master_port": "main_process_port",
    "node_rank": "machine_rank",
    "nnodes": "num_machines",
    "num_nodes": "num_machines",
    "nproc": "num_processes",
    "num_gpus": "num_processes",
    "world_size": "num_processes",
}


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The unknown keys of the file, at the keys."""
    config = config_of(document, project)
    for fault in config.faults if config else ():
        if config is None or fault.kind != "unknown" or fault.entry is None or config.life(fault):
            continue
        if fault.refused:
            yield _refused(config, fault)
        elif fault.near and config.is_ignored(fault):
            yield _ignored(config, fault)


def _refused(config: AccelerateConfig, fault: Fault) -> Finding:
    free = fault.section.spec(MEANT.get(fault.key, "")) and MEANT[fault.key] not in config.root
    better = MEANT[fault.key] if free else fault.near
    section = next(
        (p for p in config.release.package.places(fault.key) if p.endswith("_config")), ""
    )
    hint, fix = "", None
    if better:
        hint = f"Call it {better}."
        fix = _rename(config, fault, better, True)
    elif section:
        hint = f"It is a key of {section}."
        fix = _move(config, fault, section)
    elif fault.key in config.release.table("launch_options"):
        hint = f"It is an option of the command line only: accelerate launch --{fault.key}."
    return RULE.finding(
        config.document,
        fault.node.span,
        f"accelerate knows no key {fault.key!r}" + (f"; {better!r} is meant" if better else ""),
        cause=f'The launch ends with "had unknown keys ([{fault.key!r}])" ({config.version}).',
        help=hint or "Take it out; what accelerate does not know stops it.",
        fix=fix,
    )


def _ignored(config: AccelerateConfig, fault: Fault) -> Finding:
    section, better = fault.section.name, str(fault.near)
    is_spelling = near(fault.key, [better]) is not None
    return RULE.finding(
        config.document,
        fault.node.span,
        f"{section} has no key {fault.key!r}; {better!r} is meant",
        severity=WARNING,
        cause=f"accelerate ignores unknown keys of a section in silence ({config.version}).",
        help=f"Call it {better}.",
        fix=_rename(config, fault, better, is_spelling),
    )


def _rename(config: AccelerateConfig, fault: Fault, name: str, safe: bool) -> Fix | None:
    spec = fault.section.spec(name)
    if fault.entry is None or spec is None or spec.fault(fault.value):
        return None
    change = edit.rename_key(config.document, fault.entry, name)
    return repair(f"Rename {fault.key} to {name}", change, safe=safe)


def _move(config: AccelerateConfig, fault: Fault, section: str) -> Fix | None:
    there = config.root.get(section)
    if not isinstance(there, Mapping) or fault.entry is None or fault.key in there:
        return None
    if isinstance(fault.value, (dict, list)) or not config.reads_section(section):
        return None
    add = edit.insert_entry(config.document, there, fault.key, fault.value)
    drop = edit.remove_entry(config.document, config.root, fault.entry)
    return repair(f"Move {fault.key} into {section}", add, drop, safe=True)
