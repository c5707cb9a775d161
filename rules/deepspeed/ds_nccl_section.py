"""A `nccl` section in a DeepSpeed config: DeepSpeed has none.

## What it flags

A top-level `nccl` key, whatever it holds.

## Why it fails

No release of DeepSpeed reads such a key, and nothing turns it into an environment variable; what it
was meant to set (the socket interface, the transport) stays as it was. NCCL reads its settings from
the environment of every rank, and from /etc/nccl.conf and ~/.nccl.conf. Under the Hugging Face
trainer an "auto" inside it ends the run:

    ValueError: 'nccl.socket_ifname' not found in kwargs. Please specify ...

## Example

    {
      "train_micro_batch_size_per_gpu": 1,
      "zero_optimization": { "stage": 2 },
      "nccl": { "socket_ifname": "eth0" }
    }

Repair: NCCL_SOCKET_IFNAME in the environment of the job, and the section gone.

    {
      "train_micro_batch_size_per_gpu": 1,
      "zero_optimization": { "stage": 2 }
    }

## When to ignore it

When a launcher script of your own reads the section.
"""

from collections.abc import Iterator

from cfglint.deepspeed.config import configs_in
from cfglint.project import Project
from cfglint.rule import WARNING, Document, Finding, Mapping, Rule, edit, repair, resolve_alias

RULE = Rule(
    code="DS009",
    name="ds-nccl-section",
    severity=WARNING,
    summary="a nccl section, which DeepSpeed does not have",
    fix="unsafe",
    kinds=("deepspeed", "llamafactory"),
    symptoms=(r"'nccl\.\w+' not found in kwargs",),
    cause="Nothing reads it: NCCL keeps the interface and transport that it picks by itself.",
)
VARIABLES = {
    "socket_ifname": "NCCL_SOCKET_IFNAME",
    "ifname": "NCCL_SOCKET_IFNAME",
    "interface": "NCCL_SOCKET_IFNAME",
    "debug": "NCCL_DEBUG",
    "protocol": "NCCL_PROTO",
    "proto": "NCCL_PROTO",
    "ib_disable": "NCCL_IB_DISABLE",
    "p2p_disable": "NCCL_P2P_DISABLE",
    "ib_hca": "NCCL_IB_HCA",
}


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The nccl sections of the configs in a document."""
    for config in configs_in(document, project):
        for entry in config.root.index.values():
            if (entry.name or "").lower() != "nccl":
                continue
            value = resolve_alias(entry.value)
            keys = list(value.names()) if isinstance(value, Mapping) else []
            meant = [VARIABLES[k.lower()] for k in keys if k.lower() in VARIABLES]
            names = " and ".join(dict.fromkeys(meant)) or "NCCL_SOCKET_IFNAME and the like"
            yield RULE.finding(
                document,
                entry.key.span,
                f"DeepSpeed has no section {entry.name!r}: NCCL reads the environment",
                help=f"Set {names} in the environment of every rank.",
                fix=repair("take the section out", edit.remove_entry(document, config.root, entry)),
            )
