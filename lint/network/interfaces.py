"""Interface lists as NCCL reads them (facts on networks c.1-5).

A list has one marker for all of it: `=` exact names, `^` exclusion, `^=` exclusion of exact names;
without one its entries are prefixes of the wanted names.
"""

from __future__ import annotations

from typing import NamedTuple

# Interfaces that never connect machines. NCCL's own list leaves out fewer: it takes br-*, veth*,
# tailscale0 and others where they stand before the real one.
EXCLUSIONS = "^lo,docker,br-,veth,virbr,cni,flannel,cali,tailscale,wg"


class InterfaceList(NamedTuple):
    """A parsed list."""

    excludes: bool
    exact: bool
    entries: tuple[str, ...]

    def matches(self, name: str) -> bool:
        """Whether an entry means the interface `name`."""
        return any(e == name if self.exact else name.startswith(e) for e in self.entries)


def parse_list(text: str) -> InterfaceList:
    """The list that `text` spells."""
    excludes = text.startswith("^")
    rest = text[1:] if excludes else text
    exact = rest.startswith("=")
    rest = rest[1:] if exact else rest
    return InterfaceList(excludes, exact, tuple(e for e in rest.split(",") if e))


def with_entry(text: str, name: str) -> str:
    """The list with one more entry at its end."""
    return f"{text.rstrip(',')},{name}"
