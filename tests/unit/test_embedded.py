"""Configs that a script writes by here-documents: read where they stand, mended where they stand."""

from __future__ import annotations

from pathlib import Path

import pytest

from cfglint.result import Result
from tests.lintcases import lint, repair

JSON = """\
{
  "train_micro_batch_size_per_gpu": 4,
  "offload_optimizer": {"device": "cpu"},
  "zero_optimization": {"stage": 2}
}
"""
START = "deepspeed --num_gpus 8 train.py --deepspeed_config ds.json\n"


def script(tmp_path: Path, text: str, name: str = "run.sh") -> Path:
    (tmp_path / name).write_text(text)
    return tmp_path


def codes(result: Result) -> list[tuple[str, int]]:
    return [
        (f.rule.code, f.document.source.position(f.span.start)[0])
        for f in result.findings
        if f.rule.code[:2] in ("DS", "AC")
    ]


@pytest.mark.parametrize(
    ("write", "line"),
    [
        ("#!/bin/bash\ncat > ds.json <<EOF\n{}EOF\n", 5),
        ("cat <<'EOF' > ds.json\n{}EOF\n", 4),
        ("echo é 日本\ntee ./ds.json <<EOF\n{}EOF\n", 5),
    ],
)
def test_findings_stand_in_the_script(tmp_path: Path, write: str, line: int) -> None:
    result = lint(script(tmp_path, write.format(JSON) + START))
    assert codes(result) == [("DS002", line)]
    (document,) = result.project.documents
    found = next(f for f in result.findings if f.rule.code == "DS002")
    assert found.document is document
    assert document.source.slice(found.span).startswith('"offload_optimizer"')


def test_they_are_mended_there(tmp_path: Path) -> None:
    text = f"cat > ds.json <<EOF\n{JSON}EOF\n{START}"
    fixed = repair(script(tmp_path, text))
    after = (tmp_path / "run.sh").read_text()
    assert '"zero_optimization": {"stage": 2, "offload_optimizer": {"device": "cpu"}}' in after
    assert after.endswith("EOF\n" + START)
    assert codes(fixed.result) == []


@pytest.mark.parametrize(
    "text",
    [
        "cat > ds.json <<EOF\n{}EOF\n",  # nothing uses it
        START + "cat > ds.json <<EOF\n{}EOF\n",  # written afterwards
        "cat > ds.json <<EOF\n{}EOF\nsed -i s/cpu/none/ ds.json\n" + START,
        "cat > ds.json <<EOF\n{}EOF\npython tune.py --out ds.json\n" + START,
        "cat > other.json <<EOF\n{}EOF\n" + START,
    ],
)
def test_what_is_not_surely_used_is_not_read(tmp_path: Path, text: str) -> None:
    assert codes(lint(script(tmp_path, text.format(JSON)))) == []


def test_what_the_shell_expands_in_it_is_not_read(tmp_path: Path) -> None:
    body = JSON.replace("4", "$BATCH")
    text = f"cat > ds.json <<EOF\n{body}EOF\n{START}"
    assert codes(lint(script(tmp_path, text))) == []
    (tmp_path / "ds.json").write_text(JSON)  # what lies there is not what is read either
    result = lint(tmp_path)
    assert all(f.document.path == "ds.json" for f in result.findings if f.rule.code == "DS002")


def test_configs_that_name_each_other(tmp_path: Path) -> None:
    text = """\
cat > ds.json <<'EOF'
{"zero_optimization": {"stage": 2}, "train_micro_batch_size_per_gpu": 4}
EOF
cat > acc.yaml <<'EOF'
compute_environment: LOCAL_MACHINE
distributed_type: DEEPSPEED
deepspeed_config:
  deepspeed_config_file: ds.json
  zero_stage: 2
num_machines: 1
num_processes: 8
main_process_port: 70000
EOF
accelerate launch --config_file acc.yaml train.py
"""
    result = lint(script(tmp_path, text))
    assert codes(result) == [("ACC003", 9)]
    assert [f.span for f in result.findings if f.rule.code == "PORT004"]
    assert len(result.project.documents) == 1


def test_a_hostfile_and_a_batch_script(tmp_path: Path) -> None:
    text = """\
#!/bin/bash
#SBATCH --nodes=2
cat > hostfile <<EOF
node1 slots=8
node2 slot=8
EOF
deepspeed --hostfile hostfile train.py
"""
    result = lint(script(tmp_path, text, "job.sbatch"))
    assert [(c, n) for c, n in codes(result)] == [("DS011", 5)]
    repair(tmp_path)
    assert "node2 slots=8\n" in (tmp_path / "job.sbatch").read_text()


def test_a_config_of_a_written_script(tmp_path: Path) -> None:
    text = f"cat > ds.json <<'EOF'\n{JSON}EOF\ncat > go.sh <<'EOF'\n{START}EOF\nbash go.sh\n"
    assert codes(lint(script(tmp_path, text))) == [("DS002", 4)]


def test_a_fix_that_the_writing_shell_would_read(tmp_path: Path) -> None:
    text = """\
cat > acc.yaml <<EOF
compute_environment: LOCAL_MACHINE
distributed_type: MULTI_GPU
num_machines: 1
num_processes: 8
main_process_port: 29501
EOF
accelerate launch --config_file acc.yaml train.py
"""
    repair(script(tmp_path, text))
    after = (tmp_path / "run.sh").read_text()
    assert "main_process_port: 0\n" in after
    assert "$" not in after


