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


NO_OPTIMIZER = ("requires an optimizer", "must provide optimizer", "DeepSpeedZeRoOffload' object")


def explained(label: str, verdict: dict[str, Any], errors: list[dict[str, Any]]) -> str | None:
    """The reason that docs/agreement.md gives for a kind of disagreement."""
    message = verdict.get("message", "")
    if verdict["verdict"] == "accept":
        if {error["name"] for error in errors} == {"ds-misplaced-key"}:
            return "Keys in the wrong place, ignored in silence"
        return "Late failures" if verdict["stage"] == "operator" else None
    if any(words in message for words in NO_OPTIMIZER):
        return "The optimizer that a program passes"
    if label.endswith(": word") and ("str" in message or "got auto" in message):
        return "auto without a known reader"
    return None


def test_mutations(tmp_path: Path) -> None:
    cases = [(name, name, data) for name, data in BASES.items()]
    changed = [(n, f"{n} {label}", d) for n, b in BASES.items() for label, d in mutations(b)]
    cases += changed[::2]  # each takes a process of its own
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
