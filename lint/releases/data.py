"""What each release of a package knows: the data files of `cfglint.schemas`, release by release.

`load("deepspeed").at("0.16.4").section("zero_optimization")` answers with the keys that this
release takes there and what each value may be. The shape of the files and the meaning of their
attributes are described in schemas/derive/shape.py; the scripts beside it derive them from the
packages themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, cached_property
from typing import Any

from cfglint import schemas
from cfglint.patterns import lazy

TRUE_WORDS = ("y", "yes", "t", "true", "on", "1")
FALSE_WORDS = ("n", "no", "f", "false", "off", "0")

# The strings that a loader converts, by the name of their type. Python's own int() and float()
# take surrounding blanks and digits grouped by underscores.
TEXTS = {
    "int_text": lazy(r"\s*[+-]?[0-9]+(_[0-9]+)*\s*"),
    "number_text": lazy(
        r"\s*[+-]?([0-9]+(_[0-9]+)*\.?([0-9]+(_[0-9]+)*)?|\.[0-9]+(_[0-9]+)*)"
        r"([eE][+-]?[0-9]+)?\s*|\s*[+-]?(inf|infinity|nan)\s*",
        re.IGNORECASE,
    ),
    "truth_text": lazy("|".join((*TRUE_WORDS, *FALSE_WORDS)), re.IGNORECASE),
}


_KINDS = {
    type(None): "null",
    bool: "bool",
    int: "int",
    float: "number",
    str: "str",
    list: "list",
    dict: "mapping",
}


def kind_of(value: Any) -> str:
    """The name that the data files have for the type of a parsed value."""
    return _KINDS.get(type(value), "other")  # other: a YAML timestamp or binary


class Spec:
    """A key of one release: what its value may be, and what becomes of it.

    `free` are the Python types whose every value is right: most values are of one of these, and
    need no more than that look.
    """

    __slots__ = (
        "_choices",
        "_free",
        "aliases",
        "auto",
        "choices",
        "default",
        "deprecated",
        "fold",
        "free",
        "items",
        "length",
        "limits",
        "name",
        "pattern",
        "raw",
        "refused",
        "replaced_by",
        "required",
        "types",
        "unread",
        "values",
    )

    def __init__(self, name: str, raw: dict[str, Any]) -> None:
        types = raw.get("type", "any")
        self.name = name
        self.raw = raw
        self.types: tuple[str, ...] = (types,) if isinstance(types, str) else tuple(types)
        self.choices: tuple[Any, ...] = tuple(raw.get("choices", ()))
        self.fold: bool = raw.get("fold", False)
        self.limits = {k: raw[k] for k in ("min", "max", "above", "below") if k in raw}
        self.pattern: str | None = raw.get("pattern")
        self.items = Spec(name, raw["items"]) if "items" in raw else None
        self.values = Spec(name, raw["values"]) if "values" in raw else None
        self.length: tuple[int | None, int | None] = tuple(raw.get("length", (None, None)))
        self.default: Any = raw.get("default")
        self.required: bool = raw.get("required", False)
        self.unread: bool = raw.get("unread", False)
        self.refused: bool = raw.get("refused", False)
        self.deprecated: bool = raw.get("deprecated", False)
        self.replaced_by: str | None = raw.get("replaced_by")
        self.aliases: tuple[str, ...] = tuple(raw.get("aliases", ()))
        self.auto: bool = raw.get("auto", False)
        self._choices: dict[str, set[Any]] = {}
        for choice in self.choices:
            kept = choice.lower() if self.fold and isinstance(choice, str) else choice
            self._choices.setdefault(kind_of(choice), set()).add(kept)
        bound = {*self._choices, *(("int", "number") if self.limits else ())}
        bound |= {"str"} if self.pattern is not None else set()
        self._free = frozenset(self.types) - bound - {"list", "mapping", *TEXTS}
        if self.refused:
            self._free = frozenset()
        self.free = frozenset(t for t, kind in _KINDS.items() if kind in self._free)

    def fault(self, value: Any) -> str | None:
        """What is wrong with a parsed value: None, "refused", "type", "choice", "range",
        "pattern", "length", "items", "values".

        A mapping is only asked whether one may stand here; its keys are its section's matter.
        """
        kind = kind_of(value)
        if kind in self._free:
            return None
        if self.refused:
            return "refused"
        if "any" in self.types or (self.auto and value == "auto"):
            return None
        if kind == "str" and self._is_convertible(value):
            return None
        if not self._takes(kind, value):
            return "type"
        bound = self._choices.get(kind)
        if (
            bound is not None
            and (value.lower() if kind == "str" and self.fold else value) not in bound
        ):
            return "choice"
        if kind in ("int", "number") and self._outside(value):
            return "range"
        if kind == "str" and self.pattern is not None and not re.search(self.pattern, value):
            return "pattern"
        if kind == "list":
            low, high = self.length
            if (low is not None and len(value) < low) or (high is not None and len(value) > high):
                return "length"
            if self.items and any(self.items.fault(item) for item in value):
                return "items"
        if kind == "mapping" and self.values:
            return "values" if any(self.values.fault(item) for item in value.values()) else None
        return None

    def _takes(self, kind: str, value: Any) -> bool:
        if kind in self.types:
            return True
        if kind == "int":
            return "number" in self.types or "whole" in self.types
        return kind == "number" and "whole" in self.types and value.is_integer()

    def _is_convertible(self, value: str) -> bool:
        return any(TEXTS[t].fullmatch(value) for t in self.types if t in TEXTS)

    def _outside(self, value: float) -> bool:
        limits = self.limits
        return (
            value < limits.get("min", value)
            or value > limits.get("max", value)
            or ("above" in limits and value <= limits["above"])
            or ("below" in limits and value >= limits["below"])
        )


class Section:
    """The keys of one mapping of a file, in one release. `name` "" is the top of the file.

    `refuses` says what becomes of unknown keys, `auto` that the string "auto" is as good as no
    value here, `unread` that nothing reads the whole mapping.
    """

    def __init__(self, release: Release, name: str, raw: dict[str, Any]) -> None:
        self.release = release
        self.name = name
        self.refuses: bool = raw["unknown"] == "refuse"
        self.prefix: str = raw.get("prefix") or ""
        self.unread: bool = raw.get("unread", False)
        self.auto: bool = raw.get("auto", False)
        self.keys: dict[str, Spec] = {}
        for key, spec in raw["keys"].items():
            form = release.form(spec)
            if form is not None:
                self.keys[key] = Spec(key, form)
        self.aliases = {a: k for k, spec in self.keys.items() for a in spec.aliases}
        self.sources: tuple[Section, ...] = (self,)
        self.required = [k for k, spec in self.keys.items() if spec.required]
        self._start = self.prefix.rstrip("_")
        self._below: dict[str, Section | None] = {}
        # A key, its text, style and tag -> its full name: what was found right once, is right.
        self.fine: dict[tuple[str, str, str, str | None], str] = {}

    def spec(self, key: str) -> Spec | None:
        """What a key of the file means here: itself, an alias, or itself with the prefix."""
        found = self.keys.get(key)
        if found is None and (self._start or self.aliases):
            found = self.keys.get(self.canonical(key))
        return found

    def canonical(self, key: str) -> str:
        """The key's full name: aliases resolved, the prefix added where the loader adds it."""
        if key in self.aliases:
            return self.aliases[key]
        if self._start and not key.startswith(self._start):
            return self.prefix + key
        return key

    def below(self, key: str) -> Section | None:
        """The section that describes the mapping at a key, None where its keys are free."""
        if key not in self._below:
            name = self.canonical(key)
            path = f"{self.name}.{name}" if self.name else name
            found = (source.release.section(path) for source in self.sources)
            self._below[key] = next((one for one in found if one is not None), None)
        return self._below[key]


