"""A rendezvous port that is no port, or one that only root may listen on.

## What it flags

A literal port outside 1..65535 (0 has rules of its own), and one below 1024 as a warning. Of a
computed one, what can pass 65535, and, as a warning, `$RANDOM` alone and the like, which are below
1024 time and again; where the formula also reaches the ephemeral range, PORT003 says so.

## Why it fails

    OverflowError: connect_ex(): port must be 0-65535.
    ValueError: The port number of the rendezvous endpoint '...' must be an integer between 0 and 65536.

A port below 1024 passes every check and then fails to bind unless the process is root (inside Docker
it is allowed).

## Example

    distributed_type: MULTI_GPU
    num_processes: 8
    main_process_port: 69420

Repair: a free port between 1024 and 32767; 20000 to 29999 is the habit.

    distributed_type: MULTI_GPU
    num_processes: 8
    main_process_port: 29420
"""

from collections.abc import Iterator

from cfglint.jobs import ports
from cfglint.project import Project
from cfglint.rule import (
    ERROR,
    WARNING,
    Computed,
    Finding,
    Launch,
    Rule,
    Setting,
    parse_int,
    possible,
)

RULE = Rule(
    code="PORT004",
    name="port-out-of-range",
    severity=ERROR,
    summary="a rendezvous port outside 1..65535, or below 1024",
    symptoms=(
        r"port must be 0-65535",
        r"port number of the rendezvous endpoint .* must be an integer between 0 and 6553[56]",
        r"OverflowError: .*port",
        r"errno: 13 - Permission denied",
    ),
    help="Use a free port between 1024 and 32767; 20000 to 29999 is the habit.",
    fix="unsafe",
    yields_to=("PORT008", "PORT010"),
)
_REFUSED = 'The launch ends with "port must be 0-65535" before any process starts.'
_DENIED = 'Unless it runs as root, rank 0 fails with "Permission denied" (EACCES).'


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """The launch's port, where it is known to be out of range."""
    for port in launch.port.each() if launch.port is not None else ():
        yield from _out_of_range(port, launch)
        if isinstance(port.value, Computed) and ports.matters(launch):
            yield from _can_be(port, port.value, launch, project)


def _can_be(port: Setting, value: Computed, launch: Launch, project: Project) -> Iterator[Finding]:
    low, high = value.low, value.high
    if low is None or high is None or low == high:
        return
    first, last = project.site.ephemeral_port_range
    fix = ports.below_ephemeral(port, project)
    if high > 65535 and low > last:
        message = f"the port can be {max(low, 65536)}-{high}, and ports end at 65535"
        yield RULE.at(port, message, cause=_REFUSED, fix=fix)
    elif value.idiom != "random" or high >= first or _is_boxed(launch):
        return
    elif 1024 - low > (high - low) // 100:  # not one in some hundreds
        message = f"the port can be {low}-1023, where only root may listen"
        yield RULE.at(port, message, severity=WARNING, cause=_DENIED, fix=fix)


def _out_of_range(port: Setting, launch: Launch) -> Iterator[Finding]:
    for text in possible(port.value):
        number = parse_int(text)
        if number is None or number == 0:
            continue
        if not 0 < number <= 65535:
            yield RULE.at(
                port,
                f"{number} is no port: they end at 65535" if number > 0 else f"{number} is no port",
                cause=_REFUSED,
            )
        elif number < 1024 and not _is_boxed(launch):
            message = f"port {number} is below 1024: only root may listen on it"
            yield RULE.at(port, message, severity=WARNING, cause=_DENIED)


def _is_boxed(launch: Launch) -> bool:
    """Whether it listens in a container's own network, where everybody may use each port."""
    return launch.container is not None and launch.network.mode != "host"
