"""The variables of Makefiles and justfiles.

Sources: GNU make manual (variables, conditional parts, "Communicating Variables to a Sub-make"),
just manual (variables, `export`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from cfglint.model.document import Document
from cfglint.model.edit import Edit, Fixed
from cfglint.model.launch import Setting
from cfglint.model.values import Alternatives, Literal, Unknown, Value, Variable
from cfglint.record import dataclass, field, replace
from cfglint.text import Span, name_counts

_MAKE_SET = re.compile(
    r" *(?:override[ \t]+)?(?P<export>export[ \t]+)?(?P<name>[A-Za-z_][\w.-]*)[ \t]*"
    r"(?P<sign>\?=|:{0,3}=|\+=)[ \t]*(?P<value>(?:\\\r?\n|[^\r\n#])*)"
)
JOIN = re.compile(r"[ \t]*\\\r?\n[ \t]*")
# `train: export NAME = value`: for the recipe of one target, and what it is made from.
_TARGET_SET = re.compile(
    rf"^(?P<targets>[\w./%-][^:#=\t\r\n]*)::?[ \t]*(?={_MAKE_SET.pattern})", re.M
)
_JUST_SET = re.compile(
    r"(?P<export>export[ \t]+)?(?P<name>[A-Za-z_][\w-]*)[ \t]*(?P<sign>:=)[ \t]*"
    r"(?P<quote>['\"])(?P<value>[^'\"\r\n]*)(?P=quote)"
)
_EXPORT = re.compile(r" *export(?P<names>(?:[ \t]+[A-Za-z_][\w.-]*)*)[ \t]*(?:#.*)?$")
_CONDITION = re.compile(
    r" *(?:(?P<more>else[ \t]+)?(?P<test>ifn?def|ifn?eq)\b[ \t]*(?P<of>.*)|(?P<word>else|endif)\b)"
)
_DEFINE = re.compile(r" *(?:(?P<define>define)\b|(?P<end>endef)\b)")


class MakePlace:
    """The value of a variable of a Makefile or justfile; `default`: that of a `NAME ?= value`,
    `adds`: of a `NAME += value`."""

    __slots__ = ("adds", "default", "document", "key", "span")

    def __init__(
        self, document: Document, span: Span, key: Span, default: bool = False, adds: bool = False
    ) -> None:
        self.document = document
        self.span = span
        self.key = key
        self.default = default
        self.adds = adds

    def write(self, value: Value) -> Edit | None:
        if self.default and isinstance(value, Variable) and value.default is not None:
            value = value.default
        if not isinstance(value, Literal) or re.search(r"[$#\\'\"\r\n]", value.text):
            return None
        return Edit(self.document.path, self.span, value.text)

    def remove(self) -> Edit | None:
        source = self.document.source
        line = source.line_of(self.span.start)
        if not self._is_alone() or source.slice(line).rstrip("\r\n").endswith("\\"):
            return None
        end = source.line_end_after(line.start)
        return Edit(self.document.path, Span(line.start, end), "")

    def rename(self, name: str) -> Edit | None:
        """The edit that gives the variable another name, None where other lines use it."""
        return Edit(self.document.path, self.key, name) if self._is_alone() else None

    def _is_alone(self) -> bool:
        """Whether the file names the variable nowhere else."""
        source = self.document.source
        return name_counts(source.text)[source.slice(self.key)] == 1


# The branches around a line, outermost first: the number of the conditional, and of its branch.
Branches = tuple[tuple[int, int], ...]


@dataclass(slots=True)
class _Variable:
    """What the lines of a file make of one variable."""

    options: list[tuple[Branches, Setting]] = field(default_factory=list)
    exported: bool = False
    always: bool = False  # it is exported whatever the conditionals say


def variables(document: Document, just: bool) -> dict[str, Setting]:
    """The variables that a file sets, those that it exports with the origin "env"."""
    found: dict[str, _Variable] = defaultdict(_Variable)
    conditions = _Conditions()
    every = False
    for line, text in _lines(document):
        if not just and conditions.reads(text):
            continue
        every |= not just and text.startswith(".EXPORT_ALL_VARIABLES:")
        match = (_JUST_SET if just else _MAKE_SET).match(document.source.text, line.start, line.end)
        if match is not None:
            variable = found[match["name"]]
            _take(variable, conditions.around, _setting(document, match), conditions)
            _export(variable, bool(match["export"]), conditions.around)
        elif not just and (names := _EXPORT.match(text)):
            every |= not names["names"]
            for name in names["names"].split():
                _export(found[name], True, conditions.around)
    settings = {}
    for name, variable in found.items():
        if variable.options:
            settings[name] = _combined(name, variable, conditions, every)
    return settings


def of_targets(document: Document, common: dict[str, Setting]) -> dict[str, dict[str, Setting]]:
    """The variables that a Makefile sets for the recipes of some targets, by target; `common` are
    those of all."""
    found: dict[str, dict[str, Setting]] = defaultdict(dict)
    text = document.source.text
    for line in _TARGET_SET.finditer(text):
        match = _MAKE_SET.match(text, line.end())
        if match is None:
            continue
        setting, known = _setting(document, match), common.get(match["name"])
        if match["export"] or (known is not None and known.origin == "env"):
            setting = replace(setting, origin="env")
        for target in line["targets"].split():
            found[target][match["name"]] = setting
    return found


def _lines(document: Document) -> Iterator[tuple[Span, str]]:
    """The lines outside of `define` ... `endef`."""
    source, inside = document.source, False
    count, number = len(source.line_starts), 0
    while number < count:
        number += 1
        start, line = number, source.line_span(number)
        while number < count and source.slice(line).rstrip("\r\n").endswith("\\"):
            number += 1  # make joins the lines
            line = source.line_span(number)
        line = Span(source.line_span(start).start, line.end)
        text = source.slice(line).rstrip("\r\n")
        match = _DEFINE.match(text) if "de" in text else None
        if match is not None:
            inside = bool(match["define"])
        elif not inside:
            yield line, text


class _Conditions:
    """The conditional parts of a Makefile, as far as its lines were read."""

    def __init__(self) -> None:
        self.around: Branches = ()
        self.counts: dict[int, int] = {}  # how many branches each has
        self.closed: set[int] = set()  # those with an `else`
        self.unset: dict[int, str] = {}  # the variable that the first branch wants not to be set

    def unset_in(self, name: str) -> list[tuple[int, int]]:
        """The branches that are taken only where a variable is not set."""
        return [(number, 0) for number, unset in self.unset.items() if unset == name]

    def reads(self, text: str) -> bool:
        """Whether a line is a directive of a conditional; what it changes is noted."""
        match = _CONDITION.match(text) if "if" in text or "else" in text else None
        if match is None:
            return False
        if match["test"] and not match["more"]:
            number = len(self.counts)
            self.counts[number] = 1
            self.around = (*self.around, (number, 0))
            if match["test"] == "ifndef":
                self.unset[number] = match["of"].partition("#")[0].strip()
        elif self.around and match["word"] == "endif":
            self.around = self.around[:-1]
        elif self.around:
            number = self.around[-1][0]
            self.around = (*self.around[:-1], (number, self.counts[number]))
            self.counts[number] += 1
            if not match["test"]:
                self.closed.add(number)
        return True


def _setting(document: Document, match: re.Match[str]) -> Setting:
    """What one line sets."""
    start, name, sign = match.start("value"), match["name"], match["sign"]
    text = match["value"].rstrip()
    plain = JOIN.sub(" ", text)
    value: Value = Unknown(plain) if "$" in text or sign == "+=" else Literal(plain)
    if sign == "?=" and isinstance(value, Literal):
        value = Variable(name, value, ":-")
    span, key = Span(start, start + len(text)), Span(*match.span("name"))
    place = MakePlace(document, span, key, sign == "?=", sign == "+=")
    return Setting(name, value, document, span, name, key, origin="shell", place=place)


def _export(variable: _Variable, exports: bool, around: Branches) -> None:
    variable.exported |= exports
    variable.always |= exports and not around


def _take(variable: _Variable, around: Branches, setting: Setting, conditions: _Conditions) -> None:
    """A further line that sets a variable: it counts in front of those that it overrules."""
    default = isinstance(setting.place, MakePlace) and setting.place.default
    if len(around) == 1 and around[0] in conditions.unset_in(setting.name):
        default, around = True, ()
        if isinstance(setting.value, Literal):
            setting.value = Variable(setting.name, setting.value, ":-")
    if not default:
        variable.options = [x for x in variable.options if x[0][: len(around)] != around]
    elif any(not branches for branches, _ in variable.options):
        return  # it is set already
    variable.options.append((around, setting))


def _combined(name: str, variable: _Variable, conditions: _Conditions, every: bool) -> Setting:
    """One setting for what a variable can be."""
    options = variable.options
    covered = {branches[0] for branches, _ in options if len(branches) == 1}
    for number in conditions.closed:
        if all((number, branch) in covered for branch in range(conditions.counts[number])):
            first = min(i for i, (b, _) in enumerate(options) if b and b[0][0] == number)
            options = options[first:]  # whatever was before, a branch overrules it
            break
    else:
        number = -1
    found = [setting for _, setting in options]
    whole = number >= 0 or any(not branches for branches, _ in options)
    if variable.exported and not variable.always and not every:
        whole = False
    last = found[-1]
    if not whole:
        found.append(replace(last, value=Variable(name), place=Fixed("")))
    if variable.exported or every:
        found = [replace(setting, origin="env") for setting in found]
    values = tuple(dict.fromkeys(setting.value for setting in found))
    if len(values) == 1:
        return found[-1]
    place = Fixed("several branches set it")
    return replace(found[0], value=Alternatives(values), place=place, branches=tuple(found))
