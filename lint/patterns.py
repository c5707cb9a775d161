"""Regular expressions that are compiled when they are first used.

Compiling all of this program's expressions takes longer than linting a file, and most runs need few
of them.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, Generic, cast


class _Lazy(Generic[AnyStr]):
    def __init__(self, pattern: AnyStr, flags: int) -> None:
        self._made: tuple[AnyStr, int] = (pattern, flags)

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(*self._made), name)
        setattr(self, name, found)  # the next call finds the method itself
        return found


def lazy(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """What `re.compile` gives, with the compiling put off until a method is asked for."""
    return cast("re.Pattern[AnyStr]", _Lazy(pattern, flags))
