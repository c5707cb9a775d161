"""What other releases than the deployed ones take of a LLaMA-Factory config."""

from __future__ import annotations

from typing import Any

from cfglint.llamafactory.arguments import BASE, Arguments
from cfglint.record import dataclass
from cfglint.releases.data import Package, Spec
from cfglint.releases.versions import order

OPEN_SETS = frozenset(("template", "tool_format"))  # each release adds some


@dataclass(frozen=True, slots=True)
class Other:
    """A release that takes a key which the deployed one refuses: its name in words, the key's spec
    there. `is_newer`: the key came after the deployed release, and this is the first that has it;
    else this is the last one."""

    title: str
    spec: Spec
    is_newer: bool


def elsewhere(given: Arguments, key: str) -> Other | None:
    """The release that would take a key in this form, None where none does."""
    for package, name in _parts(given):
        life = package.life(name, key)
        section = package.at(life[1]).section(name) if life else None
        if life and section and key in section.keys:
            title = "transformers" if name == "" else "LLaMA-Factory"
            judged = given.base if name == "" else given.release
            is_newer = order(judged.version) < order(life[0])
            return Other(f"{title} {life[not is_newer]}", section.keys[key], is_newer)
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
