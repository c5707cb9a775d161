"""A value that an environment variable does not take.

## What it flags

Also as a default (`${NCCL_DEBUG:-ERROR}`) or in a branch: a word that NCCL, torch or accelerate does
not know for the variable (`NCCL_DEBUG=ERROR`, `NCCL_IB_DISABLE=true`,
`ACCELERATE_MIXED_PRECISION=BF16`), a number above the largest (`NCCL_IB_RETRY_CNT=32`), quotes that stay in the value
(`- NCCL_DEBUG="INFO"` in a Compose list, and those of a word processor anywhere),
`CUDA_VISIBLE_DEVICES` or `ASCEND_RT_VISIBLE_DEVICES` with `all` or a range, Ascend devices that do
not ascend, a switch of torch's allocator that is neither `True` nor `False`
(`PYTORCH_CUDA_ALLOC_CONF=expandable_segments:true`), and an address where the name of an interface
belongs (`NCCL_SOCKET_IFNAME=10.0.0.4`, `$(hostname -I)`) or an interface where that of an RDMA
device does (`NCCL_IB_HCA=ib0`).

## Why it fails

The value is ignored, in silence or with a line that nobody reads; the variable might as well not
be there:

    NCCL INFO Invalid value true for NCCL_IB_DISABLE, using default 0.

CUDA stops at the first word of `CUDA_VISIBLE_DEVICES` that is no device: with `all` or `0-7` the
process sees no GPU, or one. CANN and torch's allocator end the process:

    set ASCEND_RT_VISIBLE_DEVICES:0,2,1,3 error, it must be configured in ascending order
    RuntimeError: Expected a single True/False argument for expandable_segments

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

- NCCL, environment variables. CUDA programming guide, CUDA_VISIBLE_DEVICES. CANN,
  ASCEND_RT_VISIBLE_DEVICES. PyTorch, PYTORCH_CUDA_ALLOC_CONF. accelerate, state.py.
"""

from collections.abc import Iterator

from cfglint.environment.values import Misfit, misfits
from cfglint.project import Project
from cfglint.rule import WARNING, Finding, Fix, Launch, Rule, repair

RULE = Rule(
    code="ENV003",
    name="env-value",
    severity=WARNING,
    summary="a value that an environment variable does not take",
    fix="safe",
    yields_to=("ENV007", "ADDR006", "PORT004", "ENV004"),
    symptoms=(
        r"Invalid value (?P<value>\S+) for NCCL_\w+, using default",
        r"set ASCEND_RT_VISIBLE_DEVICES:(?P<value>\S+) error",
        r"Expected a single True/False argument for",
    ),
    cause="The value is ignored and the default holds.",
    help="Use a value that the variable takes.",
)
# Of each kind: the message, and what happens and helps where it is not what the rule says.
_WORDS = {
    "word": ("{name} does not take {text!r}; it takes {takes}", "", ""),
    "range": (
        "{name} does not take {text}; it takes {takes}",
        "What holds is another number: the field has fewer bits, or NCCL takes the largest.",
        "",
    ),
    "quotes": ("the quotes are part of the value of {name}", "", ""),
    "curly": (
        "these are no quotes but part of the value of {name}",
        "What reads the variable finds them in it, and does not know the word.",
        "Write plain quotes, or none.",
    ),
    "devices": (
        "{name}={text} names no device",
        "It is read up to the first word that is no device: the process sees none, or one.",
        "",
    ),
    "order": (
        "{name} takes devices in ascending order only",
        'CANN finds no device: "it must be configured in ascending order".',
        "",
    ),
    "switch": (
        "{name} takes True or False for {text}, behind a colon",
        "torch stops where it first takes memory of a device.",
        "",
    ),
    "address": (
        "{name} takes names of interfaces, not an address",
        'The job stops: "no socket interface found" (NCCL), "Unable to find address" (Gloo).',
        "Name the interface that has the address: `ip -br addr` lists them.",
    ),
    "interface": (
        "NCCL_IB_HCA takes names of RDMA devices (mlx5_0), not of network interfaces",
        "NCCL finds no such device, and goes over sockets.",
        "`ibv_devices` or `ls /sys/class/infiniband` lists them.",
    ),
}


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """Each variable of the launch whose value it does not take."""
    for one in misfits(launch):
        message, cause, help = _WORDS[one.kind]
        message = message.format(name=one.name, text=one.text, takes=one.takes)
        fix = _fix(one)
        yield RULE.at(one.setting, message, cause=cause or None, help=help or None, fix=fix)


def _fix(one: Misfit) -> Fix | None:
    if one.meant is None:
        return None
    if one.meant == "" and one.kind == "devices":
        title = "remove it: all devices are visible without it"
        return repair(title, one.setting.remove(), safe=True)
    titles = dict.fromkeys(("quotes", "curly"), "take the quotes off") | {
        "devices": "list the devices"
    }
    title = titles.get(one.kind, f"write {one.meant}")
    return repair(title, one.setting.write(one.meant), safe=True)
