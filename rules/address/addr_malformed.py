"""A master address that is no host name or address.

## What it flags

`user@host`, `http://host`, `host:29500` where only the host belongs, quotes or blanks inside the value,
`None`, `locahost` and its like, `$VAR` in a file where nothing expands it: Kubernetes fills in `$(VAR)`
only, unless a shell reads the command. A default (`${MASTER_ADDR:-locahost}`) is a warning: the
environment may name another.

## Why it fails

torch tests the host of the endpoint against a pattern, or tries to resolve it for 15 minutes:

    ValueError: The hostname of the rendezvous endpoint 'ubuntu@10.0.0.1:29500' must be a dot-separated
    list of labels, an IPv4 address, or an IPv6 address.
    socket.gaierror: [Errno -2] Name or service not known

## Example

    compute_environment: LOCAL_MACHINE
    distributed_type: MULTI_GPU
    num_machines: 2
    num_processes: 16
    machine_rank: 0
    main_process_ip: ubuntu@10.0.0.1
    main_process_port: 29500

Repair: the bare host.

    compute_environment: LOCAL_MACHINE
    distributed_type: MULTI_GPU
    num_machines: 2
    num_processes: 16
    machine_rank: 0
    main_process_ip: 10.0.0.1
    main_process_port: 29500
"""

from collections.abc import Iterator

from cfglint.network import addresses
from cfglint.project import Project
from cfglint.rule import ERROR, WARNING, Finding, Launch, Literal, Rule, Setting, Variable, repair

RULE = Rule(
    code="ADDR006",
    name="addr-malformed",
    severity=ERROR,
    summary="a master address that is no host name or address",
    fix="safe",
    symptoms=(
        r"hostname of the rendezvous endpoint",
        r"Name or service not known",
        r"Temporary failure in name resolution",
        r"gai error",
    ),
    cause='torch stops with "The hostname of the rendezvous endpoint ... must be ...", or never resolves it.',
    help="Write the bare host name or address.",
    yields_to=("ENV007", "ENV003", "ADDR011"),
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """The launch's address, where it cannot be one."""
    for address in launch.address.each() if launch.address is not None else ():
        yield from _malformed(address, launch)


def _malformed(address: Setting, launch: Launch) -> Iterator[Finding]:
    value: object = address.value
    kept: Variable | None = None
    if isinstance(value, Variable) and value.operator in (":-", "-"):
        kept = value
        value = kept.default
    if not isinstance(value, Literal):
        return
    text = value.text
    if kept is not None and not text.strip():
        return  # it must come from outside
    if not text.strip() and address is not launch.address:
        return  # the branch of a job on one node
    found = addresses.fault(text)
    if found is None:
        return
    if not text.strip() and address.document.kind == "dotenv":
        return  # a template for people to fill in
    reason, host = found
    host = host or address.reference
    unused = launch.is_single_node and launch.launcher == "accelerate"
    right: str | Variable | None = host
    if host and kept is not None:
        right = Variable(kept.name, Literal(host), kept.operator)
    yield RULE.at(
        address,
        f"{text!r} is no address: {reason}",
        severity=WARNING if unused or kept is not None else ERROR,
        fix=repair(f"write {host}", address.write(right), safe=True) if right else None,
    )
