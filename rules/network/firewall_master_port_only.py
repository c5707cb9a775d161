"""A firewall that lets only the rendezvous port through between the machines of a job.

## What it flags

A firewall command of the tree (ufw, firewall-cmd, iptables, gcloud, aws, az) that opens the master
port of a job over several machines, where no command opens the rest between them. It is an error
where the command opens the port to the whole internet (`0.0.0.0/0`).

## Why it fails

The rendezvous works. Then NCCL and Gloo connect on ports that the kernel picks, and are blocked:
the job hangs at its first collective.

    socketStartConnect: Connect to 10.20.0.12<41233> failed : Connection timed out

Whoever reaches the master port can run code in the job: it asks nobody who they are.

## Example

    === firewall.sh
    gcloud compute firewall-rules create train --allow tcp:29500 --source-ranges 10.20.0.0/16
    === run.sh
    torchrun --nnodes=2 --node_rank=$1 --master_addr=10.20.0.11 --master_port=29500 train.py

Repair: let all traffic through, between the machines only.

    === firewall.sh
    gcloud compute firewall-rules create train --allow all --source-ranges 10.20.0.0/16

## When to ignore it

When another rule, outside of the tree, opens the rest.

## References

- NCCL, networking troubleshooting: ports. PyTorch SECURITY.md.
"""

from collections.abc import Iterator

from cfglint.network.firewall import Opening, openings
from cfglint.project import Project
from cfglint.rule import ERROR, WARNING, Document, Finding, Rule, parse_int

RULE = Rule(
    code="NET013",
    name="firewall-master-port-only",
    severity=WARNING,
    summary="a firewall that opens only the rendezvous port between the machines",
    kinds=("script", "slurm", "makefile", "justfile", "workflow"),
    symptoms=(r"Connect to \S+<\d+> failed : Connection timed out",),
    cause="The rendezvous works; NCCL and Gloo then use ports that the kernel picks, and hang.",
    help="Let all TCP through between the machines, and nothing from elsewhere.",
)
_WORDS = (
    "ufw ",
    "firewall-cmd",
    "iptables",
    "ip6tables",
    "firewall-rules",
    "security-group",
    " nsg ",
)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    text = document.source.text
    if not any(word in text for word in _WORDS):
        return
    ports = _master_ports(project)
    if not ports or any(not one.ports for one in _all(project)):
        return
    for opening in openings(document):
        if len(opening.ports) == 1 and opening.ports[0] in ports:
            everyone = opening.everyone
            yield RULE.finding(
                document,
                opening.span,
                f"{opening.tool} opens the rendezvous port {opening.ports[0]}"
                + (" to the whole internet" if everyone else " and none that NCCL and Gloo use"),
                severity=ERROR if everyone else WARNING,
            )


def _master_ports(project: Project) -> set[int]:
    """The rendezvous ports of the jobs over several machines."""
    found = set()
    for launch in project.launches:
        if launch.is_multinode and launch.launcher != "env":
            port = launch.port.number if launch.port else None
            port = port or parse_int(launch.effective("master_port") or "")
            if port:
                found.add(port)
    return found


def _all(project: Project) -> list[Opening]:
    def compute() -> list[Opening]:
        return [one for d in project.of_kind(*RULE.kinds) for one in openings(d)]

    every: list[Opening] = project.fact("openings", compute)
    return every