class Release:
    """A package as one of its releases knows it."""

    def __init__(self, package: Package, index: int) -> None:
        self.package = package
        self.index = index
        self.version = package.versions[index]
        self._sections: dict[str, Section | None] = {}
        self._tables: dict[str, tuple[Any, ...]] = {}

    def section(self, name: str = "") -> Section | None:
        """A section, None where this release has none of that name."""
        if name not in self._sections:
            raw = self.package.raw["sections"].get(name)
            form = self.form(raw) if raw else None
            self._sections[name] = Section(self, name, form) if form is not None else None
        return self._sections[name]

    def table(self, name: str) -> tuple[Any, ...]:
        """A list of values, empty where this release has none of that name."""
        if name not in self._tables:
            form = self.form(self.package.raw.get("tables", {}).get(name))
            self._tables[name] = tuple(form["values"]) if form else ()
        return self._tables[name]

    def form(self, raw: dict[str, Any] | None) -> dict[str, Any] | None:
        """The attributes that hold in this release, None where it does not know the thing."""
        if raw is None or not self._covers(raw.get("since", ""), raw.get("until", "")):
            return None
        if "history" not in raw:
            return raw
        form = {k: v for k, v in raw.items() if k != "history"}
        for older in raw["history"]:
            first, _, last = older["versions"].partition("..")
            if self._covers(first, last):
                if older.get("missing"):
                    return None
                form |= {k: v for k, v in older.items() if k != "versions"}
        return {k: v for k, v in form.items() if v is not None}

    def _covers(self, first: str, last: str) -> bool:
        position = self.package.position
        return (not first or self.index >= position[first]) and (
            not last or self.index <= position[last]
        )


