"""A rendezvous port that is no port, or one that only root may listen on.

## What it flags

A literal port outside 1..65535 (0 has rules of its own), and one below 1024 as a warning.

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

from cfglint.project import Project
from cfglint.rule import ERROR, WARNING, Finding, Launch, Rule, Setting, parse_int, possible

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
    yields_to=("PORT010",),
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """The launch's port, where it is known to be out of range."""
    for port in launch.port.each() if launch.port is not None else ():
        yield from _out_of_range(port, launch)


def _out_of_range(port: Setting, launch: Launch) -> Iterator[Finding]:
    for text in possible(port.value):
        number = parse_int(text)
        if number is None or number == 0:
            continue
        if not 0 < number <= 65535:
            yield RULE.at(
                port,
                f"{number} is no port: they end at 65535" if number > 0 else f"{number} is no port",
                cause='The launch ends with "port must be 0-65535" before any process starts.',
            )
        elif number < 1024:
            boxed = launch.container is not None and launch.network.mode != "host"
            if not boxed:
                yield RULE.at(
                    port,
                    f"port {number} is below 1024: only root may listen on it",
                    severity=WARNING,
                    cause='Unless it runs as root, rank 0 fails with "Permission denied" (EACCES).',
                )
