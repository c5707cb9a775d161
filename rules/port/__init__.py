"""PORT: the rendezvous port."""

from cfglint.kinds import LAUNCHING as KINDS

__all__ = ["KINDS"]
