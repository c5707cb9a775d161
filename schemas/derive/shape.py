"""The shape of the data files in schemas/, and the way from one description per release to it.

A derive script describes each release on its own, as plain sections of keys; `compress` folds
these into one description with the first and last release that knows each key and what was
different in between. A file looks like this (keys sorted, absent attributes left out)::

    {"package": "accelerate", "versions": ["0.27.0", ..., "1.15.0"],
     "sections": {"": {"unknown": "refuse", "keys": {"num_machines": {"type": "int", ...}}},
                  "fsdp_config": {"unknown": "ignore", "prefix": "fsdp_", "keys": {...}}},
     "tables": {"truth_words": {"values": [...]}}}

`""` is the top of the file; a dotted name is a mapping inside it. A name with a leading `@` is
another form that the whole file can take, `when` a key of it has one of some values. `unknown`
says what the real loader does with a key it does not know: `refuse` or `ignore`.

Attributes of a key, all optional:

- `type`: what the value may be once the format's own reader has typed it; a name or a list of
  `bool`, `int` (neither true nor 8.0), `number`, `str`, `list`, `mapping`, `null`, `any`, and of
  the strings that the loader converts: `int_text`, `number_text`, `truth_text`;
  `whole` is an int or a float like 8.0, `never` no value at all.
- `auto`: the string "auto" may stand here (of a section: in every key, unknown ones too).
- `refused`: the key itself is, whatever its value. `checked`: its value is looked at when the file
  is loaded, although its section ignores unknown keys.
- `choices`: they bind every value whose type occurs among them. `fold`: in any letter case.
- `min`, `max` (inclusive), `above`, `below` (exclusive): bounds of numbers.
- `pattern`: what a string must match. `items`, `length`: of a list. `values`: of a mapping with
  free keys.
- `default`, `required`, `unread` (nothing reads it), `deprecated`.
- `replaced_by`, `aliases`: other names of it.
- `since`, `until`: the first and last release that knows it, absent where that is the oldest or
  newest one described.
- `history`: `[{"versions": "a..b", attribute: value in these releases, or null where absent}]`;
  `"missing": true` where a release in between does not know it.

Sections and tables have `since`, `until` and `history` of their own.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

Spec = dict[str, Any]
Release = dict[str, Any]
"""`{"sections": {name: {"unknown": ..., "keys": {key: Spec}}}, "tables": {name: [values]}}`"""


def order(version: str) -> tuple[tuple[int, int | str], ...]:
    """A sort key for release numbers."""
    return tuple((0, int(p)) if p.isdigit() else (1, p) for p in re.findall(r"\d+|[a-z]+", version))


def compress(package: str, releases: dict[str, Release]) -> dict[str, Any]:
    """One description of all releases from one description of each."""
    versions = sorted(releases, key=order)
    names = sorted({name for r in releases.values() for name in r["sections"]})
    sections = {}
    for name in names:
        known = [v for v in versions if name in releases[v]["sections"]]
        forms = {v: releases[v]["sections"][name] for v in known}
        attributes = {v: {k: x for k, x in f.items() if k != "keys"} for v, f in forms.items()}
        section = _fold(versions, attributes)
        section["keys"] = {
            key: _fold(versions, {v: f["keys"][key] for v, f in forms.items() if key in f["keys"]})
            for key in sorted({key for f in forms.values() for key in f["keys"]})
        }
        sections[name] = section
    tables = {
        name: _fold(
            versions,
            {
                v: {"values": r["tables"][name]}
                for v, r in releases.items()
                if name in r.get("tables", {})
            },
        )
        for name in sorted({name for r in releases.values() for name in r.get("tables", {})})
    }
    data: dict[str, Any] = {"package": package, "versions": versions, "sections": sections}
    if tables:
        data["tables"] = tables
    return data


def _fold(versions: list[str], forms: dict[str, Spec]) -> Spec:
    """The newest form, with the life span and the older forms that differ from it."""
    known = [v for v in versions if v in forms]
    base = dict(forms[known[-1]])
    if known[0] != versions[0]:
        base["since"] = known[0]
    if known[-1] != versions[-1]:
        base["until"] = known[-1]
    history: list[Spec] = []
    newest = forms[known[-1]]
    at = 0
    while at < len(known):
        form, end = forms[known[at]], at
        while end + 1 < len(known) and forms[known[end + 1]] == form:
            end += 1
        if form != newest:
            names = sorted(set(form) | set(newest))
            differs = {n: form.get(n) for n in names if form.get(n) != newest.get(n)}
            history.append({"versions": f"{known[at]}..{known[end]}", **differs})
        at = end + 1
    between = versions[versions.index(known[0]) : versions.index(known[-1])]
    gap: list[str] = []
    for version in [*between, known[-1]]:
        if version not in forms:
            gap.append(version)
        elif gap:
            history.append({"versions": f"{gap[0]}..{gap[-1]}", "missing": True})
            gap = []
    if history:
        base["history"] = history
    return dict(sorted(base.items()))


def dumps(data: dict[str, Any]) -> str:
    """The file's text: one key a line, so that a new release makes a diff that can be read."""
    head = {k: v for k, v in data.items() if k not in ("sections", "tables")}
    lines = ["{"]
    lines += [f" {json.dumps(k)}: {json.dumps(v)}," for k, v in head.items()]
    lines.append(' "sections": {')
    sections = list(data["sections"].items())
    for i, (name, section) in enumerate(sections):
        rest = {k: v for k, v in section.items() if k != "keys"}
        opening = json.dumps(rest, sort_keys=True)[:-1]
        lines.append(f'  {json.dumps(name)}: {opening}{", " if rest else ""}"keys": {{')
        keys = list(section["keys"].items())
        for j, (key, spec) in enumerate(keys):
            comma = "," if j + 1 < len(keys) else ""
            lines.append(f"   {json.dumps(key)}: {json.dumps(spec, sort_keys=True)}{comma}")
        lines.append("  }}" + ("," if i + 1 < len(sections) else ""))
    tables = list(data.get("tables", {}).items())
    if tables:
        lines.append(' },\n "tables": {')
        for i, (name, table) in enumerate(tables):
            comma = "," if i + 1 < len(tables) else ""
            lines.append(f"  {json.dumps(name)}: {json.dumps(table, sort_keys=True)}{comma}")
    lines += [" }", "}"]
    return "\n".join(lines) + "\n"


def write(data: dict[str, Any], path: Path) -> None:
    """Write a data file."""
    text = dumps(data)
    assert json.loads(text) == data
    path.write_text(text, encoding="utf-8")
