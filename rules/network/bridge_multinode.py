"""A job over several machines in a container on a bridge network.

## What it flags

A launch that says it spans several machines (`NNODES: "2"`, `--nnodes=2`, node files of one job)
in a container on Compose's project network, another user-defined bridge, or Docker's default one.
Overlay, macvlan and ipvlan networks, pods, and jobs whose ranks all run in one Compose project on
one host are left alone.

A service is judged as Compose merges it (`compose.override.yaml`, several `-f`, `!reset` and
`!override` included), and reported in the file that names the network.

## Why it fails

The rendezvous may even work, because its port is published. Then each rank tells the others its
own address, which is the container's (172.17.0.2 on every host), and a port that the kernel
picked:

    socketStartConnect: Connect to 172.17.0.2<49113> failed : No route to host
    Gloo connectFullMesh failed with [../third_party/gloo/gloo/transport/tcp/pair.cc:144] no error

Publishing more ports cannot mend it: the address is wrong, and the ports change with each run.

## Example

    services:
      trainer:
        image: registry.local/train:1
        ipc: host
        ports: ["29500:29500"]
        environment: {NNODES: "2", NODE_RANK: "0", MASTER_ADDR: 10.20.0.11, MASTER_PORT: "29500"}
        command: llamafactory-cli train sft.yaml

Repair: the host's network, where nothing needs to be published.

    services:
      trainer:
        image: registry.local/train:1
        ipc: host
        network_mode: host
        environment: {NNODES: "2", NODE_RANK: "0", MASTER_ADDR: 10.20.0.11, MASTER_PORT: "29500"}
        command: llamafactory-cli train sft.yaml

## When to ignore it

When the bridge's addresses are routed between the hosts by other means.

## References

- NCCL's networking troubleshooting: sockets use ports that the kernel picks.
- Docker: bridge networks are local to one host; overlay and macvlan are not.
"""

from collections.abc import Iterator

from cfglint.model.nodes import stay_on_one_host
from cfglint.project import Project
from cfglint.rule import ERROR, Finding, Fix, Launch, Rule, default_literal, repair

RULE = Rule(
    code="NET001",
    name="bridge-multinode",
    severity=ERROR,
    summary="a job over several machines in a container on a bridge network",
    fix="safe",
    unsafe_too=True,
    symptoms=(
        r"No route to host",
        r"connectFullMesh failed",
        r"Connect to 172\.\d+\.\d+\.\d+<\d+>",
    ),
    cause=(
        "NCCL and Gloo hand out the container's own address and ports that the kernel picks, which"
        ' no other machine reaches: "Connect to 172.17.0.2<49113> failed : No route to host".'
    ),
    help="Put the container on the host's network (network_mode: host, docker run --network host).",
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    box, network = launch.container, launch.network
    if box is None or not network.is_private_bridge or not launch.is_multinode:
        return
    if stay_on_one_host(launch):
        return
    edits = network.to_host() if network.to_host else None
    said = network.document or launch.document  # that of a file that is not asked for is context
    place = (said, network.span or box.span) if said.given else (launch.document, box.span)
    where = "Docker's default bridge" if network.mode == "bridge" else "a bridge network"
    yield RULE.finding(
        *place,
        f"{box.name} runs one of {launch.machines()} machines' ranks on {where},"
        " where the other machines cannot reach it",
        fix=_fix(launch, repair("use the host's network", edits)),
        no_fix="" if edits else "its ports or networks come from lines that others share",
    )


def _fix(launch: Launch, fix: Fix | None) -> Fix | None:
    """Safe where nothing else can depend on the container's name or on the ports it publishes."""
    box = launch.container
    if fix is None or box is None:
        return fix
    address = default_literal(launch.address.value) if launch.address else None
    moved = any(p.host != p.container or p.container is None for p in launch.network.ports)
    safe = not box.reached_by and not moved and address not in box.aliases
    return Fix(fix.title, fix.edits, safe)
