"""Which of a release's checks a file can fail at all: most are told by its keys alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from cfglint.checks import UNKNOWN, Checks, RefusedError, covers, named
from cfglint.record import dataclass, field
from cfglint.schemadata import Release

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
    Finding the guards costs as much as a dozen files, so the first ones do without.
    """

    PLAIN_FILES = 12

    def __init__(
        self, release: Release, form: str, base: Release | None, default: Callable[[str], Any]
    ) -> None:
        """`default` answers as in Checks."""
        self.steps = [
            Step(check, source)
            for source in (base, release)
            if source is not None
            for check in source.package.raw["checks"]
            if form in check.get("forms", (form,)) and covers(source, check)
        ]
        self._nothing = Checks(release, {}, default, lambda name: UNKNOWN, base)
        self._base = base
        self._asked = 0
        self._unguarded: list[int] = []
        self._guarded: dict[str, list[int]] = {}
        self._keys: dict[tuple[str, int], frozenset[str] | None] = {}

    def reached_by(self, values: dict[str, Any]) -> Iterator[Step]:
        """The steps whose guards a file's keys pass, in order."""
        self._asked += 1
        if self._asked < self.PLAIN_FILES:
            yield from self.steps
            return
        if self._asked == self.PLAIN_FILES:
            self._prepare()
        numbers = set(self._unguarded)
        for key in values:
            numbers.update(self._guarded.get(key, ()))
        for number in sorted(numbers):
            step = self.steps[number]
            if not any(guard.isdisjoint(values) for guard in step.guards):
                yield step

    def _prepare(self) -> None:
        """Find each step's guards and keys; steps are then found by their rarest guard."""
        for number, step in enumerate(self.steps):
            check = step.check
            step.guards = self._guards(check, step.release)
            keys = self._reads(["", check.get("when"), check.get("tries")], step.release)
            step.keys = None if keys is None else tuple(sorted(keys))
            if not step.guards:
                self._unguarded.append(number)
                continue
            rarest = min(step.guards, key=lambda guard: (len(guard & COMMON), len(guard)))
            for key in rarest:
                self._guarded.setdefault(key, []).append(number)

    def _guards(self, check: dict[str, Any], release: Release) -> tuple[frozenset[str], ...]:
        when = check.get("when", True)
        parts = when[1:] if isinstance(when, list) and when[0] == "and" else [when]
        found = []
        for part in parts:
            keys = self._reads(part, release)
            try:
                holds = self._nothing.value(part, release)
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
            if e[:1] == ["context"]:
                topic = e[1].partition(":")[0]
                if topic == "env":
                    return frozenset((e[1],))  # what is set stands among the values
                return frozenset() if topic.startswith("transformers>=") else None
            if e == ["?"]:
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