class Package:
    """The data file of a package."""

    def __init__(self, raw: dict[str, Any]) -> None:
        self.raw = raw
        self.name: str = raw["package"]
        self.versions: list[str] = raw["versions"]
        self.position = {v: i for i, v in enumerate(self.versions)}
        self._releases: dict[int, Release] = {}

    def at(self, version: str | None = None) -> Release:
        """The release that stands for a version: itself, else the newest known one before it.

        None means the newest; "0.34" the last of the 0.34 releases; what is older than all known
        releases gets the oldest.
        """
        index = len(self.versions) - 1
        if version is not None and version not in self.position:
            series = [i for i, v in enumerate(self.versions) if v.startswith(f"{version}.")]
            wanted = order(version)
            before = [i for i, v in enumerate(self.versions) if order(v) <= wanted]
            index = (series or before or [0])[-1]
        elif version is not None:
            index = self.position[version]
        if index not in self._releases:
            self._releases[index] = Release(self, index)
        return self._releases[index]

    def life(self, section: str, key: str) -> tuple[str, str] | None:
        """The first and last release that knows a key, None where none does."""
        raw = self.raw["sections"].get(section, {"keys": {}})
        spec = raw["keys"].get(key)
        if spec is None:
            return None
        first = max(raw.get("since", ""), spec.get("since", ""), key=order) or self.versions[0]
        return first, spec.get("until") or raw.get("until") or self.versions[-1]

    def choice_life(self, section: str, key: str, choice: Any) -> tuple[str, str] | None:
        """The first and last release in which a key takes a choice, None where none does."""
        taking = []
        for version in self.versions:
            here = self.at(version).section(section)
            spec = here.keys.get(key) if here else None
            if spec and choice in spec.choices:
                taking.append(version)
        return (taking[0], taking[-1]) if taking else None

    @cached_property
    def names(self) -> frozenset[str]:
        """The keys of all sections that any release knows."""
        sections = self.raw["sections"].values()
        return frozenset(key for section in sections for key in section["keys"])

    def places(self, key: str) -> Iterator[str]:
        """The names of the sections that know a key of this name in some release."""
        for name, section in self.raw["sections"].items():
            if key in section["keys"]:
                yield name


def order(version: str) -> tuple[tuple[int, int | str], ...]:
    """A sort key for release numbers."""
    return tuple((0, int(p)) if p.isdigit() else (1, p) for p in re.findall(r"\d+|[a-z]+", version))


@cache
def load(package: str) -> Package:
    """The data of a package: "accelerate", "deepspeed", "llamafactory", "transformers"."""
    return Package(schemas.read(package))


def combine(*sections: Section | None) -> Section:
    """One section with the keys of several, for a file that two packages read together.

    Where two know a key, the first one's description holds; the first decides on unknown keys.
    """
    present = [s for s in sections if s is not None]
    first = present[0]
    made = Section(first.release, first.name, {"unknown": "refuse", "keys": {}})
    made.refuses, made.unread = first.refuses, first.unread
    made.prefix, made._start = first.prefix, first._start
    made.sources = tuple(present)
    for section in present:
        made.keys = section.keys | made.keys
        made.aliases = section.aliases | made.aliases
    made.required = [k for k, spec in made.keys.items() if spec.required]
    return made
