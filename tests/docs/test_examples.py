"""Every example on a rule's page is run: the bad files give the finding, the repair gives none."""

from __future__ import annotations

from pathlib import Path

import pytest

from cfglint import registry
from cfglint.explain import pages
from cfglint.registry import RuleModule
from cfglint.result import Result
from tests.lintcases import session

# Pages without an example, because no text shows the fault.
WITHOUT_EXAMPLE = {
    "META000": "a fault of cfglint itself",
    "META002": "it comes of a baseline file and the findings of the whole run",
    "SYN001": "bytes that are not text",
}

# An example need not show every file that it names.
ABOUT_FILES_NOT_SHOWN = ("RUN010", "DS013")


def lint(files: dict[str, str], folder: Path) -> Result:
    for name, text in files.items():
        path = folder / name
        assert path.resolve().is_relative_to(folder), f"{name} leads out of the example"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return session(folder).lint()


def kinds(result: Result) -> str:
    return ", ".join(f"{d.path}: {d.kind or 'no kind'}" for d in result.project.documents)


@pytest.mark.parametrize("module", registry.everything(), ids=lambda m: m.rule.code)
def test_examples(module: RuleModule, tmp_path: Path) -> None:
    code = module.rule.code
    shown = pages.examples(module.page)
    if code in WITHOUT_EXAMPLE:
        assert not shown, f"{code} has an example now"
        return
    assert shown, "the page has no `## Example` with an indented block"
    for number, example in enumerate(shown):
        folder = tmp_path / str(number)
        folder.mkdir()
        bad = lint(example.bad, folder)
        found = [f.rule.code for f in bad.findings]
        assert not bad.crashed
        assert code in found, f"the bad example gives {found or 'nothing'} ({kinds(bad)})"
        if example.repair is None:
            continue
        assert example.repair != example.bad, "the repair is the bad example"
        good = lint(example.repair, folder)
        assert not good.crashed
        left = [
            f
            for f in good.findings
            if f.rule.code == code
            or (f.severity.label == "error" and f.rule.code not in ABOUT_FILES_NOT_SHOWN)
        ]
        assert not left, f"the repair gives {[(f.rule.code, f.message) for f in left]}"
    assert any(example.repair for example in shown), "no block follows a `Repair:` paragraph"


def test_pages_have_their_parts() -> None:
    for module in registry.everything():
        titles = [section.title for section in pages.sections(module.page)]
        lead = pages.sections(module.page)[0]
        assert lead.parts, f"{module.rule.code}: no sentence above the first heading"
        assert any(t.startswith("What it") for t in titles), f"{module.rule.code}: {titles}"
        assert any(t.startswith(("Why", "What to do")) for t in titles), (
            f"{module.rule.code}: {titles}"
        )


def test_name_for() -> None:
    assert pages.name_for('{"a": 1}\n') == "config.json"
    assert pages.name_for("# c\nARG X=1\nFROM a\n") == "Dockerfile"
    assert pages.name_for("services:\n  a: {}\n") == "compose.yaml"
    assert pages.name_for("#!/bin/bash\n#SBATCH -N 2\nsrun x\n") == "job.sbatch"
    assert pages.name_for("host1 slots=8\n") == "hostfile"
    assert pages.name_for("stage: sft\n") == "config.yaml"
    assert pages.name_for("torchrun train.py\n") == "run.sh"


def test_files_of_a_block() -> None:
    block = "=== a/compose.yaml\nservices: {}\n\n=== run.sh ===\ntorchrun \\␠\n  train.py\n"
    assert pages.files(block) == {
        "a/compose.yaml": "services: {}\n",
        "run.sh": "torchrun \\ \n  train.py\n",
    }


def test_repair_keeps_files_it_does_not_name() -> None:
    page = (
        "Lead.\n\n## Example\n\n    === a.yaml\n    x: 1\n    === b.sh\n    true\n\n"
        "Repair: this.\n\n    === a.yaml\n    x: 2\n"
    )
    (example,) = pages.examples(page)
    assert example.bad == {"a.yaml": "x: 1\n", "b.sh": "true\n"}
    assert example.repair == {"a.yaml": "x: 2\n", "b.sh": "true\n"}
