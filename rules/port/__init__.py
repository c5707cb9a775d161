"""PORT: the rendezvous port."""

from cfglint.files.kinds import LAUNCHING as KINDS

__all__ = ["KINDS"]
