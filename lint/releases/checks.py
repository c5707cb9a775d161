"""Ask of a config what its loader will ask: the checks that schemas/derive/symbolic.py read.

`Checks` holds a config's values against the checks of one or two releases (a package and the one
whose arguments it extends); `outcome()` says how one of them fails. Whatever the files do not show
is `UNKNOWN`, and a check that depends on it does not fail.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from cfglint.record import dataclass, field
from cfglint.releases.data import Release
from cfglint.releases.operations import OPERATIONS


class _Unknown:
    """Something that the files do not show. It has no truth value: nothing may use it as one."""

    def __repr__(self) -> str:
        return "UNKNOWN"

    def __bool__(self) -> bool:
        raise TypeError("an unknown value is neither true nor false")


UNKNOWN: Any = _Unknown()
# What is no operation on values: FORMS have an evaluation of their own.
FORMS = frozenset(("?", "and", "or", "not", "if", "context", "enum", "enums"))


class RefusedError(Exception):
    """Evaluating an expression fails in the loader too.

    `error` is the exception's name there, `key` the key whose value is at fault, `choices` what it
    could have been.
    """

    def __init__(
        self, error: str, says: str, key: str = "", choices: tuple[Any, ...] = (), value: Any = None
    ) -> None:
        super().__init__(says)
        self.error, self.says, self.key, self.choices = error, says, key, choices
        self.value = value


@dataclass(frozen=True, slots=True)
class Failure:
    """A check that fails.

    `error` and `says` are the exception and message that the loader raises; `keys` the keys that
    decided it, in the order in which they were looked at; `key` the one whose value is wrong by
    itself ("" for a combination); `choices` what that one takes; `missing` the key that had to be
    there; `contexts` the facts about the run that decided it; `late` whether only a later stage
    than the parsing of the arguments finds it.
    """

    error: str
    says: str
    keys: tuple[str, ...]
    key: str = ""
    choices: tuple[Any, ...] = ()
    missing: str = ""
    contexts: tuple[str, ...] = ()
    late: bool = False


@dataclass
class Checks:
    """The checks of a form of a config, against its values.

    `given` has the keys that the file has, as its loader types them; `default` answers for the
    others. `context` answers what is asked about the run (`zero3`, `env:NAME`), with UNKNOWN where
    nothing tells. `base` is the release of the package whose arguments these extend.
    `asked` is what the last check asked, in order: keys, and facts about the run with "&" before
    their names.
    """

    release: Release
    given: dict[str, Any]
    default: Callable[[str], Any]
    context: Callable[[str], Any]
    base: Release | None = None
    asked: dict[str, None] = field(default_factory=dict)
    _trace: list[str] = field(default_factory=list)
    _contexts: list[str] = field(default_factory=list)
    _settling: set[str] = field(default_factory=set)

    def outcome(self, check: dict[str, Any], release: Release) -> Failure | None:
        """How a check fails, None where it holds."""
        self._trace, self._contexts, self.asked = [], [], {}
        late = check.get("late", False)
        try:
            condition = self.value(check.get("when", True), release)
            if condition is UNKNOWN or not condition:
                return None
            if "tries" in check:
                self.value(check["tries"], release)
                return None
        except RefusedError as refusal:
            says = check["says"] if refusal.choices and "says" in check else refusal.says
            return Failure(
                check.get("error", refusal.error) if "tries" in check else refusal.error,
                says.replace("{}", str(refusal.value)),
                self._read(),
                refusal.key,
                refusal.choices,
                contexts=tuple(self._contexts),
                late=late,
            )
        keys = self._read()
        missing = self._missing(check["when"], release) if "when" in check else ""
        return Failure(
            check["error"], check["says"], keys, missing=missing,
            contexts=tuple(self._contexts), late=late,
        )  # fmt: skip

    def _read(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self._trace))

    def _missing(self, when: Any, release: Release) -> str:
        """The absent key of a condition whose last part is that the key has no value."""
        last = when[-1] if isinstance(when, list) and when[0] == "and" else when
        if isinstance(last, list) and last[0] == "is" and last[2] is None:
            self._trace = []
            self.value(last[1], release)
            if len(self._trace) == 1 and self._trace[0] not in self.given:
                return self._trace[0]
        return ""

    # ------------------------------------------------------------------------- values

    def settled(self, key: str) -> Any:
        """What a key holds once the base package has settled it."""
        if self.base is not None and key not in self._settling:
            form = named(self.base, "settled", key)
            if form is not None:
                self._settling.add(key)
                try:
                    return self.value(form, self.base)
                finally:
                    self._settling.discard(key)
        return self._raw(key)

    def _raw(self, key: str) -> Any:
        self._trace.append(key)
        self.asked[key] = None
        return self.given[key] if key in self.given else self.default(key)

    def value(self, e: Any, release: Release) -> Any:
        """An expression's value. Raises RefusedError where evaluating it fails in the loader."""
        if e.__class__ is list:
            if e[0] in FORMS:
                return self._form(e, release)
            operands = [self.value(part, release) for part in e[1:]]
            for operand in operands:
                if operand is UNKNOWN:
                    return UNKNOWN
            return self._operation(e[0], operands)
        if e.__class__ is str and e:
            sign = e[0]
            if sign == "$":
                return self._raw(e[1:])
            if sign == "@":
                return self.settled(e[1:])
            if sign == "#":
                bound = named(release, "bound", e[1:])
                return UNKNOWN if bound is None else self.value(bound, release)
        return e

    def _form(self, e: list[Any], release: Release) -> Any:
        """The value of an expression that does not simply evaluate all its operands."""
        name = e[0]
        if name == "?":
            return UNKNOWN
        if name in ("and", "or"):
            return self._junction(e, release)
        if name == "context":
            return self._fact(e[1])
        first = self.value(e[1], release)
        if name == "not":
            return UNKNOWN if first is UNKNOWN else not first
        if name == "if":
            return UNKNOWN if first is UNKNOWN else self.value(e[2 if first else 3], release)
        return self._enumerated(e, first, named(release, "enums", e[2]) or [])

    def _junction(self, e: list[Any], release: Release) -> Any:
        """`and` and `or` as Python has them, with unknowns: the first decisive part counts."""
        decisive = e[0] == "or"
        unknown, last = False, None
        for part in e[1:]:
            try:
                last = self.value(part, release)
            except RefusedError:
                if unknown:
                    return UNKNOWN
                raise
            if last is UNKNOWN:
                unknown = True
            elif bool(last) is decisive:
                return last
        return UNKNOWN if unknown else last

    def _fact(self, name: str) -> Any:
        self.asked[f"&{name}"] = None
        answer = self.context(name)
        if answer is not UNKNOWN:
            self._contexts.append(name)
        return answer

    def _blame(self) -> str:
        """The given key that was looked at last: it is its value that an operation chokes on."""
        return next((key for key in reversed(self._trace) if key in self.given), "")

    def _enumerated(self, e: list[Any], value: Any, choices: list[Any]) -> Any:
        name, enum = e[0], e[2]
        if value is UNKNOWN:
            return UNKNOWN
        for item in value if name == "enums" and isinstance(value, list) else [value]:
            if item is not UNKNOWN and not any(
                item == c and type(item) is type(c) for c in choices
            ):
                listed = ", ".join(repr(c) for c in choices)
                says = f"{item} is not a valid {enum}, please select one of [{listed}]"
                raise RefusedError("ValueError", says, self._blame(), tuple(choices), item)
        return value

    def _operation(self, name: str, operands: list[Any]) -> Any:
        try:
            return OPERATIONS[name](*operands)
        except (TypeError, AttributeError, ValueError, OverflowError, LookupError) as error:
            raise RefusedError(type(error).__name__, str(error), self._blame()) from None


def covers(release: Release, span: dict[str, Any]) -> bool:
    """Whether a release lies in the `since` and `until` of something in its data file."""
    position = release.package.position
    return bool(
        position.get(span.get("since", ""), 0)
        <= release.index
        <= position.get(span.get("until", ""), release.index)
    )


@cache
def named(release: Release, table: str, name: str) -> Any:
    """What `name` is in one of the tables `bound`, `settled`, `enums`, None where it is nothing."""
    for form in release.package.raw[table].get(name, ()):
        if covers(release, form):
            return form["is"]
    return None
