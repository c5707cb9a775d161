"""A job over several machines on the host's network that does not say which interface to use.

## What it flags

A launch that spans several machines, in a container on the host's network or straight on the
machine, without `NCCL_SOCKET_IFNAME` in its environment. Jobs that plainly use Gloo alone, pods,
and setups that name their InfiniBand adapters (`NCCL_IB_HCA`) are left alone.

## Why it fails

NCCL takes the first interface that is up: it leaves out lo and docker0, but not `br-...`
(Compose's networks), `veth...`, `cni0`, `tailscale0` or a second network card. On a host that also
runs other containers the ranks may hand out an address that the other machines cannot reach:

    NET/Socket : Using [0]br-2f1c:172.18.0.1<0>
    socketStartConnect: Connect to 172.18.0.1<41233> failed : Connection refused

## Example

    services:
      trainer:
        image: registry.local/train:1
        ipc: host
        network_mode: host
        environment: {NNODES: "2", NODE_RANK: "0", MASTER_ADDR: 10.20.0.11, MASTER_PORT: "29500"}
        command: llamafactory-cli train sft.yaml

Repair: name the interface, or exclude those that never connect machines. With `socket-interface`
in the settings (`[tool.cfglint.site]`) the fix writes that.

    services:
      trainer:
        image: registry.local/train:1
        ipc: host
        network_mode: host
        environment:
          NNODES: "2"
          NODE_RANK: "0"
          MASTER_ADDR: 10.20.0.11
          MASTER_PORT: "29500"
          NCCL_SOCKET_IFNAME: eth0
        command: llamafactory-cli train sft.yaml

## When to ignore it

When every machine has exactly one interface, or /etc/nccl.conf names it. Jobs whose files show that
another library than NCCL carries the data (`--backend gloo`, HCCL_ variables) are left alone.

## References

- NCCL: NCCL_SOCKET_IFNAME and its order of interfaces.
"""

from collections.abc import Iterator

from cfglint.environment import carried
from cfglint.model.nodes import stay_on_one_host
from cfglint.network.interfaces import EXCLUSIONS
from cfglint.programs.backends import is_without_nccl
from cfglint.project import Project
from cfglint.rule import WARNING, Finding, Launch, Rule, near, repair

RULE = Rule(
    code="NET003",
    name="ifname-missing",
    severity=WARNING,
    summary="no NCCL_SOCKET_IFNAME in a job over several machines",
    fix="safe",
    unsafe_too=True,
    symptoms=(r"Connect to 172\.\d+\.\d+\.\d+<\d+> failed",),
    cause=(
        "NCCL takes the first interface that is up, which may be a container bridge or a VPN:"
        ' "Connect to 172.18.0.1<41233> failed".'
    ),
    help="Set NCCL_SOCKET_IFNAME to the interface that connects the machines.",
)
# Each says by itself which way NCCL goes, or that it is not NCCL that communicates.
_ENOUGH = ("NCCL_SOCKET_IFNAME", "NCCL_IB_HCA", "NCCL_COMM_ID", "NCCL_NET", "NCCL_CONF_FILE")


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    if not _lacks_it(launch, project):
        return
    interface = project.site.socket_interface
    title = f"use {interface}" if interface else "exclude interfaces that connect no machines"
    lacking = project.fact("no interface", lambda: _lacking(project))
    edit = launch.set_env("NCCL_SOCKET_IFNAME", interface or EXCLUSIONS, lacking)
    span = launch.container.span if launch.container else launch.span
    message = f"{launch.machines()} machines talk over whichever interface NCCL finds first"
    if launch.network.is_private_bridge:
        message = "nothing names the interface between the machines, which host networking needs"
    yield RULE.finding(
        launch.document,
        span,
        message,
        fix=repair(title, edit, safe=bool(interface)),
        no_fix="" if edit else "the environment comes from lines that others share",
    )


def _lacking(project: Project) -> list[Launch]:
    return [launch for launch in project.launches if _lacks_it(launch, project)]


def _lacks_it(launch: Launch, project: Project) -> bool:
    """Whether nothing names the interface over which a launch's machines talk."""
    bridge = launch.network.is_private_bridge
    if (launch.network.mode not in ("host", "machine") and not bridge) or not launch.complete:
        return False
    if (bridge or launch.peers or launch.in_loop) and stay_on_one_host(launch):
        return False
    if not launch.is_multinode or launch.env_writer is None or is_without_nccl(launch):
        return False
    if any(name in launch.env for name in _ENOUGH) or launch.keeps_back(*_ENOUGH):
        return False
    if any(near(name, _ENOUGH[:1]) for name, _ in launch.variables(_is_about_sockets)):
        return False  # env-misspelled mends it
    if launch.launcher == "deepspeed":
        kept = carried.by_file(project, launch)
        if kept is None or not kept.names.isdisjoint(_ENOUGH):
            return False
    # Another file may start this one, and set it.
    return launch.network.mode != "machine" or project.search_complete(launch.document)


def _is_about_sockets(name: str) -> bool:
    return name.startswith("NCCL_SO")
