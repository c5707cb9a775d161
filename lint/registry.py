"""The rules that exist: found by walking `cfglint.rules`, imported family by family as needed.

A family is a folder. Importing all rules costs more than parsing a file, so its `__init__` may say
which files need them: `KINDS`, the kinds without which none of its rules can have anything to say,
`ALSO`, for further kinds the few modules that can, and `ONLY`, for single modules the kinds without
which they have nothing to say. A module that cannot be imported is `broken` and keeps no other from
its work.
"""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Iterable, Iterator
from functools import cache
from types import ModuleType
from typing import Any

import cfglint.rules
from cfglint.record import dataclass
from cfglint.rule import Rule

HOOKS = ("check_launch", "check_document", "check_project", "check_suppressions")


def matches(selector: str, code: str, name: str, family: str = "") -> bool:
    """Whether a selector (code, code prefix, rule name, family folder, ALL) means a rule."""
    upper = selector.upper()
    if upper == "ALL" or selector.lower() in (name, family):
        return True
    return bool(upper) and code.startswith(upper)


@dataclass(frozen=True, slots=True)
class RuleModule:
    """A rule as found on disk."""

    rule: Rule
    module: ModuleType
    family: str  # the folder's name

    def hook(self, name: str) -> Any:
        """The module's function of that name, None where it has none."""
        return getattr(self.module, name, None)

    @property
    def page(self) -> str:
        """The docstring, which is the rule's documentation page."""
        import inspect

        return inspect.cleandoc(self.module.__doc__ or "")

    def selected(self, selectors: Iterable[str]) -> bool:
        """Whether one of the selectors means this rule."""
        return any(matches(s, self.rule.code, self.rule.name, self.family) for s in selectors)


@dataclass(frozen=True, slots=True)
class Broken:
    """A module that cannot be imported, and why. `code` is its rule's, where its text tells."""

    module: str
    why: str
    code: str = ""

    def __str__(self) -> str:
        return f"the rule module {self.module} cannot be imported: {self.why}"

    def selected(self, selectors: Iterable[str]) -> bool:
        """Whether one of the selectors means the rule or its family."""
        family, _, stem = self.module.removeprefix("cfglint.rules.").partition(".")
        return any(matches(s, self.code, stem.replace("_", "-"), family) for s in selectors)


_BROKEN: dict[str, Broken] = {}


def broken() -> tuple[Broken, ...]:
    """The modules whose import failed, of those that were needed so far."""
    return tuple(_BROKEN.values())


def _load(name: str) -> ModuleType | None:
    try:
        return importlib.import_module(name)
    except Exception as problem:
        if name not in _BROKEN:
            stem = name.rpartition(".")[2].replace("_", "-")
            code = next((code for code, rule, _ in declared() if rule == stem), "")
            _BROKEN[name] = Broken(name, _why(problem), code)
        return None


def _why(problem: Exception) -> str:
    import traceback

    last = traceback.extract_tb(problem.__traceback__)[-1]
    said = f"{type(problem).__name__}: {problem}"
    if isinstance(problem, SyntaxError):
        return said  # which names the place itself
    return f"{said} ({os.path.basename(last.filename)}:{last.lineno})"


@cache
def families() -> tuple[str, ...]:
    """The names of the family folders."""
    names: set[str] = set()
    for folder in cfglint.rules.__path__:
        with os.scandir(folder) as entries:
            names.update(e.name for e in entries if e.is_dir() and e.name[0] not in "_.")
    return tuple(sorted(names))


@cache
def family(name: str, without: frozenset[str] = frozenset()) -> tuple[RuleModule, ...]:
    """The rules of a family, but for these modules, in the order of their codes."""
    package = _load(f"cfglint.rules.{name}")
    modules = []
    for folder in package.__path__ if package is not None else ():
        for file in sorted(os.listdir(folder)):
            if file.endswith(".py") and not file.startswith("_") and file[:-3] not in without:
                found = _rule(name, file[:-3])
                if found is not None:
                    modules.append(found)
    return tuple(sorted(modules, key=lambda m: m.rule.code))


@cache
def _rule(family: str, stem: str) -> RuleModule | None:
    module = _load(f"cfglint.rules.{family}.{stem}")
    rule = getattr(module, "RULE", None)
    return RuleModule(rule, module, family) if module and isinstance(rule, Rule) else None


def needed(kinds: set[str]) -> Iterator[RuleModule]:
    """The rules that files of these kinds can need."""
    for name in families():
        package = _load(f"cfglint.rules.{name}")
        wanted = getattr(package, "KINDS", None)
        if wanted is None or kinds.intersection(wanted):
            only = getattr(package, "ONLY", {})
            yield from family(name, frozenset(x for x in only if kinds.isdisjoint(only[x])))
            continue
        also = getattr(package, "ALSO", {})
        stems = {stem for kind in kinds for stem in also.get(kind, ())}
        found = [rule for stem in stems if (rule := _rule(name, stem)) is not None]
        yield from sorted(found, key=lambda one: one.rule.code)


@cache
def everything() -> tuple[RuleModule, ...]:
    """Every rule, in the order of codes."""
    found = [module for name in families() for module in family(name)]
    return tuple(sorted(found, key=lambda m: m.rule.code))


def lookup(word: str) -> RuleModule | None:
    """The rule of a code or name."""
    for module in everything():
        if word.upper() == module.rule.code or word.lower() == module.rule.name:
            return module
    return None


@cache
def declared() -> tuple[tuple[str, str, str], ...]:
    """Code, name and family of every rule, read from the modules' text: to check a selector, a
    hundred and more of them need not be imported."""
    found = []
    for name in families():
        places = (os.path.join(folder, name) for folder in cfglint.rules.__path__)
        for place in filter(os.path.isdir, places):
            for file in sorted(os.listdir(place)):
                if file.endswith(".py") and not file.startswith("_"):
                    with open(os.path.join(place, file), encoding="utf-8") as source:
                        code = re.search(r'^    code="([A-Z0-9]+)",$', source.read(), re.M)
                    if code:
                        found.append((code[1], file[:-3].replace("_", "-"), name))
    return tuple(sorted(found))


def known_words() -> list[str]:
    """Every code, family prefix, family and name that a selector may use."""
    words = {"ALL", *families()}
    for code, name, _ in declared():
        words.update((code, name, code.rstrip("0123456789")))
    # `port` and `PORT` would both be near `prot`, and neither be suggested.
    return sorted(word for word in words if word == "ALL" or word.lower() not in words - {word})


def is_known(selector: str) -> bool:
    """Whether a selector means at least one rule."""
    return selector.upper() == "ALL" or any(matches(selector, *one) for one in declared())
