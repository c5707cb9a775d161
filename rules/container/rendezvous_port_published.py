"""The rendezvous port of a job published to every network of the host.

## What it flags

A published port (`ports:`, `-p`) that covers the master port, without an address to bind it to. It
is advice, and a warning where the master's address is a public one.

## Why it fails

The store behind the master port asks nobody who they are and takes pickled objects: whoever
reaches it can run code in the job. Docker's published ports also pass by the host's firewall rules
(ufw). And it is not enough for a job over several machines, which need all ports between them.

## Example

    services:
      trainer:
        image: registry.local/train:1
        ipc: host
        ports: ["29500:29500"]
        command: torchrun --nproc_per_node=8 --master_port=29500 train.py

Repair: on one machine nothing has to be published.

    services:
      trainer:
        image: registry.local/train:1
        ipc: host
        command: torchrun --nproc_per_node=8 --master_port=29500 train.py

## When to ignore it

When a firewall outside of the host stands in front of it.

## References

- PyTorch SECURITY.md: distributed features are for internal communication only.
- CVE-2025-47277: a store that listened on all interfaces.
"""

import ipaddress
from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import INFO, WARNING, Finding, Launch, Rule, default_literal, parse_int

RULE = Rule(
    code="BOX007",
    name="rendezvous-port-published",
    severity=INFO,
    summary="the rendezvous port published on all interfaces of the host",
    cause="The store behind it asks nobody who they are: who reaches it can run code in the job.",
    help="Publish nothing on one machine; between machines use the host's network and a firewall.",
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    port = parse_int(launch.effective("endpoint_port") or "") or _master_port(launch)
    if port is None or launch.network.mode == "host":
        return
    for published in launch.network.ports:
        if published.covers(port) and published.host_ip in ("", "0.0.0.0", "::"):
            public = _is_public(launch)
            where = "to the internet" if public else "on every network of the host"
            yield RULE.finding(
                published.document or launch.document,
                published.span,
                f"the rendezvous port {port} is published {where}",
                severity=WARNING if public else INFO,
            )


def _master_port(launch: Launch) -> int | None:
    if launch.launcher in ("torchrun", "accelerate", "deepspeed") or launch.get("master_port"):
        return parse_int(launch.effective("master_port") or "")
    return None


def _is_public(launch: Launch) -> bool:
    text = default_literal(launch.address.value) if launch.address else None
    try:
        address = ipaddress.ip_address((text or "").strip("[]"))
    except ValueError:
        return False
    return address.is_global and not address.is_multicast
