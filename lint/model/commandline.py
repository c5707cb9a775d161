"""The model of a launcher's own command line: which of its options a command gives, and how."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING

from cfglint.model.edit import Edit
from cfglint.record import dataclass, field

if TYPE_CHECKING:
    from cfglint.model.launch import Setting, Word


@dataclass(slots=True)
class CommandLine:
    """A launcher and the words between its name and the program.

    `given` holds each option by its argparse name (`nproc_per_node`), flags as "true". `unknown`
    are words that look like options and are none, `missing` options whose value is not there.
    `opaque` says that a word may expand to options that are not seen. `spellings` maps every way to
    write an option to its argparse name, `valued` names the options that take a value.
    """

    launcher: str
    given: Mapping[str, Setting] = field(default_factory=dict)
    unknown: tuple[Word, ...] = ()
    missing: tuple[Word, ...] = ()
    opaque: bool = False
    spellings: Mapping[str, str] = field(default_factory=dict)
    valued: frozenset[str] = frozenset()
    # Finds the argparse name that a spelling means, abbreviations included; None for none.
    find: Callable[[str], str | None] = lambda spelling: None
    # Whether any of these options is spelt in the text behind the program: a quick no.
    follows: Callable[[frozenset[str]], bool] = lambda options: True
    # The type ("int", "float" or "") and the choices of an option's value.
    takes: Callable[[str], tuple[str, tuple[str, ...]]] = lambda option: ("", ())
    # The newest release of the launcher's package before an option came, and the oldest after it
    # went, of those that are described; "" for none.
    unknown_in: Callable[[str], tuple[str, str]] = lambda option: ("", "")
    # Puts a text in place of the launcher, its options and the program's name.
    replace: Callable[[str], Edit | None] = lambda text: None
    # Puts words (an option and its value, as they are written) right behind the launcher's name.
    insert: Callable[..., Edit | None] = lambda *words: None


def glued(spellings: Collection[str], raw: str) -> str | None:
    """The option that a value runs into, for want of a blank: `--rdzv_id=7--rdzv_backend=c10d`."""
    if "--" not in raw:
        return None
    before, _, behind = raw.partition("--")
    name = "--" + behind.partition("=")[0]
    return name if before and name in spellings else None
