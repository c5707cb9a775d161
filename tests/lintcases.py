"""Running cfglint over a folder of a case and comparing with its expect.json.

A case is a folder: input/ (the files), expect.json, and where a repair is due, fixed/ (the files as
they must be after --fix --unsafe-fixes of the case's rule). expect.json:

    {"findings": [{"file": "a.yaml", "line": 3, "topic": "port-hardcoded", "severity": "warning"}],
     "clean": false, "given": ["a.yaml"]}

`given` names the files on the command line; the whole folder is, where it says nothing.
A case in tests/cases/<rule-name>/ speaks of that rule only; "clean" cases hold near misses. Findings
of other rules must be named under "optional" unless they are of severity info. `line` is exact.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cfglint.files import discovery
from cfglint.fixing.fixer import Fixed, fix
from cfglint.registry import lookup
from cfglint.result import Result
from cfglint.rule import Finding
from cfglint.session import Session
from cfglint.settings import Settings, find_file, load

CASES = Path(__file__).parent / "cases"


@dataclass
class Case:
    path: Path

    @property
    def rule(self) -> str:
        return self.path.parent.name

    @property
    def expect(self) -> dict[str, Any]:
        data: dict[str, Any] = json.loads((self.path / "expect.json").read_text())
        return data

    @property
    def fixed(self) -> Path | None:
        folder = self.path / "fixed"
        return folder if folder.is_dir() else None


def all_cases() -> list[Case]:
    return [Case(p.parent) for p in sorted(CASES.glob("*/*/expect.json"))]


def session(tree: Path, given: Sequence[str] = ()) -> Session:
    """A session over a folder or some files of it, with the settings file that may lie in it."""
    found = find_file(tree)
    settings = load(found) if found and tree in found.parents else Settings(root=tree)
    paths = [tree / name for name in given] or [tree]
    return Session(settings, list(discovery.find(paths, root=tree)), tree, tree)


def lint(tree: Path, given: Sequence[str] = ()) -> Result:
    return session(tree, given).lint()


def repair(tree: Path, unsafe: bool = True) -> Fixed:
    """Fix a folder's files in place."""
    one = session(tree)
    fixed = fix(one.lint(), one.lint, unsafe)
    for path, data in fixed.texts.items():
        (tree / path).write_bytes(data)
    return fixed


def copy(case: Case, to: Path) -> Path:
    tree = to / "tree"
    shutil.copytree(case.path / "input", tree)
    return tree


def row(finding: Finding) -> tuple[str, int, str, str]:
    line = finding.document.source.position(finding.span.start)[0]
    return (finding.document.path, line, finding.rule.name, finding.severity.label)


def wanted_rows(expect: dict[str, Any], key: str = "findings") -> list[tuple[str, int, str, str]]:
    return [(f["file"], f["line"], f["topic"], f.get("severity", "")) for f in expect.get(key, [])]


def known(rule: str) -> bool:
    return lookup(rule) is not None
