"""The variables that NCCL, torch, gloo and the launchers read (schemas/environment.json).

The table is derived from the libraries' sources by schemas/derive/environment.py.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from cfglint import schemas
from cfglint.record import dataclass


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable that some library reads.

    `type`: "int", "bool", "enum", "str", "iflist" ...; `choices` are the words it takes (in any
    case), `empty` is "error" where an empty value is one. `renamed` is the release of `read_by`
    since which `replaced_by` counts, `removed` the one since which nothing reads it.
    """

    name: str
    read_by: str
    type: str
    choices: tuple[str, ...] = ()
    min: int | None = None
    max: int | None = None
    empty: str = ""
    renamed: str = ""
    removed: str = ""
    replaced_by: str = ""


@cache
def _data() -> dict[str, Any]:
    data: dict[str, Any] = schemas.read("environment")
    return data


@cache
def variable(name: str) -> Variable | None:
    """What is known of a variable, None where no library of the table reads it."""
    row = _data()["variables"].get(name)
    if row is None:
        return None
    return Variable(
        name,
        row["read_by"],
        row["type"],
        tuple(map(str, row.get("choices", ()))),
        row.get("min"),
        row.get("max"),
        row.get("empty", ""),
        row.get("renamed", "") or row.get("deprecated", ""),
        row.get("removed", ""),
        row.get("replaced_by", ""),
    )


# Read by launchers of their own (LLaMA-Factory, ms-swift), not by the libraries of the table.
_LAUNCHERS = ("NPROC_PER_NODE", "FORCE_TORCHRUN", "MAX_RESTARTS")


@cache
def names() -> tuple[str, ...]:
    """Every name that is still read."""
    table = _data()["variables"]
    read = (n for n, row in table.items() if "removed" not in row and "renamed" not in row)
    return (*read, *_LAUNCHERS)


@cache
def likely(name: str) -> str | None:
    """The one variable that a name is a likely misspelling of, None where none or two are."""
    from cfglint.spelling import near

    return near(name, names()) or _in_order().get(_words(name)) or _cut_off(name)


@cache
def is_like_master_address(name: str) -> bool:
    """Whether a name is MASTER_ADDRESS or a letter or two from it, which stands for MASTER_ADDR."""
    from cfglint.spelling import near

    return name == "MASTER_ADDRESS" or near(name, ("MASTER_ADDRESS",)) is not None


@cache
def _in_order() -> dict[tuple[str, ...], str]:
    """The variables by their words, in whatever order these stand; none that share them."""
    found: dict[tuple[str, ...], str] = {}
    for name in names():
        words = _words(name)
        found[words] = "" if words in found else name
    return {words: name for words, name in found.items() if name and len(words) > 2}


def _cut_off(name: str) -> str | None:
    """The one variable whose last words a name lacks (`CUDA_VISIBLE`)."""
    longer = [one for one in names() if one.startswith(f"{name}_")] if name.count("_") else []
    return longer[0] if len(longer) == 1 else None


def _words(name: str) -> tuple[str, ...]:
    return tuple(sorted(word.rstrip("S") for word in name.split("_")))


def is_invented(name: str) -> bool:
    """Whether a name goes round in public files although nothing ever read it."""
    return name in _data()["invented"]


def meant(name: str) -> str | None:
    """The real variable that an invented name stands for, None where there is none."""
    found: str | None = _data()["invented"].get(name)
    return found


def is_vendors(name: str) -> bool:
    """Whether a name belongs to a vendor's own library (MCCL_, HCCL_, RCCL_)."""
    return name.startswith(tuple(_data()["vendors"]))
