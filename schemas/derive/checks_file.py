"""Fold what symbolic.py read from each release into one file, beside shape.py's sections.

Besides `sections` and `tables` the file then has

- `checks`: a list of checks, each with `since` and `until` where not all releases make it;
- `bound`, `settled`, `enums`: name -> `[{"is": ..., "since": ..., "until": ...}]`, newest first.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from shape import compress, dumps, order

NAMED = ("bound", "settled", "enums")


def spans(versions: list[str], holds: list[str]) -> list[dict[str, str]]:
    """The runs of releases in `holds`, as `since` and `until` (absent at the ends of all)."""
    runs: list[list[str]] = []
    for version in versions:
        if version in holds:
            if runs and versions.index(runs[-1][-1]) == versions.index(version) - 1:
                runs[-1].append(version)
            else:
                runs.append([version])
    made = []
    for run in runs:
        span = {}
        if run[0] != versions[0]:
            span["since"] = run[0]
        if run[-1] != versions[-1]:
            span["until"] = run[-1]
        made.append(span)
    return made


def fold_checks(
    versions: list[str], checks: dict[str, list[dict[str, Any]]]
) -> list[dict[str, Any]]:
    """One list of checks with the releases that make each, in the order the loader makes them."""
    made: dict[str, list[str]] = {}
    for version in reversed(versions):
        for check in checks[version]:
            made.setdefault(json.dumps(check, sort_keys=True), []).append(version)
    return [
        {**json.loads(text), **span}
        for text, holds in made.items()
        for span in spans(versions, holds)
    ]


def fold_named(
    versions: list[str], named: dict[str, dict[str, Any]]
) -> dict[str, list[dict[str, Any]]]:
    """Per name its forms, each with the releases that have it."""
    forms: dict[str, dict[str, list[str]]] = {}
    for version in reversed(versions):
        for name, value in named[version].items():
            forms.setdefault(name, {}).setdefault(json.dumps(value), []).append(version)
    return {
        name: [
            {"is": json.loads(text), **span}
            for text, holds in kinds.items()
            for span in spans(versions, holds)
        ]
        for name, kinds in sorted(forms.items())
    }


def fold(
    package: str, releases: dict[str, dict[str, Any]], replaced: dict[str, str]
) -> dict[str, Any]:
    """The data of the file, from a description of each release."""
    versions = sorted(releases, key=order)
    data = compress(package, releases)
    for key, instead in replaced.items():
        for section in data["sections"].values():
            if key in section["keys"]:
                section["keys"][key]["replaced_by"] = instead
    data["checks"] = fold_checks(versions, {v: r["checks"] for v, r in releases.items()})
    for name in NAMED:
        data[name] = fold_named(versions, {v: r[name] for v, r in releases.items()})
    return data


def expand(data: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The description of each release, back from the file: what `fold` made it of."""
    versions: list[str] = data["versions"]
    releases = {}
    for index, version in enumerate(versions):
        sections = {}
        for name, raw in data["sections"].items():
            form = _form(raw, versions, index)
            if form is not None:
                keys = {k: _form(spec, versions, index) for k, spec in raw["keys"].items()}
                known = {k: _plain(spec) for k, spec in keys.items() if spec is not None}
                sections[name] = {**form, "keys": known}
        tables = {n: _form(t, versions, index) for n, t in data.get("tables", {}).items()}
        releases[version] = {
            "sections": sections,
            "tables": {n: t["values"] for n, t in tables.items() if t is not None},
            "checks": [
                {k: v for k, v in check.items() if k not in ("since", "until")}
                for check in data["checks"]
                if _covers(check, versions, index)
            ],
            **{name: _at(data[name], versions, index) for name in NAMED},
        }
    return releases


def _at(named: dict[str, list[dict[str, Any]]], versions: list[str], index: int) -> dict[str, Any]:
    """What the names of a table stand for in one release."""
    found = {}
    for name, forms in named.items():
        for form in forms:
            if _covers(form, versions, index):
                found[name] = form["is"]
    return found


def _covers(span: dict[str, Any], versions: list[str], index: int) -> bool:
    first = versions.index(span["since"]) if "since" in span else 0
    last = versions.index(span["until"]) if "until" in span else len(versions)
    return first <= index <= last


def _form(raw: dict[str, Any], versions: list[str], index: int) -> dict[str, Any] | None:
    """The attributes that hold in one release, None where it does not know the thing."""
    if not _covers(raw, versions, index):
        return None
    form = {k: v for k, v in raw.items() if k not in ("since", "until", "history", "keys")}
    for older in raw.get("history", ()):
        first, _, last = older["versions"].partition("..")
        if versions.index(first) <= index <= versions.index(last):
            if older.get("missing"):
                return None
            form |= {k: v for k, v in older.items() if k != "versions"}
    return form


def _plain(spec: dict[str, Any]) -> dict[str, Any]:
    """A key's attributes without what is added to the file by hand, absent ones left out; null is
    a default where the type has it."""
    types = spec["type"] if isinstance(spec["type"], list) else [spec["type"]]
    return {
        k: v
        for k, v in spec.items()
        if k != "replaced_by" and (v is not None or (k == "default" and "null" in types))
    }


def text_of(data: dict[str, Any]) -> str:
    """The file's text: one check or name a line."""
    head = dumps({k: v for k, v in data.items() if k not in ("checks", *NAMED)}).rstrip()
    parts = [head.removesuffix("}").rstrip()]
    checks = ",\n".join("  " + json.dumps(check, sort_keys=True) for check in data["checks"])
    parts.append(f' "checks": [\n{checks}\n ]')
    for name in NAMED:
        lines = ",\n".join(
            f"  {json.dumps(k)}: {json.dumps(v, sort_keys=True)}" for k, v in data[name].items()
        )
        parts.append(f' "{name}": {{\n{lines}\n }}')
    return ",\n".join(parts) + "\n}\n"


def write_with_checks(
    package: str, releases: dict[str, dict[str, Any]], target: Path, replaced: dict[str, str]
) -> None:
    """Fold and write."""
    data = fold(package, releases, replaced)
    text = text_of(data)
    assert json.loads(text) == data
    target.write_text(text, encoding="utf-8")
