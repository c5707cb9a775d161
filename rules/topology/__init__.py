"""TOPO: nodes, ranks and processes."""

from cfglint.files.kinds import LAUNCHING as KINDS

__all__ = ["KINDS"]
