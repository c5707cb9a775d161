"""The master address is a placeholder that nobody replaced.

## What it flags

`xxx.xxx.xxx.xxx`, `<MASTER_IP>`, `your_ip`, the same in words of another language (`主节点IP`), and
addresses reserved for documentation (192.0.2.x, 198.51.100.x, 203.0.113.x, 2001:db8::) as the
rendezvous address of a job over several machines.

## Why it fails

    socket.gaierror: [Errno -2] Name or service not known

or, for an address, 900 seconds of silence.

## Example

    torchrun --nnodes=2 --node_rank=0 --nproc_per_node=8 --master_addr=192.0.2.10 --master_port=29500 train.py

Repair: the address of the machine with rank 0; or let whoever starts the job name it.

    torchrun --nnodes=2 --node_rank=0 --nproc_per_node=8 --master_addr="${MASTER_ADDR:?}" --master_port=29500 train.py

## When to ignore it

The file is an example to copy.
"""

from collections.abc import Iterator

from cfglint.network import addresses
from cfglint.project import Project
from cfglint.rule import WARNING, Finding, Launch, Rule

RULE = Rule(
    code="ADDR011",
    name="addr-placeholder",
    severity=WARNING,
    summary="the master address is a placeholder",
    symptoms=(r"Name or service not known", r"Temporary failure in name resolution"),
    cause="It resolves to nothing: every node waits until the rendezvous times out.",
    help="Write the address of the machine with rank 0.",
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """The launch's address, where it is a placeholder."""
    address = launch.address
    if address is None:
        return
    text = address.text
    if text is None and address.document.kind == "dotenv":  # what Compose fills in from its .env
        text = next((one.text for one in address.readings()), None)
    if not text or not addresses.is_placeholder(text):
        return
    if launch.is_single_node and launch.launcher == "accelerate":
        return
    yield RULE.at(address, f"{text} is a placeholder, not the address of a machine")
