"""So many Gloo processes and groups on one machine that its ports or file descriptors run out.

## What it flags

A launch of many processes per machine whose program uses Gloo (`init_process_group("gloo")`,
`--backend gloo`), where the number of processes N and of groups of all ranks G passes a limit:

- torch 2.0 and older: one listening port for each pair of ranks, G x N x (N - 1), against the 28232
  ports of the kernel's ephemeral range;
- torch 2.1 and newer: G x (N + 3) + N + 19 descriptors in rank 0, against the usual limit of 1024.

The groups are read from the program, a module that `-m` names included (`new_group` calls, with a list
of all ranks or without one; loops over `range`), without running it.

## Why it fails

    [../third_party/gloo/gloo/transport/tcp/pair.cc:176] bind: Address already in use
    RuntimeError: Too many open files

## Example

    === requirements.txt
    torch==2.0.1
    === train.py
    import torch.distributed as dist

    dist.init_process_group("gloo")
    groups = [dist.new_group() for _ in range(4)]
    === run.sh
    torchrun --standalone --nproc_per_node=128 train.py

Repair: a torch whose Gloo needs one port per rank and group.

    === requirements.txt
    torch==2.4.1

## When to ignore it

When the limits of the machine were raised (`ulimit -n`, net.ipv4.ip_local_port_range).

## References

- Gloo commit 31b1f02 (in torch 2.1): one listener per device. pytorch#59256, pytorch#104136.
"""

from collections.abc import Iterator

from cfglint.programs.process_groups import process_groups
from cfglint.project import Project
from cfglint.rule import WARNING, Finding, Launch, Rule, default_int

RULE = Rule(
    code="NET010",
    name="gloo-full-mesh",
    severity=WARNING,
    summary="more Gloo connections on one machine than its ports or descriptors allow",
    symptoms=(r"pair\.cc:\d+\] bind: Address already in use", r"Too many open files"),
    help="Use torch >= 2.1, fewer processes per machine, or one group for all; raise ulimit -n.",
)
DESCRIPTORS = 1024
MANY = 48  # below, neither limit can be reached with fewer than a dozen groups


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    setting = launch.get("nproc_per_node")
    count = default_int(setting.value) if setting else None
    if setting is None or count is None or count < MANY:
        return
    found = process_groups(project, launch)
    if found is None or "gloo" not in found.backend:
        return
    torch = project.versions(launch.document, "torch")
    low, high = project.site.ephemeral_port_range
    groups = found.among(count * (launch.machines() or 1))
    what = f"{count} Gloo processes and {'' if found.exact else 'at least '}{groups} groups of them"
    if torch.before("2.1"):
        ports = groups * count * (count - 1)
        if ports > high - low + 1:
            yield RULE.at(
                setting,
                f"{what} listen on {ports} ports with {torch}; the machine has {high - low + 1}",
                cause='Gloo stops: "pair.cc:176] bind: Address already in use".',
            )
        return
    descriptors = groups * (count + 3) + count + 19
    if descriptors > DESCRIPTORS:
        yield RULE.at(
            setting,
            f"{what} need {descriptors} descriptors in rank 0; the usual limit is {DESCRIPTORS}",
            cause='Rank 0 stops: "Too many open files".',
        )
