"""An interface that the container's network does not have.

## What it flags

`NCCL_SOCKET_IFNAME` that names only interfaces of machines (`ib0`, `ens5`, `enp`, `bond0`), or
`GLOO_SOCKET_IFNAME` that names one, in a pod or in a container on a bridge network. Their
interfaces are called eth0, eth1 and so on.

Left alone are `hostNetwork` and `network_mode: host`; pods with annotations on networks (Multus and
the like) or resource claims; jobs over several machines on a bridge (NET001); manifests beside a kustomization; exclusion lists; names with `eth` or `net` in front; Compose files that
set `interface_name`; and Docker networks that are made elsewhere.

## Why it fails

NCCL finds none that fits and stops, on one machine as on several:

    Bootstrap : no socket interface found
    ncclInvalidUsage: This usually reflects invalid usage of NCCL library.

So does Gloo: `Unable to find address for: ib0`.

## Example

    apiVersion: v1
    kind: Pod
    metadata: {name: bert}
    spec:
      containers:
      - name: main
        image: registry.local/train:1
        command: [torchrun, --standalone, train.py]
        env:
        - {name: NCCL_SOCKET_IFNAME, value: ib0}

Repair: the pod's interface. (With `hostNetwork: true` the machine's would be there.)

    apiVersion: v1
    kind: Pod
    metadata: {name: bert}
    spec:
      containers:
      - name: main
        image: registry.local/train:1
        command: [torchrun, --standalone, train.py]
        env:
        - {name: NCCL_SOCKET_IFNAME, value: eth0}

## When to ignore it

When something that the files do not show puts more interfaces into the container: an admission
webhook, `docker network connect`.

## References

- NCCL: NCCL_SOCKET_IFNAME. Kubernetes: the CNI interface of a pod; Multus. Docker: libnetwork.
"""

import re
from collections.abc import Iterator

from cfglint.network.interfaces import parse_list
from cfglint.project import Project
from cfglint.rule import ERROR, Finding, Launch, Rule, repair

RULE = Rule(
    code="NET014",
    name="ifname-not-in-container",
    severity=ERROR,
    summary="NCCL or Gloo bound to an interface that the container's network does not have",
    fix="unsafe",
    symptoms=(r"no socket interface found", r"Unable to find address for: (?P<value>\S+)"),
    yields_to=("NET004", "NET005", "NET006"),
    cause='NCCL stops with "Bootstrap : no socket interface found".',
    help="Name eth0, or run on the host's network.",
)
_KUSTOMIZE = ("kustomization.yaml", "kustomization.yml")
_NAME = re.compile(r"[A-Za-z][\w.-]*")
# What containers' interfaces are called, or begin with: Docker's and CNI's, lo, Multus's.
_INSIDE = ("eth", "lo", "net")


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    network, box = launch.network, launch.container
    if not network.interfaces or box is None or not box.complete:
        return
    if network.is_private_bridge and launch.is_multinode:
        return  # bridge-multinode's fault, whose repair brings the machine's interfaces
    for name in ("NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME"):
        setting = launch.env.get(name)
        text = setting.text if setting is not None else None
        if setting is None or not text or setting.document.kind == "dockerfile":
            continue
        names = parse_list(text)
        if not all(map(_NAME.fullmatch, names.entries)):
            continue
        absent = [one for one in names.entries if not _may_be_there(one)]
        if names.excludes or not absent or len(text) < 2:
            continue
        if name == "NCCL_SOCKET_IFNAME" and len(absent) < len(names.entries):
            continue  # one that is there will do
        if any(project.exists(launch.document, file) for file in _KUSTOMIZE):
            return  # its patches may put the pods on the host's network
        where = "a pod" if network.mode == "pod" else "a container on a bridge network"
        own = network.interfaces[0]
        # A container of a job over machines needs the host's network, and keeps the name.
        sure = network.mode == "pod" or launch.is_single_node
        yield RULE.at(
            setting,
            f"{name}={text}: {where} has {' and '.join(network.interfaces)}, no {absent[0]}",
            cause=f'Gloo stops: "Unable to find address for: {absent[0]}".'
            if name.startswith("GLOO")
            else None,
            fix=repair(f"use {own}", setting.write(own)) if sure else None,
        )


def _may_be_there(entry: str) -> bool:
    """Whether an entry is the beginning of a name that a container may have, or such a name."""
    return entry.startswith(_INSIDE) or any(one.startswith(entry) for one in _INSIDE)
