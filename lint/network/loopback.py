"""Nodes that dial their own loopback address, and those for which that is the address of all.

Sources: facts on network e (a container has a loopback of its own unless it is on the host's
network or borrows another one's); facts on torchrun a (who dials the master address).
"""

from __future__ import annotations

from cfglint.model.launch import Launch
from cfglint.model.nodes import are_side_by_side, stay_on_one_host
from cfglint.model.values import default_literal
from cfglint.network import addresses

_DEVICES = ("CUDA_VISIBLE_DEVICES", "ASCEND_RT_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES")


def dialled(launch: Launch) -> str:
    """The loopback address that a launch dials, by a literal or a default; "" for none."""
    text = default_literal(launch.address.value) if launch.address is not None else None
    return text if text and addresses.is_loopback(text) else ""


def is_shared(launch: Launch) -> bool:
    """Whether the nodes of a launch's job run on one machine, or in containers on its network, and
    so have one loopback."""
    if launch.flow and are_side_by_side(launch):
        return True
    if launch.host and "$" not in launch.host and _share_a_host(launch):
        return True
    if launch.container is not None and stay_on_one_host(launch) and _share_a_network(launch):
        return True
    rank = launch.get("node_rank")
    return rank is not None and bool(rank.number) and _has_the_later_devices(launch)


def _has_the_later_devices(launch: Launch) -> bool:
    """Whether the first devices of the machine are left to others: several "nodes" of a test that
    share one machine are started so."""
    shown = (launch.env.get(name) for name in _DEVICES)
    texts = (setting.text or "" for setting in shown if setting is not None)
    return any(text[:1].isdigit() and text.partition(",")[0].strip() != "0" for text in texts)


def _share_a_host(launch: Launch) -> bool:
    """Whether all ranks are sent to one machine."""
    hosts = {node.host for node in (launch, *launch.peers)}
    return len(hosts) == 1 and 1 + len(launch.peers) >= (launch.machines() or 2)


def _share_a_network(launch: Launch) -> bool:
    """Whether all containers of the job on this host have one loopback: that of the host, or that
    of one of them, which the others borrow."""
    modes = [node.network.mode for node in (launch, *launch.peers)]
    return set(modes) == {"host"} or len(modes) - modes.count("container") <= 1
