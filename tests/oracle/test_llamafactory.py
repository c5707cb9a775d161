"""cfglint against LLaMA-Factory's own parser, under three pairs of versions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from .llamafactory_bases import BASES
from .oracles import Agreement, lint, mutations, place, python_of, verdicts

pytestmark = pytest.mark.oracle
PAIRS = (("0.9.5", "5.6.0"), ("0.9.4", "4.57.6"), ("0.9.3", "4.52.4"))


def explained(label: str, verdict: dict[str, Any], errors: list[dict[str, Any]]) -> str | None:
    """The reason that docs/agreement.md gives for a kind of disagreement."""
    codes = {error["code"] for error in errors}
    if verdict["verdict"] == "accept":
        if all(code.startswith("DS") for code in codes):
            return "DeepSpeed's own checks come when its engine starts"
        late = ("learning_rate", "pref_loss", "mix_strategy", "optim", "infer_backend")
        if all(any(key in error["message"] for key in late) for error in errors):
            return "found later than the oracle looks"
    message = verdict.get("message", "")
    if "export_dir" in label and "`export_dir`" in message:
        return "which command a file is for shows in its keys alone"
    if "No such file" in message or "Expected a string path" in message:
        return "paths are looked up where the job starts"
    if "model_name_or_path" in label and "`model_name_or_path`" in message:
        return "without the model's key a small file is of no known kind"
    return None


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: "-".join(pair))
def test_mutations(pair: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    overlay = Path(python_of("llamafactory")).parents[1] / "overlays" / "-".join(pair)
    if overlay.exists():
        monkeypatch.setenv("PYTHONPATH", str(overlay))
    cases = [(name, name, command, data) for name, (command, data) in BASES.items()]
    for name, (command, base) in BASES.items():
        cases += [(name, f"{name} {label}", command, data) for label, data in mutations(base)]
    assert len(cases) >= 1000
    files = []
    for number, (_, _, command, data) in enumerate(cases):
        folder = tmp_path / place(number)
        folder.mkdir()
        files.append(folder / "config.yaml")
        text = yaml.safe_dump(data, sort_keys=False)
        files[-1].write_text(f"# {command}\n{text}", encoding="utf-8")
    answers = verdicts("llamafactory", files)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    found = lint(tmp_path, {"llamafactory": pair[0], "transformers": pair[1]})
    agreement = Agreement()
    for number, ((name, label, _, _), answer) in enumerate(zip(cases, answers, strict=True)):
        if label == name:
            assert answer["verdict"] == "accept", answer
        agreement.add(label, answer, found.get(f"{place(number)}/config.yaml", []), explained)
    print(agreement.report())
    assert agreement.share >= 0.97, agreement.report()
