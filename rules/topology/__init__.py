"""TOPO: nodes, ranks and processes."""

from cfglint.kinds import LAUNCHING as KINDS

__all__ = ["KINDS"]
