"""An interface name fixed in an image.

## What it flags

`ENV NCCL_SOCKET_IFNAME=eth0` or `ENV GLOO_SOCKET_IFNAME=eth0` in a Dockerfile: a concrete name.
Exclusion lists (`^lo,docker`) are left alone.

## Why it fails

The name of an interface belongs to the machine: eth0 in a container, ens5 or eno1 on a host's
network, bond0 or ib0 on the next cluster. Wherever the image runs on a machine without that name:

    Bootstrap : no socket interface found
    Unable to find address for: eth0

## Example

    FROM nvcr.io/nvidia/pytorch:24.10-py3
    ENV NCCL_SOCKET_IFNAME=eth0
    COPY . /workspace

Repair: set it where the container is started.

    FROM nvcr.io/nvidia/pytorch:24.10-py3
    COPY . /workspace

## When to ignore it

When the image only ever runs on one kind of network, as pods do.

## References

- NCCL: NCCL_SOCKET_IFNAME.
"""

from collections.abc import Iterator

from cfglint.network.interfaces import parse_list
from cfglint.project import Project
from cfglint.rule import WARNING, Finding, Launch, Rule, repair

RULE = Rule(
    code="NET006",
    name="ifname-baked-in-image",
    severity=WARNING,
    summary="an interface name fixed in a Dockerfile",
    fix="unsafe",
    symptoms=(
        r"no socket interface found",
        r"Unable to find address for",
        r"No usable listening interface found",
    ),
    yields_to=("NET004", "NET005"),
    cause=(
        "On a machine that calls its interface otherwise, NCCL stops with"
        ' "Bootstrap : no socket interface found".'
    ),
    help="Set it where the container is started: the name belongs to the machine, not the image.",
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    for name in ("NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME"):
        setting = launch.env.get(name)
        if setting is None or setting.document.kind != "dockerfile" or not setting.text:
            continue
        if parse_list(setting.text).excludes:
            continue
        yield RULE.at(
            setting,
            f"every container of this image looks for an interface called {setting.text}",
            fix=repair(f"remove {name} from the image", setting.remove()),
        )
