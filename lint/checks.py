"""Ask of a config what its loader will ask: the checks that schemas/derive/symbolic.py read.

`Checks` holds the checks of one or two releases (a package and the one whose arguments it
extends) together with a config's values; `failures()` says which of them fail. Whatever the files
do not show is `UNKNOWN`, and a check that depends on it does not fail.
"""

from __future__ import annotations

import json
import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from cfglint.schemadata import Release


class _Unknown:
    """Something that the files do not show. It has no truth value: nothing may use it as one."""

    def __repr__(self) -> str:
        return "UNKNOWN"

    def __bool__(self) -> bool:
        raise TypeError("an unknown value is neither true nor false")


UNKNOWN: Any = _Unknown()


class RefusedError(Exception):
    """Evaluating an expression fails in the loader too.

    `error` is the exception's name there, `key` the key whose value is at fault, `choices` what it
    could have been.
    """

    def __init__(self, error: str, says: str, key: str = "", choices: tuple[Any, ...] = ()) -> None:
        super().__init__(says)
        self.error, self.says, self.key, self.choices = error, says, key, choices


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
    nothing tells. `base` is the release of the package whose arguments these extend; `plan` the
    checks to make, for those who make them for many files.
    """

    release: Release
    given: dict[str, Any]
    default: Callable[[str], Any]
    context: Callable[[str], Any]
    base: Release | None = None
    plan: Plan | None = None
    _trace: list[str] = field(default_factory=list)
    _contexts: list[str] = field(default_factory=list)
    _settling: set[str] = field(default_factory=set)

    def failures(self, form: str) -> Iterator[Failure]:
        """The checks that fail, the base package's among them where the form has its arguments."""
        plan = self.plan or Plan(self.release, form, self.base)
        values = {key: (type(value), value) for key, value in self.given.items()}
        for step in plan.reached_by(values):
            seen = step.signature(values)
            if seen is not None and seen in step.passed:
                continue
            failure = self._run(step.check, step.release)
            if failure is not None:
                yield failure
            elif seen is not None:
                step.passed.add(seen)

    def _run(self, check: dict[str, Any], release: Release) -> Failure | None:
        self._trace, self._contexts = [], []
        late = check.get("late", False)
        try:
            condition = self.value(check.get("when", True), release)
            if condition is UNKNOWN or not condition:
                return None
            if "tries" in check:
                self.value(check["tries"], release)
                return None
        except RefusedError as refusal:
            return Failure(refusal.error, refusal.says, self._read(), refusal.key, refusal.choices,
                           contexts=tuple(self._contexts), late=late)  # fmt: skip
        missing = self._missing(check["when"], release) if "when" in check else ""
        return Failure(check["error"], check["says"], self._read(), missing=missing,
                       contexts=tuple(self._contexts), late=late)  # fmt: skip

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
        return self.given[key] if key in self.given else self.default(key)

    def value(self, e: Any, release: Release) -> Any:
        """An expression's value. Raises RefusedError where evaluating it fails in the loader."""
        if isinstance(e, str) and e:
            if e[0] == "$":
                return self._raw(e[1:])
            if e[0] == "@":
                return self.settled(e[1:])
            if e[0] == "#":
                bound = named(release, "bound", e[1:])
                return UNKNOWN if bound is None else self.value(bound, release)
            return e
        if not isinstance(e, list):
            return e
        match e[0]:
            case "?":
                return UNKNOWN
            case "and" | "or":
                return self._junction(e, release)
            case "not":
                inner = self.value(e[1], release)
                return UNKNOWN if inner is UNKNOWN else not inner
            case "if":
                test = self.value(e[1], release)
                return UNKNOWN if test is UNKNOWN else self.value(e[2 if test else 3], release)
            case "context":
                return self._asked(e[1])
            case "enum" | "enums":
                value = self.value(e[1], release)
                return self._enumerated(e[0], value, named(release, "enums", e[2]) or [])
        operands = [self.value(part, release) for part in e[1:]]
        if any(o is UNKNOWN for o in operands):
            return UNKNOWN
        return self._operation(e[0], operands)

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

    def _asked(self, name: str) -> Any:
        answer = self.context(name)
        if answer is not UNKNOWN:
            self._contexts.append(name)
        return answer

    def _blame(self) -> str:
        """The given key that was looked at last: it is its value that an operation chokes on."""
        return next((key for key in reversed(self._trace) if key in self.given), "")

    def _enumerated(self, name: str, value: Any, choices: list[Any]) -> Any:
        if value is UNKNOWN:
            return UNKNOWN
        for item in value if name == "enums" and isinstance(value, list) else [value]:
            if item is not UNKNOWN and not any(
                item == c and type(item) is type(c) for c in choices
            ):
                says = f"{item} is not one of {', '.join(map(str, choices))}"
                raise RefusedError("ValueError", says, self._blame(), tuple(choices))
        return value

    def _operation(self, name: str, operands: list[Any]) -> Any:
        try:
            return OPERATIONS[name](*operands)
        except (TypeError, AttributeError, ValueError, OverflowError, LookupError) as error:
            raise RefusedError(type(error).__name__, str(error), self._blame()) from None


