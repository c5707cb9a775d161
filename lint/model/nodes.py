"""Whether two launches that dial one master can be nodes of one job."""

from __future__ import annotations

from cfglint.model.launch import Launch
from cfglint.model.values import Literal


def may_be_peers(one: Launch, other: Launch) -> bool:
    """Whether nothing shows that two launches are nodes of different jobs."""
    return not (in_turn(one, other) or _ids_differ(one, other))


def in_turn(one: Launch, other: Launch) -> bool:
    """Whether one script runs two commands on one machine one after the other."""
    if one.host != other.host or not one.flow or not other.flow:
        return False
    return one.flow[-1].script is other.flow[-1].script and not one.overlaps(other)


def _ids_differ(one: Launch, other: Launch) -> bool:
    """Whether c10d is told that they are of different jobs."""
    ids = [x.value("rdzv_id") for x in (one, other) if x.effective("rdzv_backend") == "c10d"]
    return len(ids) == 2 and all(isinstance(x, Literal) for x in ids) and ids[0] != ids[1]
