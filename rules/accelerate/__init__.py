"""ACC: accelerate's config and launcher."""

from cfglint.files.kinds import COMMANDS
from cfglint.files.kinds import LAUNCHING as KINDS

# A config has no words of a command.
ONLY = {"acc_flag_takes_no_value": COMMANDS}

__all__ = ["KINDS", "ONLY"]
