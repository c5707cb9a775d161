"""Configs that a file spells in its own way: in ConfigMaps, notebooks' cells, steps and recipes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from cfglint.result import Result
from tests.lintcases import lint, repair

DS = """\
{
  "train_micro_batch_size_per_gpu": 4,
  "offload_optimizer": {"device": "cpu"},
  "zero_optimization": {"stage": 2}
}
"""
MISSPELT = """\
{
  "train_micro_batch_size_per_gpu": 4,
  "bf16": {"enabled": true},
  "zero_optimizaton": {"stage": 2}
}
"""
MENDED = '"zero_optimization": {"stage": 2, "offload_optimizer": {"device": "cpu"}}'
ACCELERATE = """\
compute_environment: LOCAL_MACHINE
distributed_type: MULTI_GPU
num_machines: 1
num_processes: 8
mixed_precison: bf16
"""
START = "deepspeed --num_gpus 8 train.py --deepspeed_config ds.json\n"


def indented(text: str, width: int) -> str:
    return "".join(" " * width + line if line.strip() else line for line in text.splitlines(True))


def config_map(name: str, text: str, style: str = "|") -> str:
    head = f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\ndata:\n  {name}: {style}\n"
    return head + indented(text, 4)


def pod(command: list[str]) -> str:
    return (
        "---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: train}\nspec:\n  template:\n"
        "    spec:\n      restartPolicy: Never\n      containers:\n        - name: t\n"
        f"          image: x\n          command: {json.dumps(command)}\n"
        "          volumeMounts: [{name: c, mountPath: /cfg}]\n"
        "      volumes:\n        - name: c\n          configMap: {name: c}\n"
    )


def notebook(*cells: str) -> str:
    made = [
        {"cell_type": "code", "metadata": {}, "outputs": [], "source": cell.splitlines(True)}
        for cell in cells
    ]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1)


def rows(result: Result) -> list[tuple[str, int, str]]:
    return [
        (
            f.rule.code,
            f.document.source.position(f.span.start)[0],
            f.document.source.slice(f.span),
        )
        for f in result.findings
        if f.rule.code[:2] in ("DS", "AC")
    ]


def write(tmp_path: Path, name: str, text: str) -> Path:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return tmp_path


def test_a_config_map(tmp_path: Path) -> None:
    tree = write(tmp_path, "job.yaml", config_map("acc.yaml", ACCELERATE))
    assert rows(lint(tree)) == [("ACC001", 11, "mixed_precison")]
    repair(tree)
    data = yaml.safe_load((tree / "job.yaml").read_text())
    assert data["data"]["acc.yaml"] == ACCELERATE.replace("precison", "precision")


def test_what_a_pod_mounts_is_the_config_of_its_command(tmp_path: Path) -> None:
    start = ["deepspeed", "--num_gpus", "8", "train.py", "--deepspeed_config", "/cfg/ds.json"]
    tree = write(tmp_path, "job.yaml", config_map("ds.json", DS) + pod(start))
    result = lint(tree)
    assert rows(result) == [("DS002", 9, '"offload_optimizer"')]
    (launch,) = (x for x in result.project.launches if x.launcher == "deepspeed")
    assert [r.document and r.document.kind for r in launch.configs] == ["deepspeed"]
    repair(tree)
    first, _ = yaml.safe_load_all((tree / "job.yaml").read_text())
    assert json.loads(first["data"]["ds.json"])["zero_optimization"] == {
        "stage": 2,
        "offload_optimizer": {"device": "cpu"},
    }


def test_another_map_is_not_the_pods(tmp_path: Path) -> None:
    start = ["deepspeed", "--num_gpus", "8", "train.py", "--deepspeed_config", "/cfg/other.json"]
    result = lint(write(tmp_path, "job.yaml", config_map("ds.json", DS) + pod(start)))
    (launch,) = (x for x in result.project.launches if x.launcher == "deepspeed")
    assert [reference.document for reference in launch.configs] == [None]


@pytest.mark.parametrize("style", [">", "|"])
def test_only_what_stands_as_it_is_is_read(tmp_path: Path, style: str) -> None:
    tree = write(tmp_path, "job.yaml", config_map("acc.yaml", ACCELERATE, style))
    assert bool(rows(lint(tree))) == (style == "|")


@pytest.mark.parametrize(
    ("cells", "line"),
    [
        ((f"%%writefile ds.json\n{MISSPELT}", f"!{START}"), 12),
        ((f"%%bash\ncat <<'EOT' > ds.json\n{MISSPELT}EOT\n", f"!{START}"), 13),
        ((f"%%bash\ncat <<'EOT' > ds.json\n{MISSPELT}EOT\n{START}",), 13),
        ((f"%%writefile configs/ds.json\n{MISSPELT}", "!" + START.replace("ds.json", "configs/ds.json")), 12),
    ],
)  # fmt: skip
def test_a_notebook(tmp_path: Path, cells: tuple[str, ...], line: int) -> None:
    tree = write(tmp_path, "train.ipynb", notebook(*cells))
    found = [(code, at) for code, at, _ in rows(lint(tree))]
    assert found == [("DS001", line)]
    repair(tree)
    data = json.loads((tree / "train.ipynb").read_text())
    assert '"zero_optimization": {"stage": 2}' in "".join(data["cells"][0]["source"])
    assert rows(lint(tree)) == []


def test_yaml_in_a_notebook(tmp_path: Path) -> None:
    cells = (
        f"%%writefile acc.yaml\n{ACCELERATE}",
        "!accelerate launch --config_file acc.yaml t.py\n",
    )
    tree = write(tmp_path, "train.ipynb", notebook(*cells))
    assert rows(lint(tree)) == [("ACC001", 13, "mixed_precison")]
    repair(tree)
    data = json.loads((tree / "train.ipynb").read_text())
    assert "".join(data["cells"][0]["source"]).endswith(ACCELERATE.replace("precison", "precision"))


def test_a_notebook_on_one_line(tmp_path: Path) -> None:
    text = json.dumps(json.loads(notebook(f"%%writefile ds.json\n{DS}", f"!{START}")))
    assert rows(lint(write(tmp_path, "train.ipynb", text))) == []  # no lines of its own


@pytest.mark.parametrize("line", ['  "a\\"b": 1,\n', '  "a": "x\\ty",\n'])
def test_escapes_within_escapes_are_left_alone(tmp_path: Path, line: str) -> None:
    text = MISSPELT.replace("{\n", "{\n" + line, 1)
    json.loads(text)
    tree = write(tmp_path, "train.ipynb", notebook(f"%%writefile ds.json\n{text}", f"!{START}"))
    assert [f.rule.code for f in lint(tree).findings if f.rule.code[:2] in ("DS", "SY")] == []


def test_the_command_tells_what_a_far_indented_config_is(tmp_path: Path) -> None:
    start = "accelerate launch --config_file acc.yaml train.py\n"
    config = "mixed_precison: bf16\nmain_process_port: 29501\nnum_processes: 2\n"
    run = indented(f"cat > acc.yaml <<'EOF'\n{config}EOF\n{start}", 12)
    head = "on: push\njobs:\n  train:\n      runs-on: gpu\n      steps:\n        - run: |\n"
    tree = write(tmp_path, ".github/workflows/train.yml", head + run)
    assert [code for code, _, _ in rows(lint(tree))][:1] == ["ACC001"]


def test_a_step(tmp_path: Path) -> None:
    run = indented(f"cat > ds.json <<'EOF'\n{DS}EOF\n{START}", 10)
    head = "on: push\njobs:\n  train:\n    runs-on: gpu\n    steps:\n      - run: |\n"
    tree = write(tmp_path, ".github/workflows/train.yml", head + run)
    assert rows(lint(tree)) == [("DS002", 10, '"offload_optimizer"')]
    repair(tree)
    text = (tree / ".github/workflows/train.yml").read_text()
    assert MENDED in yaml.safe_load(text)["jobs"]["train"]["steps"][0]["run"]


def test_what_is_ignored_there(tmp_path: Path) -> None:
    text = ACCELERATE.replace("bf16", "bf16  # cfglint: ignore[ACC001]")
    assert rows(lint(write(tmp_path, "job.yaml", config_map("acc.yaml", text)))) == []
