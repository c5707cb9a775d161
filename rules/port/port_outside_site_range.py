"""The rendezvous port lies outside the range that the site has agreed on.

## What it flags

A literal rendezvous port outside `[site] port-range`. Nothing without that setting.

## Why

A team that shares machines gives each job a port of an agreed range, which firewalls open and which
`cfglint show --ports` lists. A port outside of it is blocked, or taken by somebody else.

## Example

    === cfglint.toml
    [site]
    port-range = [20000, 20999]
    === run.sh
    torchrun --nnodes=2 --node_rank=0 --nproc_per_node=8 --master_addr=10.0.0.1 --master_port=29500 train.py

Repair: a port of the range; the fix derives it from the job's name, so that all its files agree.

    === run.sh
    torchrun --nnodes=2 --node_rank=0 --nproc_per_node=8 --master_addr=10.0.0.1 --master_port=20500 train.py
"""

import zlib
from collections.abc import Iterator

from cfglint.jobs import ports
from cfglint.project import Project, stem_of_node_file
from cfglint.rule import WARNING, Finding, Launch, Rule, repair

RULE = Rule(
    code="PORT014",
    name="port-outside-site-range",
    severity=WARNING,
    summary="the rendezvous port is outside the site's agreed range",
    fix="unsafe",
    help="Use a port of the agreed range.",
    yields_to=("PORT004",),
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """The launch's port, where the settings give a range and it lies outside."""
    port, agreed = launch.port, project.site.port_range
    if port is None or agreed is None or not port.number or not ports.matters(launch):
        return
    low, high = agreed
    if low <= port.number <= high:
        return
    name = stem_of_node_file(launch.document.path) or launch.document.path
    better = str(low + zlib.crc32(name.encode()) % (high - low + 1))
    yield RULE.at(
        port,
        f"port {port.number} is outside the agreed range {low}-{high}",
        fix=repair(f"use port {better}", port.write(better)),
    )
