"""What other releases than the deployed ones take of a LLaMA-Factory config."""

from __future__ import annotations

from typing import Any

from cfglint.arguments import BASE, Arguments
from cfglint.schemadata import Package, Spec

OPEN_SETS = frozenset(("template", "tool_format"))  # each release adds some


def elsewhere(given: Arguments, key: str) -> tuple[str, Spec] | None:
    """The newest other release (in words) that takes a key in this form, with its spec."""
    for package, name in _parts(given):
        life = package.life(name, key)
        section = package.at(life[1]).section(name) if life else None
        if life and section and key in section.keys:
            title = "transformers" if name == "" else "LLaMA-Factory"
            return f"{title} {life[1]}", section.keys[key]
    return None


def may_know(given: Arguments, key: str) -> bool:
    """Whether versions that the files leave possible take a key."""
    return any(key in keys for keys in _possible(given, key))


def may_take(given: Arguments, key: str, value: Any) -> bool:
    """Whether versions that the files leave possible have a value among a key's choices."""
    if key in OPEN_SETS:
        return not given.llamafactory.pinned
    return any(key in keys and value in keys[key].choices for keys in _possible(given, key))


def _possible(given: Arguments, key: str) -> list[dict[str, Spec]]:
    """The keys of a part, in each release but the deployed one that may be there instead."""
    found = []
    for package, name in _parts(given):
        if package.life(name, key) is None:
            continue
        version = given.transformers if name == "" else given.llamafactory
        judged = (given.base if name == "" else given.release).version
        for number in package.versions:
            section = package.at(number).section(name)
            if section is not None and number != judged and version.may_be(number):
                found.append(section.keys)
    return found


def _parts(given: Arguments) -> list[tuple[Package, str]]:
    """The sections that any release makes this form of, with their packages."""
    package = given.release.package

    def find() -> list[tuple[Package, str]]:
        tables = (package.at(v).table(f"form:{given.form}") for v in package.versions)
        parts = dict.fromkeys(part for table in tables for part in table)
        return [(given.base.package, "") if p == BASE else (package, p) for p in parts]

    found: list[tuple[Package, str]] = given.project.fact(("parts", given.form), find)
    return found
