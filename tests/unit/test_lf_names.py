"""Repairs of values that other programs call otherwise: which of them are sure."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lintcases import lint

CONFIG = """\
model_name_or_path: /models/base
stage: sft
do_train: true
finetuning_type: lora
template: {}
dataset: identity
output_dir: out
"""


@pytest.mark.parametrize(
    ("template", "title", "is_safe"),
    [
        ("qwen2.5", "template: qwen", True),
        ("qwen2_5_vl", "template: qwen2_vl", True),
        ("Qwen3-VL", "template: qwen3_vl", True),
        ("qwen3_vll", "template: qwen3_vl", False),
    ],
)
def test_a_template_of_another_name(
    tmp_path: Path, template: str, title: str, is_safe: bool
) -> None:
    (tmp_path / "requirements.txt").write_text("llamafactory==0.9.5\n")
    (tmp_path / "sft.yaml").write_text(CONFIG.format(template))
    (finding,) = [f for f in lint(tmp_path).findings if f.rule.name == "lf-type"]
    assert finding.fix is not None
    assert (finding.fix.title, finding.fix.safe) == (title, is_safe)