# Keys that nearly every config has: a check that one of them guards is seldom spared.
COMMON = frozenset(
    ("model_name_or_path", "stage", "finetuning_type", "do_train", "template", "dataset",
     "output_dir", "bf16", "learning_rate", "logging_steps", "save_steps", "lr_scheduler_type")
)  # fmt: skip


@dataclass(slots=True)
class Step:
    """A check, with what makes it unnecessary to evaluate it.

    `guards`: unless a file has a key of each, the check holds. `keys` are those that decide it,
    None where something else can; `passed` the values of these with which it held.
    """

    check: dict[str, Any]
    release: Release
    guards: tuple[frozenset[str], ...] = ()
    keys: tuple[str, ...] | None = None
    passed: set[tuple[Any, ...]] = field(default_factory=set)

    def signature(self, values: dict[str, tuple[type, Any]]) -> tuple[Any, ...] | None:
        """The given values that decide the check, None where they cannot be told apart."""
        if self.keys is None:
            return None
        found = tuple(values.get(key) for key in self.keys)
        try:
            hash(found)
        except TypeError:
            return None
        return found


class Plan:
    """The checks of a form, made ready for many files.

    A condition is a conjunction. A part of it that does not hold where nothing is given needs one
    of its keys in the file: these are the check's guards, and most checks of most files end there.
    `default` answers as in Checks; without it every check is evaluated for every file.
    """

    def __init__(
        self,
        release: Release,
        form: str,
        base: Release | None = None,
        default: Callable[[str], Any] | None = None,
    ) -> None:
        self.steps: list[Step] = []
        self._unguarded: list[int] = []
        self._guarded: dict[str, list[int]] = {}
        self._base = base
        self._keys: dict[tuple[str, int], frozenset[str] | None] = {}
        nothing = Checks(release, {}, default or (lambda key: UNKNOWN), lambda name: UNKNOWN, base)
        for source in (base, release):
            for check in source.package.raw["checks"] if source else ():
                if source and form in check.get("forms", (form,)) and covers(source, check):
                    step = Step(check, source)
                    if default:
                        step.guards = self._guards(check, source, nothing)
                        keys = self._reads(["", check.get("when"), check.get("tries")], source)
                        step.keys = None if keys is None else tuple(sorted(keys))
                    self._add(step)

    def _add(self, step: Step) -> None:
        """Take a step in, to be found by the keys of its rarest guard."""
        number = len(self.steps)
        self.steps.append(step)
        if not step.guards:
            self._unguarded.append(number)
            return
        rarest = min(step.guards, key=lambda guard: (len(guard & COMMON), len(guard)))
        for key in rarest:
            self._guarded.setdefault(key, []).append(number)

    def reached_by(self, values: dict[str, Any]) -> Iterator[Step]:
        """The steps whose guards a file's keys pass, in order."""
        numbers = set(self._unguarded)
        for key in values:
            numbers.update(self._guarded.get(key, ()))
        for number in sorted(numbers):
            step = self.steps[number]
            if not any(guard.isdisjoint(values) for guard in step.guards):
                yield step

    def _guards(
        self, check: dict[str, Any], release: Release, nothing: Checks
    ) -> tuple[frozenset[str], ...]:
        when = check.get("when", True)
        parts = when[1:] if isinstance(when, list) and when[0] == "and" else [when]
        found = []
        for part in parts:
            keys = self._reads(part, release)
            try:
                holds = nothing.value(part, release)
            except RefusedError:
                holds = UNKNOWN
            if keys and holds is not UNKNOWN and not holds:
                found.append(keys)
        if "tries" in check and (keys := self._reads(check["tries"], release)):
            found.append(keys)
        return tuple(sorted(set(found), key=len))

    def _reads(self, e: Any, release: Release) -> frozenset[str] | None:
        """The keys that decide an expression, None where something else can decide it too."""
        if isinstance(e, str) and e[:1] == "$":
            return frozenset((e[1:],))
        if isinstance(e, str) and e[:1] in ("@", "#"):
            at = (e, id(release))
            if at not in self._keys:
                self._keys[at] = frozenset()  # settled values refer to themselves as given
                self._keys[at] = self._named(e, release)
            return self._keys[at]
        if isinstance(e, list):
            if e[:1] == ["context"] or e == ["?"]:
                return None
            parts = [self._reads(part, release) for part in e[1:]]
            known = [part for part in parts if part is not None]
            return frozenset().union(*known) if len(known) == len(parts) else None
        return frozenset()

    def _named(self, e: str, release: Release) -> frozenset[str] | None:
        if e[0] == "#":
            return self._reads(named(release, "bound", e[1:]), release)
        form = named(self._base, "settled", e[1:]) if self._base else None
        own = frozenset((e[1:],))
        inner = self._reads(form, self._base) if form is not None and self._base else own
        return None if inner is None else inner | own


