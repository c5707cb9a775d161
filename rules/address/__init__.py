"""ADDR: the address at which the nodes meet."""

from cfglint.files.kinds import LAUNCHING as KINDS

__all__ = ["KINDS"]
