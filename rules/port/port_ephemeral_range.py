"""The rendezvous port lies where the kernel takes ports for outgoing connections.

## What it flags

A literal, default or computed rendezvous port that can fall into the ephemeral range: 32768 to 60999
on Linux unless the site changed net.ipv4.ip_local_port_range (`[site] ephemeral-port-range`). Ports
inside a network of the container's own are left alone.

## Why it fails

Any program on the host may hold that number for a connection it opened: the kernel hands them out. The
bind then fails now and then, with nothing listening when one looks:

    The server socket has failed to listen on any local network address. port: 55001 ... EADDRINUSE

3,000 open connections take 21 % of the even ports of the range.

## Example

    accelerate launch --num_processes 2 --main_process_port 55001 train.py

Repair: a free port on one machine, else one between 1024 and 32767 (20000 to 29999 is the habit).

    accelerate launch --num_processes 2 --main_process_port 0 train.py

## When to ignore it

The port is in net.ipv4.ip_local_reserved_ports on every host.
"""

from collections.abc import Iterator

from cfglint.jobs import ports
from cfglint.project import Project
from cfglint.rule import WARNING, Finding, Launch, Rule, Setting

RULE = Rule(
    code="PORT003",
    name="port-ephemeral-range",
    severity=WARNING,
    summary="the rendezvous port can be taken by any outgoing connection",
    fix="safe",
    unsafe_too=True,
    symptoms=(r"EADDRINUSE", r"failed to listen on any local network address"),
    cause="Now and then the bind fails with EADDRINUSE though nothing listens there.",
    help="Use a port below the range, 20000 to 29999 by habit.",
    yields_to=("PORT002", "PORT006", "PORT008", "PORT010"),
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """The launch's port, where it can fall into the range."""
    whole = launch.port
    if whole is None or ports.is_own(launch) or not ports.matters(launch):
        return
    for port in whole.each():
        yield from _in_range(port, launch, project)


def _in_range(port: Setting, launch: Launch, project: Project) -> Iterator[Finding]:
    first, last = project.site.ephemeral_port_range
    for low, high in ports.numbers(port.value):
        if low > last or high < first or low > 65535:
            continue
        if low == high:
            what = f"port {low} lies in the ephemeral range {first}-{last}"
        else:
            what = f"the port can be {max(low, first)}-{min(high, last)}, in the ephemeral range {first}-{last}"
            what += ", and above 65535, where ports end" if high > 65535 else ""
        literal = launch.port is not None and launch.port.number is not None
        fix = ports.free_port(launch, project) if literal else None
        yield RULE.at(port, what, fix=fix or ports.below_ephemeral(port, project))
        return
