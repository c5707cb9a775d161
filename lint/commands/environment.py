"""The variables a command inherits, each looked up when somebody asks.

A script exports dozens of variables and a rule asks for two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from cfglint.launch import Setting
from cfglint.record import replace
from cfglint.values import Value

if TYPE_CHECKING:
    from cfglint.commands.variables import Variables
    from cfglint.syntax.shell import Context


class Environment(Mapping[str, Setting]):
    """The exported variables at one place of a script, each looked up when somebody asks."""

    __slots__ = ("_at", "_context", "_found", "_variables")

    def __init__(self, variables: Variables, at: int, context: Context) -> None:
        self._variables = variables
        self._at = at
        self._context = context
        self._found: dict[str, Setting | None] = {}

    def _get(self, name: str) -> Setting | None:
        if name not in self._found:
            found = None
            if self._variables.is_exported(name, self._at, self._context):
                found = self._variables.holds(name, self._at, self._context)
            if found is not None and found.origin == "shell":
                found = replace(found, origin="env")
            self._found[name] = found
        return self._found[name]

    def __getitem__(self, name: str) -> Setting:
        found = self._get(name)
        if found is None:
            raise KeyError(name)
        return found

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._get(name) is not None

    def __iter__(self) -> Iterator[str]:
        names = dict.fromkeys([*self._variables.outer, *self._variables.by_name])
        return (name for name in names if self._get(name) is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)


class Layered(Mapping[str, Setting]):
    """Variables over others, none looked up before somebody asks."""

    __slots__ = ("_lower", "_upper")

    def __init__(self, upper: Mapping[str, Setting], lower: Mapping[str, Setting]) -> None:
        self._upper = upper
        self._lower = lower

    def __getitem__(self, name: str) -> Setting:
        return self._upper[name] if name in self._upper else self._lower[name]

    def __contains__(self, name: object) -> bool:
        return name in self._upper or name in self._lower

    def __iter__(self) -> Iterator[str]:
        yield from self._upper
        yield from (name for name in self._lower if name not in self._upper)

    def __len__(self) -> int:
        return sum(1 for _ in self)


class Changed(Mapping[str, Setting]):
    """Variables whose values something does to."""

    __slots__ = ("_change", "_env")

    def __init__(self, env: Mapping[str, Setting], change: Callable[[Value], Value]) -> None:
        self._env = env
        self._change = change

    def __getitem__(self, name: str) -> Setting:
        found = self._env[name]
        return replace(found, value=self._change(found.value))

    def __contains__(self, name: object) -> bool:
        return name in self._env

    def __iter__(self) -> Iterator[str]:
        return iter(self._env)

    def __len__(self) -> int:
        return len(self._env)
