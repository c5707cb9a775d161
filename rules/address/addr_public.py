"""The rendezvous address is a public one.

## What it flags

A master address or rendezvous endpoint that is a globally routable IP address. Private (RFC 1918),
shared (100.64/10), link-local and unique local addresses are left alone, and so are networks named in
`[site] private-networks`. Documentation addresses are `addr-placeholder`'s.

A warning, since some hosts do carry a public address on their network card. An error with the c10d
backend: there the node that hosts the store must recognise the address as its own, and no cloud VM
does.

## Why it fails

A cloud VM does not own its public address: the provider translates it outside (1:1 NAT). Rank 0 has
only its internal address, and dials its own public one through the firewall:

    torch.distributed.DistNetworkError: The client socket has timed out after 900000ms while trying to
    connect to (34.1.2.3, 29500).

Where it does work, the store (no authentication, pickled data) is open to the internet, and NCCL still
uses the private addresses.

## Example

    compute_environment: LOCAL_MACHINE
    distributed_type: MULTI_GPU
    num_machines: 2
    num_processes: 16
    machine_rank: 0
    main_process_ip: 8.8.4.4
    main_process_port: 29500

Repair: the address of rank 0 inside the network that the nodes share (VPC, LAN).

    compute_environment: LOCAL_MACHINE
    distributed_type: MULTI_GPU
    num_machines: 2
    num_processes: 16
    machine_rank: 0
    main_process_ip: 10.128.0.2
    main_process_port: 29500

## When to ignore it

Bare metal whose network card carries the public address, behind a firewall: list the network under
`[site] private-networks`.
"""

from collections.abc import Iterator

from cfglint.network import addresses
from cfglint.project import Project
from cfglint.rule import ERROR, WARNING, Finding, Launch, Rule, Variable, possible, repair

RULE = Rule(
    code="ADDR001",
    name="addr-public",
    severity=WARNING,
    summary="the rendezvous address is a public IP",
    fix="unsafe",
    symptoms=(
        r"client socket has timed out after \d+ms while trying to connect to \(\d+\.\d+",
        r"No interface found in the same subnet as remote address",
        r"The connection to the C10d store has failed",
    ),
    cause="Rank 0 of a cloud VM does not own that address; all ranks retry for 900 s and give up.",
    help="Use rank 0's address in the network that the nodes share (VPC, LAN).",
    yields_to=("ADDR003", "ADDR007"),
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """The launch's address, where it is public."""
    address = launch.address
    if address is None or (launch.is_single_node and launch.launcher == "accelerate"):
        return
    text = next(iter(possible(address.value)), "")
    if not addresses.is_public(text, project.site.private_networks):
        return
    c10d = launch.effective("rdzv_backend") == "c10d" and "rdzv_endpoint" in launch.settings
    name = address.key if address.key.isupper() else "MASTER_ADDR"
    required = address.write(Variable(name, None, ":?"))
    yield RULE.at(
        address,
        f"{text} is a public address, which a cloud VM does not own",
        severity=ERROR if c10d else WARNING,
        cause="No node takes the address for its own, so nobody hosts the store: every node times out."
        if c10d
        else None,
        fix=repair(f"let each site name it: ${{{name}:?}}", required),
    )
