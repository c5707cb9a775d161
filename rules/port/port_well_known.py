"""The rendezvous port is that of a service which such hosts run.

## What it flags

A literal rendezvous port that is the usual one of a service found on training hosts: TensorBoard
(6006), Jupyter (8888), Redis and Ray (6379), the DCGM exporter (9400) and the like.

## Why it fails

On the host where that service runs, and only there:

    The server socket has failed to listen on any local network address. port: 6006 ... EADDRINUSE

## Example

    torchrun --nproc_per_node=8 --nnodes=2 --node_rank=0 --master_addr=10.0.0.1 --master_port=6006 train.py

Repair: a port that no service has, 20000 to 29999 by habit.

    torchrun --nproc_per_node=8 --nnodes=2 --node_rank=0 --master_addr=10.0.0.1 --master_port=26006 train.py
"""

from collections.abc import Iterator

from cfglint.jobs import ports
from cfglint.project import Project
from cfglint.rule import INFO, Finding, Launch, Rule, repair

RULE = Rule(
    code="PORT011",
    name="port-well-known",
    severity=INFO,
    summary="the rendezvous port is a well-known service's",
    fix="unsafe",
    symptoms=(r"EADDRINUSE",),
    help="Use a port that no service has, 20000 to 29999 by habit.",
    yields_to=("PORT004", "PORT002"),
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """The launch's port, where a service is known to use it."""
    port = launch.port
    if port is None or port.number not in ports.SERVICES or port.number < 1024:
        return
    if ports.is_own(launch) or not ports.matters(launch):
        return
    better = str(20000 + port.number % 10000)
    yield RULE.at(
        port,
        f"port {port.number} is usually {ports.SERVICES[port.number]}",
        fix=repair(f"use port {better}", port.write(better)),
    )
