"""ADDR: the address at which the nodes meet."""

from cfglint.files.kinds import COMMANDS
from cfglint.files.kinds import LAUNCHING as KINDS

# A config has no torchrun, and no expression that each node could work out for itself.
ONLY = dict.fromkeys(
    (
        "rdzv_endpoint_missing", "rdzv_endpoint_per_node", "rdzv_endpoint_wrong_host",
        "rdzv_id_not_shared",
    ),
    COMMANDS,
)  # fmt: skip

__all__ = ["KINDS", "ONLY"]
