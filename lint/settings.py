"""The settings: `[tool.cfglint]` in pyproject.toml, or cfglint.toml, found upward from the files."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from cfglint.rule import near

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FILE_NAMES = ("cfglint.toml", ".cfglint.toml", "pyproject.toml")
PACKAGES = ("accelerate", "deepspeed", "llamafactory", "transformers", "torch", "nccl")


class SettingsError(Exception):
    """Settings that cannot be used; the message names the file, the key and what was meant."""


@dataclass(frozen=True, slots=True)
class Site:
    """What only the site knows; fixes use it.

    `socket_interface`: the interface between the nodes (NCCL_SOCKET_IFNAME). `port_range`: the
    team's agreed rendezvous ports, both inclusive. `ephemeral_port_range`: the kernel's
    net.ipv4.ip_local_port_range. `private_networks`: public-looking networks that the hosts own.
    """

    socket_interface: str = ""
    port_range: tuple[int, int] | None = None
    ephemeral_port_range: tuple[int, int] = (32768, 60999)
    gpus_per_node: int | None = None
    private_networks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class JobGroup:
    """A `[[job]]`: files that are one job, and scripts that every node runs."""

    files: tuple[str, ...] = ()
    every_node: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything a run can be told. `root` is the folder that globs are relative to."""

    root: Path = field(default_factory=Path.cwd)
    source: Path | None = None
    select: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    per_file_ignores: dict[str, tuple[str, ...]] = field(default_factory=dict)
    exclude: tuple[str, ...] = ()
    fail_on: str = "warning"
    unsafe_fixes: bool = False
    required_version: str = ""
    max_file_size: int = 10_000_000
    kinds: dict[str, str] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    site: Site = field(default_factory=Site)
    jobs: tuple[JobGroup, ...] = ()


def find_file(start: Path) -> Path | None:
    """The settings file that holds for a folder: in it or the nearest folder above."""
    for folder in [start, *start.parents]:
        for name in FILE_NAMES:
            path = folder / name
            if path.is_file() and (name != "pyproject.toml" or _has_table(path)):
                return path
        if (folder / ".git").exists():
            return None
    return None


def _has_table(path: Path) -> bool:
    try:
        return b"tool.cfglint" in path.read_bytes()
    except OSError:
        return False


def load(path: Path) -> Settings:
    """The settings of a file. Raises SettingsError with the file and the key that is wrong."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as problem:
        raise SettingsError(f"{path}: {problem}") from None
    except tomllib.TOMLDecodeError as problem:
        raise SettingsError(f"{path}: not valid TOML: {problem}") from None
    table = data
    if path.name == "pyproject.toml":
        table = data.get("tool", {}).get("cfglint", {})
    return from_table(table, path)


def from_table(table: dict[str, Any], path: Path) -> Settings:
    """Settings of a TOML table that stands in `path`."""
    values: dict[str, Any] = {}
    for key, value in table.items():
        reader = _READERS.get(key)
        if reader is None:
            raise SettingsError(f"{path}: unknown setting {key!r}{_meant(key, _READERS)}")
        values[_FIELDS.get(key, key.replace("-", "_"))] = reader(value, f"{path}: {key}")
    return replace(Settings(root=path.parent, source=path), **values)


def _meant(key: str, known: Any) -> str:
    guess = near(key, list(known))
    return f"; did you mean {guess!r}?" if guess else f"; known are {', '.join(sorted(known))}"


def _texts(value: Any, where: str) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return tuple(value)
    raise SettingsError(f"{where}: a list of strings is wanted, not {value!r}")


def _text(value: Any, where: str) -> str:
    if isinstance(value, str):
        return value
    raise SettingsError(f"{where}: a string is wanted, not {value!r}")


def _flag(value: Any, where: str) -> bool:
    if isinstance(value, bool):
        return value
    raise SettingsError(f"{where}: true or false is wanted, not {value!r}")


def _number(value: Any, where: str) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and value > 0:
        return value
    raise SettingsError(f"{where}: a positive whole number is wanted, not {value!r}")


def _severity(value: Any, where: str) -> str:
    if value in ("error", "warning", "info", "never"):
        return str(value)
    raise SettingsError(f"{where}: one of error, warning, info, never is wanted, not {value!r}")


def _ignores(value: Any, where: str) -> dict[str, tuple[str, ...]]:
    return {glob: _texts(rules, f"{where}.{glob}") for glob, rules in _table(value, where).items()}


def _table(value: Any, where: str) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    raise SettingsError(f"{where}: a table is wanted, not {value!r}")


def _kinds(value: Any, where: str) -> dict[str, str]:
    from cfglint.kinds import KINDS

    result = {}
    for glob, kind in _table(value, where).items():
        if kind not in KINDS:
            raise SettingsError(f"{where}.{glob}: unknown kind {kind!r}{_meant(str(kind), KINDS)}")
        result[glob] = str(kind)
    return result


def _versions(value: Any, where: str) -> dict[str, str]:
    result = {}
    for package, version in _table(value, where).items():
        if package not in PACKAGES:
            raise SettingsError(f"{where}: unknown package {package!r}{_meant(package, PACKAGES)}")
        result[package] = _text(version, f"{where}.{package}")
    return result


def _range(value: Any, where: str) -> tuple[int, int]:
    numbers = value.replace("-", " ").split() if isinstance(value, str) else value
    try:
        low, high = (int(one) for one in numbers)
    except (TypeError, ValueError):
        raise SettingsError(f"{where}: two ports are wanted, as [20000, 20999]") from None
    if not 0 < low <= high <= 65535:
        raise SettingsError(f"{where}: {low}-{high} is no range of ports")
    return low, high


def _networks(value: Any, where: str) -> tuple[str, ...]:
    import ipaddress

    networks = _texts(value, where)
    for network in networks:
        try:
            ipaddress.ip_network(network)
        except ValueError as problem:
            raise SettingsError(f"{where}: {problem}") from None
    return networks


_SITE = {
    "socket-interface": _text,
    "port-range": _range,
    "ephemeral-port-range": _range,
    "gpus-per-node": _number,
    "private-networks": _networks,
}


def _site(value: Any, where: str) -> Site:
    found = {}
    for key, one in _table(value, where).items():
        if key not in _SITE:
            raise SettingsError(f"{where}: unknown setting {key!r}{_meant(key, _SITE)}")
        found[key.replace("-", "_")] = _SITE[key](one, f"{where}.{key}")
    return Site(**found)


def _jobs(value: Any, where: str) -> tuple[JobGroup, ...]:
    known = ("files", "every-node")
    groups = []
    for table in value if isinstance(value, list) else [value]:
        for key in _table(table, where):
            if key not in known:
                raise SettingsError(f"{where}: unknown setting {key!r}{_meant(key, known)}")
        groups.append(
            JobGroup(*(_texts(table.get(key, []), f"{where}.{key}") for key in known))
        )
    return tuple(groups)


_FIELDS = {"job": "jobs"}
_READERS = {
    "select": _texts,
    "extend-select": _texts,
    "ignore": _texts,
    "per-file-ignores": _ignores,
    "exclude": _texts,
    "fail-on": _severity,
    "unsafe-fixes": _flag,
    "required-version": _text,
    "max-file-size": _number,
    "kinds": _kinds,
    "versions": _versions,
    "site": _site,
    "job": _jobs,
}

assert {_FIELDS.get(k, k.replace("-", "_")) for k in _READERS} <= {f.name for f in fields(Settings)}
