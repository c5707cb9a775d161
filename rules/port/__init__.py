"""PORT: the rendezvous port."""

from cfglint.files.kinds import COMMANDS
from cfglint.files.kinds import LAUNCHING as KINDS

# A config holds a number: there is no expression to judge, and nothing starts two of them at once.
ONLY = dict.fromkeys(
    (
        "port_array_tasks", "port_collision", "port_env_clash", "port_octal", "port_per_node",
    ),
    COMMANDS,
)  # fmt: skip

__all__ = ["KINDS", "ONLY"]
