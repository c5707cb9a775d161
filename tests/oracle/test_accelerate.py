"""cfglint against accelerate's loader, launcher and Accelerator(), on mutations of good files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from .accelerate_bases import BASES, DEEPSPEED_FILE
from .oracles import Agreement, lint, mutations, place, verdicts

pytestmark = pytest.mark.oracle
VERSIONS = {"accelerate": "1.15.0", "deepspeed": "0.18.2"}


def explained(label: str, verdict: dict[str, Any], errors: list[dict[str, Any]]) -> str | None:
    """The reason that docs/agreement.md gives for a kind of disagreement."""
    return None


def test_mutations(tmp_path: Path) -> None:
    cases = [(name, name, data) for name, data in BASES.items()]
    cases += [(n, f"{n} {label}", d) for n, b in BASES.items() for label, d in mutations(b)]
    files = []
    for number, (_, _, data) in enumerate(cases):
        folder = tmp_path / place(number)
        folder.mkdir()
        (folder / "ds.json").write_text(json.dumps(DEEPSPEED_FILE), encoding="utf-8")
        files.append(folder / "config.yaml")
        files[-1].write_text(yaml.safe_dump(data, sort_keys=False), encoding="utf-8")
    assert len(files) >= 1000
    answers = verdicts("accelerate", files)
    for (name, label, _), answer in zip(cases, answers, strict=True):
        if label == name:
            assert answer["verdict"] == "accept", answer
    found = lint(tmp_path, VERSIONS)
    agreement = Agreement()
    for number, ((_, label, _), answer) in enumerate(zip(cases, answers, strict=True)):
        agreement.add(label, answer, found.get(f"{place(number)}/config.yaml", []), explained)
    print(agreement.report())
    assert agreement.share >= 0.97, agreement.report()
