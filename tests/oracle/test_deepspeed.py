"""cfglint against DeepSpeed's loader and engine, on mutations of good files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from .deepspeed_bases import BASES
from .oracles import Agreement, lint, mutations, place, verdicts

pytestmark = pytest.mark.oracle
VERSIONS = {"deepspeed": "0.19.8"}


def explained(label: str, verdict: dict[str, Any], errors: list[dict[str, Any]]) -> str | None:
    """The reason that docs/agreement.md gives for a kind of disagreement."""
    names = {error["name"] for error in errors}
    if verdict["verdict"] == "accept" and names == {"ds-misplaced-key"}:
        return "misplaced keys at the top"
    if verdict["verdict"] == "accept" and verdict["stage"] == "load":
        return "late failures"
    refused = verdict["verdict"] == "reject" and "optimizer" in verdict.get("message", "")
    if refused and not errors and "optimi" in label:
        return "the optimizer that a program passes"
    return None


def test_mutations(tmp_path: Path) -> None:
    cases = [(name, name, data) for name, data in BASES.items()]
    cases += [(n, f"{n} {label}", d) for n, b in BASES.items() for label, d in mutations(b)]
    files = []
    for number, (_, _, data) in enumerate(cases):
        folder = tmp_path / place(number)
        folder.mkdir()
        files.append(folder / "ds_config.json")
        files[-1].write_text(json.dumps(data, indent=2), encoding="utf-8")
    assert len(files) >= 1000
    answers = verdicts("deepspeed", files)
    for (name, label, _), answer in zip(cases, answers, strict=True):
        if label == name:
            assert answer["verdict"] == "accept", answer
    found = lint(tmp_path, VERSIONS)
    agreement = Agreement()
    for number, ((_, label, _), answer) in enumerate(zip(cases, answers, strict=True)):
        agreement.add(label, answer, found.get(f"{place(number)}/ds_config.json", []), explained)
    print(agreement.report())
    assert agreement.share >= 0.97, agreement.report()