def covers(release: Release, span: dict[str, Any]) -> bool:
    """Whether a release lies in the `since` and `until` of something in its data file."""
    position = release.package.position
    return bool(
        position.get(span.get("since", ""), 0)
        <= release.index
        <= position.get(span.get("until", ""), release.index)
    )


def named(release: Release, table: str, name: str) -> Any:
    """What `name` is in one of the tables `bound`, `settled`, `enums`, None where it is nothing."""
    for form in release.package.raw[table].get(name, ()):
        if covers(release, form):
            return form["is"]
    return None


# ------------------------------------------------------------------------------- operations


def _items(value: Any) -> Any:
    return [part.strip() for part in value.split(",")] if isinstance(value, str) else value


def _split(value: Any, separator: str | None) -> list[str]:
    if not isinstance(value, str):
        raise AttributeError(f"'{type(value).__name__}' object has no attribute 'split'")
    return [part.strip() for part in value.split(separator)]


def _typed(value: Any, names: str) -> bool:
    types = {"str": str, "int": int, "float": float, "bool": bool, "list": list, "dict": dict}
    return isinstance(value, tuple(types[name] for name in names.split("|")))


def _get(value: Any, key: str, default: Any) -> Any:
    if not isinstance(value, dict):
        raise AttributeError(f"'{type(value).__name__}' object has no attribute 'get'")
    return value.get(key, default)


def _unprefixed(value: Any, prefix: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise AttributeError(f"'{type(value).__name__}' object has no attribute 'keys'")
    return {k.removeprefix(prefix) if isinstance(k, str) else k: v for k, v in value.items()}


def _path(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"expected str, bytes or os.PathLike object, not {type(value).__name__}")
    return value


def _starts(value: Any, prefix: str) -> bool:
    if not isinstance(value, str):
        raise AttributeError(f"'{type(value).__name__}' object has no attribute 'startswith'")
    return value.startswith(prefix)


def _ends(value: Any, suffix: str) -> bool:
    if not isinstance(value, str):
        raise AttributeError(f"'{type(value).__name__}' object has no attribute 'endswith'")
    return value.endswith(suffix)


def _seconds(value: Any) -> Any:
    if not isinstance(value, int | float):
        kind = type(value).__name__
        raise TypeError(f"unsupported type for timedelta seconds component: {kind}")
    if abs(value) > 86399999999999:
        raise OverflowError(f"{value} seconds are more than a time span can have")
    return value


def _plugin(value: Any) -> Any:
    if isinstance(value, str) and value.startswith("{"):
        value = json.loads(value)
    if value is not None and "name" not in value:
        raise ValueError("Plugin configuration must have a 'name' field.")
    return value


def _in(item: Any, values: Any) -> bool:
    return item in values


OPERATIONS: dict[str, Callable[..., Any]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le,
    ">": operator.gt, ">=": operator.ge, "in": _in, "notin": lambda a, b: not _in(a, b),
    "is": lambda a, b: a is b or (a == b and type(a) is type(b)),
    "isnot": lambda a, b: not (a is b or (a == b and type(a) is type(b))),
    "+": operator.add, "-": operator.sub, "*": operator.mul, "%": operator.mod,
    "max": max, "min": min, "int": int, "float": float, "len": len,
    "list": lambda *items: list(items), "type": _typed, "items": _items, "split": _split,
    "floats": lambda values: [float(v) for v in values], "get": _get, "item": operator.getitem,
    "unprefixed": _unprefixed,
    "starts": _starts, "ends": _ends, "path": _path, "json": json.loads, "seconds": _seconds,
    "outside": lambda values, allowed: any(v not in allowed for v in values), "plugin": _plugin,
}  # fmt: skip
