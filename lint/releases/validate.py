"""What is wrong with a mapping of a file, held against what a release of a package takes.

jsonschema finds the faults; here they become places in the file, one for each fault, with what is
accepted there and what was probably meant. Most files have none, and comparing them with the same
data says so without jsonschema, whose import alone costs more than linting a file.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from cfglint.model.tree import Entry, Mapping, Node, Scalar, Sequence, target, to_data
from cfglint.record import dataclass
from cfglint.releases.data import Section, Spec, kind_of
from cfglint.spelling import near

if TYPE_CHECKING:
    from cfglint.model.document import Document

FAULTS = (
    "unknown",
    "required",
    "refused",
    "type",
    "choice",
    "range",
    "pattern",
    "length",
    "items",
    "values",
)
WORDS = {
    "bool": "true or false",
    "int": "a whole number",
    "number": "a number",
    "whole": "a whole number",
    "str": "a string",
    "list": "a list",
    "mapping": "a mapping",
    "null": "null",
    "int_text": "",  # what a person writes is the number itself
    "number_text": "",
    "truth_text": "",
    "never": "",
}
MAX_GUESSED = 500
LONG = 64  # characters of a text that is not worth remembering: it will not come again
ARTICLED = {**WORDS, "bool": "a truth value", "null": "null (nothing)", "other": "a date"}


@dataclass(frozen=True, slots=True, eq=False)
class Fault:
    """One fault of a mapping.

    `kind` is one of FAULTS. `entry` is the key with its value, None for a required key that is not
    there; `node` is what is wrong (the value, an element of it, or the mapping that lacks a key);
    `near` the known key that an unknown one was probably meant to be.
    """

    kind: str
    section: Section
    key: str
    entry: Entry | None
    node: Node
    spec: Spec | None = None
    value: Any = None
    near: str | None = None

    @property
    def path(self) -> str:
        """The key with its section, as people write it."""
        return f"{self.section.name}.{self.key}" if self.section.name else self.key

    @property
    def refused(self) -> bool:
        """Whether the loader stops at it; False where it passes over it in silence."""
        checked = self.spec is not None and self.spec.raw.get("checked", False)
        return self.section.refuses or checked

    @property
    def accepted(self) -> str:
        """What may stand there, in words; "" where that is anything."""
        return accepted(self.spec, self.value) if self.spec else ""

    @property
    def meant(self) -> Any:
        """The value that was plainly meant, None where there is no telling."""
        return meant(self.spec, self.value) if self.spec else None


def faults(document: Document, section: Section, node: Node | None = None) -> list[Fault]:
    """The faults of a mapping of a document (its root when `node` is None), found once."""
    mapping = target(node if node is not None else document.root)
    if not isinstance(mapping, Mapping):
        return []
    key = f"faults of {id(mapping)} in {id(section)}"  # both live as long as the document
    found: list[Fault] = document.fact(key, lambda: check(mapping, section))
    return found


def check(node: Mapping, section: Section) -> list[Fault]:
    """The faults of a mapping and of the known mappings below it, in the order of the file.

    Raises ValueError when its aliases expand to too many values.
    """
    if _fits(node, section):
        return []
    return sorted(
        _find(node, section), key=lambda f: f.entry.key.start if f.entry else f.node.start
    )


def _fits(node: Mapping, section: Section) -> bool:
    """Whether there is nothing to find."""
    names = set()
    fine = section.fine
    for name, entry in node.index.items():
        value = entry.value if entry.value.__class__ is Scalar else target(entry.value)
        if isinstance(value, Scalar):
            pair = (name, value.text, value.style, value.tag)
            known = fine.get(pair)
            if known is None:
                known = _name_if_right(section, name, value.value)
                if known is None:
                    return False
                if len(value.text) < LONG:
                    fine[pair] = known
            names.add(known)
            continue
        spec = section.spec(name)
        if spec is None:
            return False
        if isinstance(value, Mapping) and "mapping" in spec.types and not spec.values:
            below = section.below(name)
            if below is not None and not _fits(value, below):
                return False
        elif spec.fault(to_data(value)):
            return False
        names.add(spec.name)
    return names.issuperset(section.required)


def _name_if_right(section: Section, name: str, data: Any) -> str | None:
    """What the section calls a key, if its value is right; None else."""
    spec = section.spec(name)
    if spec is not None and type(data) in spec.free:
        return spec.name
    if section.auto and data == "auto":
        return spec.name if spec is not None else name
    return None if spec is None or spec.fault(data) else spec.name


def _find(node: Mapping, section: Section) -> Iterator[Fault]:
    data = {k: v for k, v in to_data(node).items() if isinstance(k, str)}
    data |= {n: to_data(e.value) for n, e in node.index.items() if n not in data}
    seen = set()
    for error in _validator(section).iter_errors(data):
        if error.validator == "additionalProperties":
            for name, entry in node.index.items():
                if section.spec(name) is None and not (section.auto and data[name] == "auto"):
                    yield unknown(section, node, name, entry)
        elif error.validator == "required" and not error.absolute_path:
            yield from _missing(section, node)
        else:
            name = str(error.absolute_path[0])
            if name not in seen:
                seen.add(name)
                if section.spec(name) is None:  # neither known nor "auto"
                    yield unknown(section, node, name, node.index[name])
                else:
                    yield _bad_value(section, node, name)
    for name, entry in node.index.items():
        value, spec = target(entry.value), section.spec(name)
        if spec is not None and isinstance(value, Mapping) and "mapping" in spec.types:
            below = section.below(name)
            if below is not None:
                yield from check(value, below)


@cache
def _validator(section: Section) -> Any:
    import jsonschema

    from cfglint.releases import jsonschemas

    draft = jsonschema.Draft202012Validator
    # JSON Schema counts 8.0 as an integer; Python's loaders do not.
    integers = draft.TYPE_CHECKER.redefine("integer", lambda _, v: kind_of(v) == "int")
    extend: Any = jsonschema.validators.extend
    strict = extend(draft, type_checker=integers)
    return strict(jsonschemas.of_section(section))


def _missing(section: Section, node: Mapping) -> Iterator[Fault]:
    there = {section.canonical(name) for name in node.names()}
    for key in section.required:
        if key not in there:
            yield Fault("required", section, key, None, node, section.keys[key])


def _bad_value(section: Section, node: Mapping, name: str) -> Fault:
    entry, spec = node.index[name], section.spec(name)
    assert spec is not None
    place = target(entry.value)
    value = to_data(place)
    kind = spec.fault(value) or "type"
    if kind == "items" and isinstance(place, Sequence) and spec.items:
        for item in place.items:
            inner = spec.items.fault(to_data(item))
            if inner:
                return Fault(inner, section, name, entry, item, spec.items, to_data(item))
    if kind == "values" and isinstance(place, Mapping) and spec.values:
        for one in place.index.values():
            inner = spec.values.fault(to_data(one.value))
            if inner:
                value = to_data(one.value)
                return Fault(inner, section, one.name or name, one, one.value, spec.values, value)
    return Fault(kind, section, name, entry, entry.value, spec, value)


def unknown(section: Section, node: Mapping, name: str, entry: Entry) -> Fault:
    """The fault of a key that its section does not know, with the key that may have been meant.

    Nothing is guessed in a mapping that holds far more keys than any config: it is something else.
    """
    if len(node.entries) > MAX_GUESSED:
        return Fault("unknown", section, name, entry, entry.key, None, to_data(entry.value), None)
    there = {section.canonical(n) for n in node.names()}
    free = [k for k in section.keys if k not in there]
    value = to_data(entry.value)
    full = section.canonical(name)
    fitting = [k for k in free if _takes(section, k, value)]
    best = near(full, free) or _same_words(full, fitting) or _without_start(name, fitting)
    if best and section.prefix and not name.startswith(section.prefix.rstrip("_")):
        best = best.removeprefix(section.prefix)
    return Fault("unknown", section, name, entry, entry.key, None, value, best)


def _takes(section: Section, key: str, value: Any) -> bool:
    return section.keys[key].fault(value) is None


def _same_words(name: str, known: list[str]) -> str | None:
    """The one known key that shares all words but one with `name` in the same places, or nearly all
    of them in some order."""
    words = name.lower().replace("-", "_").split("_")
    found = []
    for key in known:
        theirs = key.lower().split("_")
        same = sum(a == b for a, b in zip(words, theirs, strict=False))
        common = len(set(words) & set(theirs)) / len(set(words) | set(theirs))
        if (len(theirs) == len(words) >= 3 and same == len(words) - 1) or common > 0.7:
            found.append(key)
    return found[0] if len(found) == 1 else None


def _without_start(name: str, known: list[str]) -> str | None:
    """The one known key that is `name` with something before it: degree, tp_degree."""
    found = [key for key in known if key.endswith(f"_{name}")]
    return found[0] if len(found) == 1 and len(name) > 3 else None


def accepted(spec: Spec, value: Any = None) -> str:
    """What a key takes, in words. With a value, only the branch that the value belongs to."""
    kind = kind_of(value)
    fits_branch = value is not None and kind in spec.types
    types = [kind] if fits_branch else [t for t in spec.types if t not in ("null", "any")]
    if "truth_text" in types:  # 0 and 1 do as well; nobody needs to hear it
        types = [t for t in types if t != "int"]
    parts: list[str] = []
    for name in types:
        choices = [c for c in spec.choices if kind_of(c) == name]
        if choices == [False] and len(spec.choices) > 1:
            continue  # an unquoted "no"; the word is among the choices
        if choices:
            parts.append(", ".join(spelled(c) for c in choices if not _is_digits(c, choices)))
        elif name in ("int", "number", "whole") and spec.limits:
            parts.append(f"{WORDS[name]} {_bounds(spec.limits)}")
        elif name == "list" and spec.items:
            parts.append(f"a list of {accepted(spec.items)}")
        elif name == "str" and spec.pattern:
            parts.append(f"a string matching {spec.pattern}")
        elif WORDS.get(name):
            parts.append(WORDS[name])
    parts = list(dict.fromkeys(p for p in parts if p))
    if "number" in types and "a whole number" in parts:
        parts.remove("a whole number")
    return " or ".join(parts)


def _is_digits(choice: Any, choices: list[Any]) -> bool:
    """Whether a choice is the number form of a list of names: those need no mention."""
    named = any(isinstance(c, str) and not c.isdigit() for c in choices)
    return named and isinstance(choice, str) and choice.isdigit()


def _bounds(limits: dict[Any, Any]) -> str:
    low, high = limits.get("min"), limits.get("max")
    if low is not None and high is not None:
        return f"from {low} to {high}"
    words = {"min": "of at least", "max": "of at most", "above": "above", "below": "below"}
    return " and ".join(f"{words[k]} {v}" for k, v in limits.items())


def spelled(value: Any) -> str:
    """A value as YAML and JSON spell it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


