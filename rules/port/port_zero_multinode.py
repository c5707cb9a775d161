"""Port 0 in a job over several machines: each node picks another port.

## What it flags

A rendezvous port of 0 where the files say that there is more than one node.

## Why it fails

0 means "any free port". accelerate asks its own kernel on each machine, so no two nodes agree, and all
wait until the rendezvous times out after 900 s:

    torch.distributed.DistStoreError: Timed out after 900 seconds waiting for clients. 1/2 clients joined.

## Example

    compute_environment: LOCAL_MACHINE
    distributed_type: MULTI_GPU
    num_machines: 2
    num_processes: 16
    machine_rank: 0
    main_process_ip: 10.0.0.1
    main_process_port: 0

Repair: one fixed port, the same in the files of all nodes.

    compute_environment: LOCAL_MACHINE
    distributed_type: MULTI_GPU
    num_machines: 2
    num_processes: 16
    machine_rank: 0
    main_process_ip: 10.0.0.1
    main_process_port: 29500
"""

from collections.abc import Iterator

from cfglint.jobs import ports
from cfglint.project import Project
from cfglint.rule import ERROR, Finding, Launch, Rule, default_int, repair

RULE = Rule(
    code="PORT005",
    name="port-zero-multinode",
    severity=ERROR,
    summary="port 0 over several machines: each node picks its own",
    fix="unsafe",
    symptoms=(
        r"Timed out after \d+ seconds waiting for clients",
        r"client socket has timed out .* \([^)]*, 0\)",
    ),
    cause="Every node picks another port; all wait 900 s, then: Timed out ... 1/2 clients joined.",
    help="Give all nodes one fixed port.",
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """The launch's port 0."""
    port = launch.port
    if port is None or not launch.is_multinode:
        return
    # What Compose fills in from .env is what the variable holds where nobody sets it anew.
    number = default_int(port.value) if port.document.kind == "dotenv" else port.number
    if number != 0:
        return
    other = ports.common(project)
    yield RULE.at(
        port,
        f"port 0 lets each of the {launch.machines()} nodes pick another port",
        fix=repair(f"use port {other} on every node", port.write(other)),
    )
