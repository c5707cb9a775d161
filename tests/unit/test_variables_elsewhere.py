"""What else names or gets a variable decides whether a repair may rename it or take it away."""

from __future__ import annotations

from pathlib import Path

import pytest

from cfglint.text import name_counts
from tests.carriers import CARRIERS, notebook
from tests.running import as_json, cfglint, write

MISSPELT = {"NCCL_SOCKET_IFNAM": "eth0"}
COMMAND = "torchrun --nproc_per_node=2 train.py"


def test_escapes_are_part_of_no_name() -> None:
    assert name_counts(r"a\nNAME=1\tNAME NAMES")["NAME"] == 2


@pytest.mark.parametrize("carrier", ["Makefile", "justfile", "notebook, %env"])
def test_a_variable_that_is_used_elsewhere_keeps_its_name(tmp_path: Path, carrier: str) -> None:
    files = CARRIERS[carrier](COMMAND, MISSPELT)
    if carrier.startswith("notebook"):
        files = notebook("%env NCCL_SOCKET_IFNAM=eth0\n", "!echo $NCCL_SOCKET_IFNAM", f"!{COMMAND}")
    else:
        files = {name: f"{text!s}\techo $$NCCL_SOCKET_IFNAM\n" for name, text in files.items()}
    write(tmp_path, {"train.py": "", **files})
    found = as_json(tmp_path, "--isolated", "--select", "ENV001", ".").data["findings"]
    assert [finding["code"] for finding in found] == ["ENV001"]
    assert cfglint(tmp_path, "--isolated", "--select", "ENV001", "--fix", "-q", ".").code == 1
    for name, text in files.items():
        assert (tmp_path / name).read_text() == text


def test_a_variable_that_mpirun_hands_on_by_name_is_not_half_renamed(tmp_path: Path) -> None:
    text = f"export NCCL_SOCKET_IFNAM=eth0\nmpirun -np 2 -x NCCL_SOCKET_IFNAM {COMMAND}\n"
    write(tmp_path, {"train.py": "", "run.sh": "#!/bin/bash\n" + text})
    run = as_json(tmp_path, "--isolated", "--select", "ENV001", ".")
    assert [finding["fix"] for finding in run.data["findings"]] == [None]


def test_a_variable_that_other_commands_get_is_not_taken_away(tmp_path: Path) -> None:
    text = "export CUDA_VISIBLE_DEVICES=2,3\ndeepspeed --num_gpus 2 train.py\n"
    text += "torchrun --standalone --nproc_per_node=2 train.py\n"
    write(tmp_path, {"train.py": "", "run.sh": "#!/bin/bash\n" + text})
    run = as_json(tmp_path, "--isolated", "--select", "RUN008", ".")
    assert [finding["fix"] for finding in run.data["findings"]] == [None]


def test_a_misspelt_interface_is_one_fault(tmp_path: Path) -> None:
    text = "torchrun --nnodes=2 --node_rank=0 --master_addr=10.0.0.1 --nproc_per_node=2 train.py\n"
    write(tmp_path, {"train.py": "", "run.sh": f"#!/bin/bash\nexport NCCL_SOCKET_IFNAM=e0\n{text}"})
    run = as_json(tmp_path, "--isolated", "--select", "ENV001,NET003", ".")
    assert [finding["code"] for finding in run.data["findings"]] == ["ENV001"]


def test_a_secret_behind_the_blank_of_a_magic_is_masked(tmp_path: Path) -> None:
    key = "".join(f"{n:x}" for n in range(16)) * 2
    write(tmp_path, notebook(f"%env WANDB_API_KEY {key}\n", f"!{COMMAND}"))
    run = cfglint(tmp_path, "--isolated", "--select", "SEC001", ".")
    assert "SEC001" in run.out
    assert key not in run.out


SPOKEN = "export CUDA_VISIBLE_DEVICES=2,3\ndeepspeed --num_gpus 2 train.py\n"
MADE = "train:\n\tdeepspeed --num_gpus 2 train.py\n"
GPUS = "CUDA_VISIBLE_DEVICES := 2,3\n"


@pytest.mark.parametrize(
    ("name", "text", "repaired"),
    [
        ("run.sh", SPOKEN + "python eval.py\n", False),
        ("run.sh", SPOKEN + "$PYTHON eval.py\n", False),
        ("run.sh", f"if true; then\n{SPOKEN}lm_eval --model hf\nfi\n", False),
        ("run.sh", "python prepare.py\n" + SPOKEN + "echo done\npip install x\n", True),
        ("run.sh", SPOKEN + "python -m pip install x\n", True),
        ("run.sh", f"if x; then\n{SPOKEN}else\npython train.py\nfi\n", True),
        ("run.sh", "CUDA_VISIBLE_DEVICES=2,3 deepspeed --num_gpus 2 train.py\npython a.py\n", True),
        ("run.sh", f"run() {{\n{SPOKEN}}}\nrun\n", True),
        ("Makefile", f"export {GPUS}{MADE}eval:\n\tpython eval.py\n", False),
        ("Makefile", f"export {GPUS}{MADE}setup:\n\tpython -m pip install x\n", True),
    ],
)
def test_a_variable_that_plain_programs_may_read_is_not_taken_away(
    tmp_path: Path, name: str, text: str, repaired: bool
) -> None:
    write(tmp_path, {"train.py": "", name: text if name == "Makefile" else f"#!/bin/bash\n{text}"})
    run = as_json(tmp_path, "--isolated", "--select", "RUN008", ".")
    assert [finding["fix"] is not None for finding in run.data["findings"]] == [repaired]
