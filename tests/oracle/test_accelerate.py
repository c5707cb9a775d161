"""cfglint against accelerate's loader, launcher and Accelerator(), on mutations of good files."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from cfglint.accelerate.config import AccelerateConfig
from cfglint.accelerate.values import exception_of
from cfglint.model.document import Document
from cfglint.model.tree import Mapping
from cfglint.releases.versions import Version
from cfglint.syntax.yaml import parse
from cfglint.text import decode

from .accelerate_bases import BASES, DEEPSPEED_FILE
from .oracles import Agreement, lint, mutations, overlay_of, place, verdicts

pytestmark = pytest.mark.oracle
NEWEST = "1.15.0"
# Faults that show only when other machines join: the oracle has none. docs/agreement.md
RENDEZVOUS = {"ADDR005", "ADDR006", "TOPO002", "TOPO006", "PORT004"}


def explained(label: str, verdict: dict[str, Any], errors: list[dict[str, Any]]) -> str | None:
    """The heading in docs/agreement.md that gives the reason for a disagreement."""
    if errors and {error["code"] for error in errors} <= RENDEZVOUS:
        return "what only other machines show"
    if errors and errors[0]["code"] == "DS013":
        return "a DeepSpeed file that is not there"
    if "invalid literal for int() with base 10: 'auto'" in verdict.get("message", ""):
        return "gradient_accumulation_steps: auto"
    return None


def cases(step: int = 1) -> list[tuple[str, dict[str, Any]]]:
    """The good files, and every `step`-th of their mutations."""
    made = [(name, data) for name, data in BASES.items()]
    mutated = [(f"{n} {label}", d) for n, b in BASES.items() for label, d in mutations(b)]
    return made + mutated[::step]


def write(root: Path, files: list[tuple[str, dict[str, Any]]]) -> list[Path]:
    """Each config in a folder of its own, with the DeepSpeed file that some name."""
    paths = []
    for number, (_, data) in enumerate(files):
        folder = root / place(number)
        folder.mkdir()
        (folder / "ds.json").write_text(json.dumps(DEEPSPEED_FILE), encoding="utf-8")
        paths.append(folder / "config.yaml")
        paths[-1].write_text(yaml.safe_dump(data, sort_keys=False), encoding="utf-8")
    return paths


@pytest.mark.parametrize(
    ("release", "step", "share"),
    [(NEWEST, 1, 0.97), ("1.10.1", 5, 0.97), ("1.7.0", 5, 0.97), ("0.34.2", 5, 0.97)],
)
def test_mutations(tmp_path: Path, release: str, step: int, share: float) -> None:
    files = cases(step)
    overlay = "" if release == NEWEST else overlay_of("accelerate", release)
    answers = verdicts("accelerate", write(tmp_path, files), overlay)
    if release == NEWEST:
        assert len(files) >= 1000
        assert all(a["verdict"] == "accept" for a in answers[: len(BASES)])
    found = lint(tmp_path, {"accelerate": release, "deepspeed": "0.18.2"})
    agreement = Agreement()
    for number, ((label, _), answer) in enumerate(zip(files, answers, strict=True)):
        errors = found.get(f"{place(number)}/config.yaml", [])
        agreement.add(label, answer, errors, explained)
    print(agreement.report())
    assert agreement.share >= share, agreement.report()
    if release == NEWEST:
        promised = [pair for answer in answers for pair in causes(answer)]
        wrong = [f"{said} / {real}" for said, real in promised if said not in real]
        assert len(promised) > 100
        assert len(wrong) <= 0.05 * len(promised), "\n".join(wrong)


def causes(answer: dict[str, Any]) -> list[tuple[str, str]]:
    """The exceptions that cfglint says a refused file ends in, with the one that it ends in."""
    if answer["verdict"] != "reject":
        return []
    root = parse(decode(Path(answer["file"]).read_bytes())).root
    assert isinstance(root, Mapping)
    document = Document("config.yaml", Path(answer["file"]), decode(b""))
    config = AccelerateConfig(document, root, Version("accelerate", NEWEST, True, ""))
    said = [exception_of(fault) for fault, refused in config.wrong_values() if refused]
    return [(text, answer["message"]) for text in said if text]


def test_real_files(tmp_path: Path) -> None:
    """Every config in the folder that CFGLINT_ORACLE_FILES names (its accelerate/ folder)."""
    folder = Path(os.environ.get("CFGLINT_ORACLE_FILES", ""), "accelerate")
    sources = sorted(p for p in folder.glob("*") if p.suffix in (".yaml", ".yml", ".json"))
    if not sources:
        pytest.skip("CFGLINT_ORACLE_FILES names no folder with an accelerate/ folder in it")
    paths = []
    for number, source in enumerate(sources):
        (tmp_path / place(number)).mkdir()
        paths.append(tmp_path / place(number) / source.name)
        shutil.copyfile(source, paths[-1])
    answers = verdicts("accelerate", paths)
    found = lint(tmp_path, {"accelerate": NEWEST, "deepspeed": "0.18.2"})
    agreement = Agreement()
    for path, answer in zip(paths, answers, strict=True):
        errors = found.get(path.relative_to(tmp_path).as_posix(), [])
        agreement.add(path.name, answer, errors, explained)
    print(agreement.report())
    assert agreement.share >= 0.98, agreement.report()
