"""A value that an environment variable does not take.

## What it flags

A word that NCCL or torch does not know for the variable (`NCCL_DEBUG=ERROR`,
`NCCL_IB_DISABLE=true`), quotes that stay in the value (`- NCCL_DEBUG="INFO"` in a Compose list),
`CUDA_VISIBLE_DEVICES` with `all` or a range, and an address where the name of an interface belongs
(`NCCL_SOCKET_IFNAME=10.0.0.4`) or an interface where that of an RDMA device does
(`NCCL_IB_HCA=ib0`).

## Why it fails

The value is ignored, in silence or with a line that nobody reads; the variable might as well not
be there:

    NCCL INFO Invalid value true for NCCL_IB_DISABLE, using default 0.

CUDA stops at the first word of `CUDA_VISIBLE_DEVICES` that is no device: with `all` or `0-7` the
process sees no GPU, or one.

## Example

    services:
      trainer:
        image: registry.local/train:1
        ipc: host
        environment:
          - NCCL_DEBUG="INFO"
          - CUDA_VISIBLE_DEVICES=0-3
        command: torchrun --standalone --nproc_per_node=4 train.py

Repair: words that the variables take.

    services:
      trainer:
        image: registry.local/train:1
        ipc: host
        environment:
          - NCCL_DEBUG=INFO
          - CUDA_VISIBLE_DEVICES=0,1,2,3
        command: torchrun --standalone --nproc_per_node=4 train.py

## When to ignore it

When a newer release takes the word.

## References

- NCCL, environment variables. CUDA programming guide, CUDA_VISIBLE_DEVICES.
"""

import re
from collections.abc import Iterator

from cfglint import environment
from cfglint.project import Project
from cfglint.rule import WARNING, Edit, Finding, Launch, Rule, Setting, parse_int, repair

RULE = Rule(
    code="ENV003",
    name="env-value",
    severity=WARNING,
    summary="a value that an environment variable does not take",
    fix="safe",
    yields_to=("ENV007", "ADDR006", "PORT004", "ENV004"),
    symptoms=(r"Invalid value (?P<value>\S+) for NCCL_\w+, using default",),
    cause="The value is ignored and the default holds.",
    help="Use a value that the variable takes.",
)
_TRUE, _FALSE = ("true", "yes", "on"), ("false", "no", "off")


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    for name, setting in launch.variables(_has_words):
        text = setting.text
        if not text or setting.key != name:
            continue
        if name == "CUDA_VISIBLE_DEVICES":
            found = _devices(setting, text)
        elif re.fullmatch(r"([\"']).*\1", text) and environment.variable(name):
            found = _quoted(setting, name, text)
        elif name.endswith("_SOCKET_IFNAME"):
            found = _address(setting, name, text)
        elif name == "NCCL_IB_HCA":
            found = _interface(setting, text)
        else:
            found = _word(setting, name, text)
        if found is not None:
            yield found


def _has_words(name: str) -> bool:
    """Whether it is known what a variable takes."""
    if name == "CUDA_VISIBLE_DEVICES" or name.endswith("_SOCKET_IFNAME"):
        return True
    return environment.variable(name) is not None


def _quoted(setting: Setting, name: str, text: str) -> Finding:
    fix = repair("take the quotes off", setting.write(text[1:-1]), safe=True)
    return RULE.at(setting, f"the quotes are part of the value of {name}", fix=fix)


def _address(setting: Setting, name: str, text: str) -> Finding | None:
    if not re.search(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.])", text):
        return None
    return RULE.at(
        setting,
        f"{name} takes names of interfaces, not an address",
        cause='The job stops: "no socket interface found" (NCCL), "Unable to find address" (Gloo).',
        help="Name the interface that has the address: `ip -br addr` lists them.",
    )


def _interface(setting: Setting, text: str) -> Finding | None:
    names = [one.partition(":")[0] for one in text.lstrip("^=").split(",")]
    if not any(re.fullmatch(r"(?:ib|eth|bond)\d+|en[ops]\d\w*", name.strip()) for name in names):
        return None
    return RULE.at(
        setting,
        "NCCL_IB_HCA takes names of RDMA devices (mlx5_0), not of network interfaces",
        cause="NCCL finds no such device, and goes over sockets.",
        help="`ibv_devices` or `ls /sys/class/infiniband` lists them.",
    )


def _devices(setting: Setting, text: str) -> Finding | None:
    bounds = re.fullmatch(r"(\d{1,3})-(\d{1,3})", text)
    if text.lower() == "all":
        edit: Edit | None = setting.remove()
        title = "remove it: all devices are visible without it"
    elif bounds and int(bounds[1]) < int(bounds[2]) < 256:
        edit = setting.write(",".join(map(str, range(int(bounds[1]), int(bounds[2]) + 1))))
        title = "list the devices"
    else:
        return None
    cause = "CUDA stops at the first word that is no device, and the process sees no GPU."
    message = f"CUDA_VISIBLE_DEVICES={text} names no device"
    return RULE.at(setting, message, cause=cause, fix=repair(title, edit, safe=True))


def _word(setting: Setting, name: str, text: str) -> Finding | None:
    known = environment.variable(name)
    if known is None or known.read_by not in ("nccl", "torch"):
        return None
    if known.type in ("enum", "bool") and known.choices:
        # A list of subsystems or algorithms takes more than one word.
        if re.search(r"[,;:^]", text) or text.lower() in (c.lower() for c in known.choices):
            return None
        takes = ", ".join(known.choices)
    elif known.type == "int" and known.read_by == "nccl":
        if parse_int(text) is not None or re.fullmatch(r"0[xX][0-9a-fA-F]+", text):
            return None
        takes = "a number"
    else:
        return None
    if known.type == "bool" and parse_int(text) is not None:
        return None
    plain = _plain(known, text.lower())
    return RULE.at(
        setting,
        f"{name} does not take {text!r}; it takes {takes}",
        fix=repair(f"write {plain}", setting.write(plain), safe=True) if plain else None,
    )


def _plain(known: environment.Variable, text: str) -> str | None:
    """What the word plainly means, in a form the variable takes."""
    switches = "1" in known.choices or known.type == "int"
    if text in _TRUE and switches:
        return "1"
    if text in _FALSE and switches:
        return "0"
    if known.name == "NCCL_DEBUG" and text in ("error", "warning"):
        return "WARN"
    return "INFO" if known.name == "NCCL_DEBUG" and text in ("debug", "1", "true") else None
