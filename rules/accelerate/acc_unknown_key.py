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

from cfglint.accelerate.config import config_of
from cfglint.accelerate.faults import unknown_keys
from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Rule

RULE = Rule(
    code="ACC001",
    name="acc-unknown-key",
    severity=ERROR,
    summary="a key that accelerate does not know",
    fix="safe",
    unsafe_too=True,
    kinds=("accelerate",),
    symptoms=(r"had unknown keys \(\['(?P<key>\w+)'", r"got an unexpected keyword argument"),
)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The unknown keys of the file, at the keys."""
    config = config_of(document, project)
    for objection in unknown_keys(config) if config else ():
        yield objection.finding(RULE, document)
