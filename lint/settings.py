"""The settings: cfglint.toml, or `[tool.cfglint]` in pyproject.toml above the files."""

from __future__ import annotations

import os
import re
from itertools import takewhile
from pathlib import Path
from typing import Any

from cfglint.record import dataclass, field, replace
from cfglint.site import JobGroup, Site

FILE_NAMES = ("cfglint.toml", ".cfglint.toml", "pyproject.toml")


class SettingsError(Exception):
    """Settings that cannot be used; the message names the file, the line, the key and what was
    meant."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything a run can be told. `root` is the folder that globs are relative to.

    `source` is the file they come from; `origins` says for each key (`site.port-range`) in which
    file and line it stands, as `cfglint.toml:3`. What has no origin is a default.
    """

    root: Path = field(default_factory=Path.cwd)
    source: Path | None = None
    select: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    per_file_ignores: dict[str, tuple[str, ...]] = field(default_factory=dict)
    severity: dict[str, str] = field(default_factory=dict)
    exclude: tuple[str, ...] = ()
    fail_on: str = "warning"
    unsafe_fixes: bool = False
    require_reason: bool = False
    baseline: Path | None = None
    required_version: str = ""
    max_file_size: int = 10_000_000
    kinds: dict[str, str] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    site: Site = field(default_factory=Site)
    jobs: tuple[JobGroup, ...] = ()
    origins: dict[str, str] = field(default_factory=dict)


def schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of cfglint.toml."""
    from cfglint import settingkeys

    return settingkeys.schema()


def shown(path: Path) -> str:
    """A path as people type it: relative to where they stand, if it is below."""
    relative = os.path.relpath(path)
    return str(path) if relative.startswith("..") else relative


def find_file(start: Path) -> Path | None:
    """The settings file that holds for a folder: in it or the nearest folder above, not beyond the
    repository.

    Raises SettingsError for something of such a name that is no file, or cannot be looked into.
    """
    for folder in [start, *start.parents]:
        for name in FILE_NAMES:
            path = folder / name
            if holds_settings(path):
                return path
        if os.path.exists(folder / ".git"):  # False where the folder may not be searched
            return None
    return None


def holds_settings(path: Path) -> bool:
    """Whether a file is there and, if it is a pyproject.toml, speaks of cfglint.

    Raises SettingsError as `find_file` does: settings are never passed over in silence.
    """
    if path.name != "pyproject.toml" or not os.path.isfile(path):
        if path.name == "cfglint.toml" and os.path.lexists(path) and not os.path.isfile(path):
            raise SettingsError(
                f"{shown(path)}: the settings are to stand there, and it is no file"
            )
        return os.path.isfile(path)
    try:
        data = path.read_bytes()
    except OSError as problem:
        why = problem.strerror or problem
        raise SettingsError(
            f"{shown(path)}: cannot be read: {why}; --isolated uses no settings"
        ) from None
    # A mention in a comment is no table.
    table = re.compile(rb"^\s*\[+\s*tool\s*\.\s*cfglint\b", re.M)
    return b"cfglint" in data and table.search(data) is not None


def load(path: Path) -> Settings:
    """The settings of a file and of those it extends.

    Raises SettingsError with the file, the line and the key that is wrong.
    """
    from cfglint import settingkeys

    values, origins = _load(path, ())
    values.pop("extend", None)
    for name in ("ignore", "exclude"):
        values[name] = values.get(name, ()) + values.pop(f"extend-{name}", ())
    if "baseline" in values:
        values["baseline"] = Path(values["baseline"])
    if "site" in values:
        values["site"] = settingkeys.site(values["site"])
    if "job" in values:
        values["jobs"] = values.pop("job")
    found = {key.replace("-", "_"): value for key, value in values.items()}
    return replace(Settings(root=path.parent, source=path, origins=origins), **found)


def _load(path: Path, chain: tuple[Path, ...]) -> tuple[dict[str, Any], dict[str, str]]:
    """The read values of a file by key, those that it extends underneath, and where each stands."""
    from cfglint.settingkeys import KEYS, BadValueError, unknown

    real = Path(os.path.realpath(path))
    if real in chain:
        raise SettingsError(f"{shown(path)}: extends itself")
    table, text = _read(path)
    prefix = ("tool", "cfglint") if path.name == "pyproject.toml" else ()
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for name, value in table.items():
        line = line_of(text, (*prefix, name))
        if name not in KEYS:
            raise SettingsError(f"{shown(path)}:{line}: {unknown(name, KEYS)}")
        try:
            values[name] = KEYS[name].read(value)
        except BadValueError as problem:
            line = line_of(text, (*prefix, name, *problem.below))
            where = ".".join((name, *problem.below))
            raise SettingsError(f"{shown(path)}:{line}: {where}: {problem.message}") from None
        if KEYS[name].merge == "table":
            for below in values[name]:
                line = line_of(text, (*prefix, name, below))
                origins[f"{name}.{below}"] = f"{path}:{line}"
        else:
            origins[name] = f"{path}:{line}"
    if "baseline" in values:
        values["baseline"] = str(path.parent / values["baseline"])
    for base in reversed(values.get("extend", ())):
        below = path.parent / os.path.expanduser(base)
        if not below.is_file():
            line = line_of(text, (*prefix, "extend"))
            raise SettingsError(f"{shown(path)}:{line}: extend: no such file: {below}")
        under, under_origins = _load(below, (*chain, real))
        values = _merge(_moved(under, below.parent, path.parent), values)
        origins = under_origins | origins
    return values, origins


def _read(path: Path) -> tuple[dict[str, Any], str]:
    import sys

    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib  # type: ignore[import-not-found,unused-ignore]
    try:
        text = path.read_text(encoding="utf-8")
        data = tomllib.loads(text)
    except OSError as problem:
        raise SettingsError(
            f"{shown(path)}: cannot be read: {problem.strerror or problem}"
        ) from None
    except UnicodeDecodeError as problem:
        raise SettingsError(f"{shown(path)}: {problem}") from None
    except tomllib.TOMLDecodeError as problem:
        raise SettingsError(f"{shown(path)}: not valid TOML: {problem}") from None
    if path.name == "pyproject.toml":
        for key in ("tool", "cfglint"):
            data = data.get(key, {})
            if not isinstance(data, dict):
                raise SettingsError(f"{shown(path)}: {key} is no table")
    return data, text


def _merge(under: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    from cfglint.settingkeys import KEYS

    merged = dict(under)
    for name, value in over.items():
        how = KEYS[name].merge
        if name in under and how == "add":
            merged[name] = under[name] + value
        elif name in under and how == "table":
            merged[name] = {**under[name], **value}
        else:
            merged[name] = value
    return merged


def _moved(values: dict[str, Any], old: Path, new: Path) -> dict[str, Any]:
    """Values of a file in the folder `old`, their globs relative to the folder `new`."""
    result = dict(values)
    for name in ("exclude", "extend-exclude"):
        if name in result:
            result[name] = tuple(_glob(one, old, new) for one in result[name])
    for name in ("per-file-ignores", "kinds"):
        if name in result:
            result[name] = {_glob(glob, old, new): one for glob, one in result[name].items()}
    return result


def _glob(glob: str, old: Path, new: Path) -> str:
    if "/" not in glob.rstrip("/") or glob.startswith("**/") or os.path.isabs(glob):
        return glob
    moved = os.path.relpath(os.path.abspath(old / glob), os.path.abspath(new))
    return moved.replace(os.sep, "/")


_HEADER = r"\s*\[\[?\s*(.+?)\s*\]\]?\s*(?:#.*)?$"
_PART = r"""\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([A-Za-z0-9_-]+))\s*(\.|=|$)"""


def line_of(text: str, keys: tuple[str, ...]) -> int:
    """The line (from 1) of a TOML text where a key stands, else where the table it is in begins."""
    table: tuple[str, ...] = ()
    best, depth = 1, 0
    for number, line in enumerate(text.split("\n"), 1):
        header = re.match(_HEADER, line)
        if header:
            table = _parts(header[1])
            here = table
        else:
            words = _parts(line)
            if not words:
                continue
            here = (*table, *words)
        pairs = zip(here, keys, strict=False)
        shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        if shared == len(keys) and len(here) >= len(keys):
            return number
        if shared > depth and shared == len(here):
            best, depth = number, shared
    return best


def _parts(text: str) -> tuple[str, ...]:
    """The dotted key at the beginning of a text."""
    words: list[str] = []
    part = re.compile(_PART)
    at = 0
    while True:
        match = part.match(text, at)
        if match is None:
            return ()
        words.append(next(group for group in match.groups()[:3] if group is not None))
        at = match.end()
        if match[4] != ".":
            return tuple(words)