FILLED = """\
#!/bin/bash
MICRO_BATCH_SIZE=4
ZERO_STAGE=2
DEVICE=cpu
config_json="./ds_config.$SLURM_JOB_ID.json"
cat <<EOT > $config_json
{
  "train_micro_batch_size_per_gpu": $MICRO_BATCH_SIZE,
  "offload_optimizer": {"device": "$DEVICE"},
  "zero_optimization": {"stage": ${ZERO_STAGE}}
}
EOT
deepspeed --num_gpus 8 train.py --deepspeed_config ${config_json}
"""


def test_what_the_shell_fills_in_is_known(tmp_path: Path) -> None:
    result = lint(script(tmp_path, FILLED))
    assert codes(result) == [("DS002", 9)]
    (inner,) = result.project.documents[0].inner
    text = inner.source.text
    assert '"train_micro_batch_size_per_gpu": 4                ,\n' in text
    assert '{"device": "cpu"    },\n' in text
    assert text.count("\n") == FILLED[: len(text)].count("\n")
    (found,) = (f for f in result.findings if f.rule.code == "DS002")
    assert found.fix is None
    assert "fills in" in found.no_fix
    repair(tmp_path)
    assert (tmp_path / "run.sh").read_text() == FILLED


@pytest.mark.parametrize(
    "text",
    [
        FILLED.replace("ZERO_STAGE=2", "read ZERO_STAGE"),
        FILLED.replace("ZERO_STAGE=2", "ZERO_STAGE=$1"),
        FILLED.replace("ZERO_STAGE=2", "ZERO_STAGE=" + "2" * 40),  # longer than what it replaces
        FILLED.replace("DEVICE=cpu", "DEVICE='c\"u'"),
    ],
)
def test_what_it_fills_in_otherwise_leaves_the_body_unread(tmp_path: Path, text: str) -> None:
    result = lint(script(tmp_path, text))
    assert codes(result) == []
    assert result.project.documents[0].inner == []


SOURCED = """\
cat > env.sh <<EOF
export MASTER_PORT=70000
HOST=$(hostname)
EOF
source ./env.sh
torchrun --master_port $MASTER_PORT --nnodes 1 train.py
"""


def test_variables_of_a_written_file_that_is_sourced(tmp_path: Path) -> None:
    found = [f for f in lint(script(tmp_path, SOURCED)).findings if f.rule.code == "PORT004"]
    assert [SOURCED[f.span.start : f.span.end] for f in found] == ["70000"]
    (launch,) = lint(tmp_path).project.launches
    assert launch.complete, "nothing of what it sources is out of sight"
    changed = SOURCED.replace("source", "sed -i s/7/2/ env.sh\nsource")
    found = [f for f in lint(script(tmp_path, changed)).findings if f.rule.code == "PORT004"]
    assert found == []


def test_comments_in_a_written_config_silence_findings(tmp_path: Path) -> None:
    text = """\
cat > acc.yaml <<'EOF'
distributed_type: MULTI_GPU
num_machines: 1
num_processes: 8
main_process_port: 70000  # cfglint: ignore[PORT004] -- a relay rewrites it
mixed_precision: bf16  # cfglint: ignore[ACC002]
EOF
accelerate launch --config_file acc.yaml train.py
"""
    result = lint(script(tmp_path, text))
    assert [f.rule.code for f in result.suppressed] == ["PORT004"]
    assert [f.rule.code for f in result.findings if f.rule.family == "META"] == ["META001"]


def test_a_config_that_a_function_writes(tmp_path: Path) -> None:
    text = """\
config() {
cat > "$1" <<EOF
compute_environment: LOCAL_MACHINE
distributed_type: MULTI_GPU
num_machines: 1
num_processes: $2
main_process_port: $PORT_OF_JOB
EOF
}
PORT_OF_JOB=70000
config a.yaml 8
PORT_OF_JOB=29501
config b.yaml 4
accelerate launch --config_file a.yaml train.py
accelerate launch --config_file b.yaml train.py
"""
    result = lint(script(tmp_path, text))
    inner = result.project.documents[0].inner
    assert [d.file.name for d in inner] == ["a.yaml", "b.yaml"]
    ports = [x.settings["master_port"].text for x in result.project.launches]
    assert ports == ["70000", "29501"]
    assert [f.span for f in result.findings if f.rule.code == "PORT004"] != []


def test_one_turn_of_a_loop_that_writes_a_config(tmp_path: Path) -> None:
    text = """\
for seed in 1 2; do
  cat > sft_$seed.yaml <<EOF
model_name_or_path: models/m
stage: sft
do_train: true
finetuning_type: lora
dataset: demo
template: qwen
output_dir: out/$seed
num_train_epoch: 3
EOF
  llamafactory-cli train sft_${seed}.yaml
done
"""
    result = lint(script(tmp_path, text))
    found = [f for f in result.findings if f.rule.code == "LF001"]
    assert [f.document.source.position(f.span.start)[0] for f in found] == [10]
    repair(tmp_path)
    after = (tmp_path / "run.sh").read_text()
    assert after == text.replace("num_train_epoch:", "num_train_epochs:"), "the rest of it stays"