def described(value: Any) -> str:
    """A value's type in words: "a string", "a list"."""
    return ARTICLED.get(kind_of(value)) or "a value"


def meant(spec: Spec, value: Any) -> Any:
    """The value of the right type that was plainly meant, None where there is no telling."""
    return next(
        (v for v in _readings(spec, value) if v is not None and spec.fault(v) is None), None
    )


def _readings(spec: Spec, value: Any) -> Iterator[Any]:
    words = [c for c in spec.choices if isinstance(c, str)]
    if isinstance(value, str):
        text = value.strip()
        yield text
        yield from (c for c in words if c.lower() == text.lower().replace("-", "_"))
        if text.lower() in ("true", "false"):
            yield text.lower() == "true"
        yield from _numbers(text)
        starting = [c for c in words if len(text) > 1 and c.lower().startswith(text.lower())]
        if len(starting) == 1:
            yield starting[0]
        if len(text) > 4:  # of short words each is near another: gpu, cpu
            yield near(text, words)
    elif value is False:
        yield from (c for c in words if c.lower() in ("no", "none"))
    elif isinstance(value, float) and value.is_integer():
        yield int(value)
    elif isinstance(value, int) and not isinstance(value, bool) and not spec.limits:
        yield str(value)


def _numbers(text: str) -> Iterator[Any]:
    try:
        number = float(text)
    except ValueError:
        return
    if number.is_integer() and abs(number) < 2**53:
        yield int(number)
    yield number
