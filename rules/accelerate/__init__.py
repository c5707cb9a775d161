"""ACC: accelerate's config and launcher."""

from cfglint.files.kinds import LAUNCHING as KINDS

__all__ = ["KINDS"]
