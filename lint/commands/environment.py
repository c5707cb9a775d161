"""The variables a command inherits, each looked up when somebody asks.

A script exports dozens of variables and a rule asks for two.
"""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterable, Iterator, Mapping, ValuesView
from typing import TYPE_CHECKING, Any

from cfglint.model.launch import Setting
from cfglint.model.values import Value
from cfglint.record import replace

if TYPE_CHECKING:
    from cfglint.commands.variables import Variables
    from cfglint.syntax.shell import Context


class _Inherited(Mapping[str, Setting]):
    """Variables that are looked up one by one, and all of them once somebody goes through them."""

    __slots__ = ("_whole",)

    def __init__(self) -> None:
        self._whole: dict[str, Setting] | None = None

    def _all(self) -> dict[str, Setting]:
        if self._whole is None:
            self._whole = self._collect()
        return self._whole

    def _collect(self) -> dict[str, Setting]:
        raise NotImplementedError

    def mentioned(self) -> Iterable[str]:
        raise NotImplementedError

    def named(self, wanted: Callable[[str], bool]) -> Iterable[str]:
        raise NotImplementedError

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def items(self) -> ItemsView[str, Setting]:
        return self._all().items()

    def values(self) -> ValuesView[Setting]:
        return self._all().values()


class Environment(_Inherited):
    """The exported variables at one place of a script, each looked up when somebody asks."""

    __slots__ = ("_at", "_context", "_found", "_variables")

    def __init__(self, variables: Variables, at: int, context: Context) -> None:
        super().__init__()
        self._variables = variables
        self._at = at
        self._context = context
        self._found: dict[str, Setting | None] = {}

    def _get(self, name: str) -> Setting | None:
        if name in self._found:
            return self._found[name]
        found = None
        if not self._variables.may_hold(name):  # of most names that are asked for
            return None
        if self._variables.is_exported(name, self._at, self._context):
            found = self._variables.holds(name, self._at, self._context)
        if found is not None and found.origin == "shell":
            found = replace(found, origin="env")
        self._found[name] = found
        return found

    def mentioned(self) -> Iterable[str]:
        """The names that are set anywhere; not all need to reach this place."""
        return self._variables.names

    def named(self, wanted: Callable[[str], bool]) -> Iterable[str]:
        """Those of the names that a test lets through."""
        return self._variables.named(wanted)

    def _collect(self) -> dict[str, Setting]:
        held = ((name, self._get(name)) for name in self.mentioned())
        return {name: found for name, found in held if found is not None}

    def __getitem__(self, name: str) -> Setting:
        found = self._get(name)
        if found is None:
            raise KeyError(name)
        return found

    def get(self, name: str, default: Any = None) -> Any:
        found = self._get(name)
        return default if found is None else found

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._get(name) is not None


class Layered(_Inherited):
    """Variables over others, none looked up before somebody asks."""

    __slots__ = ("_lower", "_upper")

    def __init__(self, upper: Mapping[str, Setting], lower: Mapping[str, Setting]) -> None:
        super().__init__()
        self._upper = upper
        self._lower = lower

    def mentioned(self) -> Iterable[str]:
        """The names that are set anywhere; not all need to reach this place."""
        lower = self._lower.mentioned() if isinstance(self._lower, _Inherited) else self._lower
        upper = self._upper.mentioned() if isinstance(self._upper, _Inherited) else self._upper
        return dict.fromkeys([*upper, *lower])

    def named(self, wanted: Callable[[str], bool]) -> Iterable[str]:
        """Those of the names that a test lets through."""
        layers = (self._upper, self._lower)
        return dict.fromkeys(
            name
            for one in layers
            for name in (one.named(wanted) if isinstance(one, _Inherited) else filter(wanted, one))
        )

    def _collect(self) -> dict[str, Setting]:
        lower = {n: found for n, found in self._lower.items() if n not in self._upper}
        return {**dict(self._upper.items()), **lower}

    def __getitem__(self, name: str) -> Setting:
        return self._upper[name] if name in self._upper else self._lower[name]

    def is_changed(self, name: str) -> bool:
        """Whether something has been done to the variable's value."""
        return changed(self._upper if name in self._upper else self._lower, name)

    def __contains__(self, name: object) -> bool:
        return name in self._upper or name in self._lower


class Changed(Mapping[str, Setting]):
    """Variables whose values something does to."""

    __slots__ = ("_change", "_env")

    def __init__(self, env: Mapping[str, Setting], change: Callable[[Value], Value]) -> None:
        self._env = env
        self._change = change

    def __getitem__(self, name: str) -> Setting:
        found = self._env[name]
        return replace(found, value=self._change(found.value))

    def is_changed(self, name: str) -> bool:
        """Whether something has been done to the variable's value."""
        return name in self._env

    def __contains__(self, name: object) -> bool:
        return name in self._env

    def __iter__(self) -> Iterator[str]:
        return iter(self._env)

    def __len__(self) -> int:
        return len(self._env)


def changed(env: Mapping[str, Setting], name: str) -> bool:
    """Whether `Changed` stands between an environment's variable and what it was set to."""
    ask = getattr(env, "is_changed", None)
    return ask is not None and bool(ask(name))
