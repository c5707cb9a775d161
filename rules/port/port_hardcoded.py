"""The rendezvous port is a fixed number in a file that several jobs will use.

## What it flags

A literal master port of a job on one machine, in an accelerate config, a script, a compose file or a
Dockerfile. In a job over several machines a fixed, agreed port is needed: there it is only noted
(info). Left alone: `${MASTER_PORT:-29500}`, 0, `--standalone`, `localhost:0`, files of environment
variables (the place where such a number belongs), ports inside a network of the container's own,
the port of an etcd server.

## Why it fails

The second job on the machine, or one whose predecessor still hangs, meets

    torch.distributed.DistNetworkError: The server socket has failed to listen on any local network
    address. port: 29500, useIpv6: false, code: -98, name: EADDRINUSE, message: address already in use

accelerate before 1.8 says `Tried to launch distributed communication on port 29500, but another
process is utilizing it`. Newer ones warn and take another port where a job holds it already; of two jobs
that start at once, one still dies.

## Example

    compute_environment: LOCAL_MACHINE
    distributed_type: MULTI_GPU
    num_machines: 1
    num_processes: 8
    main_process_port: 29500

Repair: 0 lets accelerate (1.7 and newer) pick a free port; torchrun has `--standalone`; elsewhere let
the environment choose with `${MASTER_PORT:-29500}`.

    compute_environment: LOCAL_MACHINE
    distributed_type: MULTI_GPU
    num_machines: 1
    num_processes: 8
    main_process_port: 0

## When to ignore it

On machines where a scheduler gives the whole node to one job.
"""

from collections.abc import Iterator

from cfglint.jobs import ports
from cfglint.project import Project
from cfglint.rule import INFO, WARNING, Finding, Launch, Rule

RULE = Rule(
    code="PORT001",
    name="port-hardcoded",
    severity=WARNING,
    summary="the rendezvous port is a fixed number",
    fix="safe",
    unsafe_too=True,
    symptoms=(
        r"EADDRINUSE",
        r"[Aa]ddress already in use",
        r"Tried to launch distributed communication on port",
        r"server socket has failed to listen on any local network address",
    ),
    help="Let the launcher take a free port, or let the environment choose it.",
    yields_to=(
        "PORT002",
        "PORT003",
        "PORT004",
        "PORT005",
        "PORT006",
        "PORT009",
        "PORT010",
        "PORT014",
    ),
)
_CAUSES = {
    False: "The second job dies with EADDRINUSE (address already in use).",
    True: "A later job warns and takes another port; of two that start at once one dies with EADDRINUSE.",
}
_SHARED = (
    "accelerate",
    "script",
    "slurm",
    "compose",
    "dockerfile",
    "makefile",
    "justfile",
    "notebook",
    "workflow",
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """The launch's port, where it is a literal."""
    port = launch.port
    if port is None or not port.number or not ports.matters(launch):
        return
    if port.document.kind not in _SHARED or launch.get("hostfile") is not None:
        return
    if launch.is_started and port.document is not launch.document:
        return  # the script leaves it to who starts it
    severity, fix = INFO, None
    if launch.is_multinode:
        message = (
            f"port {port.number} is fixed for all nodes; each concurrent job needs one of its own"
        )
    elif ports.is_own(launch):
        message = f"port {port.number} is fixed"
    else:
        message = f"port {port.number} is fixed: a second job on this machine cannot have it"
        # DeepSpeed without a list of hosts starts on this machine, by all that is seen.
        is_local = launch.launcher == "deepspeed" and launch.machines() is None
        if launch.is_single_node or port.document.kind == "dockerfile" or is_local:
            severity = WARNING
            fix = ports.free_port(launch, project) or ports.overridable(port, launch, project)
            fix = fix or ports.left_out(launch, project)
    yield RULE.at(
        port,
        message,
        severity=severity,
        fix=fix,
        cause=_CAUSES[ports.is_looked_at(launch, project)] if severity == WARNING else "",
        help=None if severity == WARNING else "",
    )
