"""What only the site knows, as the settings say it."""

from __future__ import annotations

from cfglint.record import dataclass


@dataclass(frozen=True, slots=True)
class Site:
    """What only the site knows; fixes use it.

    `socket_interface`: the interface between the nodes (NCCL_SOCKET_IFNAME). `port_range`: the
    team's agreed rendezvous ports, both inclusive. `ephemeral_port_range`: the kernel's
    net.ipv4.ip_local_port_range. `private_networks`: public-looking networks that the hosts own.
    """

    socket_interface: str = ""
    port_range: tuple[int, int] | None = None
    ephemeral_port_range: tuple[int, int] = (32768, 60999)
    gpus_per_node: int | None = None
    private_networks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class JobGroup:
    """A `[[job]]`: files that are one job, and scripts that every node runs."""

    files: tuple[str, ...] = ()
    every_node: tuple[str, ...] = ()
