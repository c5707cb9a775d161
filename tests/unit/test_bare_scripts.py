"""Files without an ending or a first line `#!`: launch scripts, and what only looks like one."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from cfglint.files import discovery
from cfglint.files.bare_scripts import HEAD, is_launch_script
from cfglint.files.loading import from_bytes

SCRIPTS = [
    "torchrun --nproc_per_node=2 train.py\n",
    "# both GPUs\nexport CUDA_VISIBLE_DEVICES=0,1\nPORT=29500\n\naccelerate launch train.py\n",
    "ARGS=(\n  --lr 1e-4\n)\nNCCL_DEBUG=INFO torchrun \\\n  --standalone train.py ${ARGS[@]}\n",
    "set -e\nif [ -z $N ]; then\n  N=2\nfi\nnohup deepspeed --num_gpus $N train.py > log 2>&1 &\n",
    "cat > c.yaml <<EOF\nsome: text here\nEOF\nllamafactory-cli train c.yaml\n",
    "run() {\n  srun --nodes=2 bash node.sh\n}\nrun\n",
    "python -m torch.distributed.run --nproc_per_node=2 train.py\n",
]
OTHERS = [
    "Training\n========\n\ntorchrun --nproc_per_node=2 train.py\n",
    "To train, run\n\n    torchrun --nproc_per_node=2 train.py\n",
    "set the port, then:\ntorchrun --nproc_per_node=2 train.py\n",
    "torchrun --nproc_per_node=2 train.py\nW1129 12:00:00 torch/distributed/run.py:766]\n",
    "+ torchrun --nproc_per_node=2 train.py\n",
    "user@host:~$ torchrun --nproc_per_node=2 train.py\n",
    "export A=1\npython prepare.py\n",
    "torchrun\naccelerate\ndeepspeed\n",
    "train:\n\ttorchrun train.py\n",
    '{"cmd": "torchrun train.py"}\n',
]


@pytest.mark.parametrize("text", SCRIPTS)
def test_scripts(text: str) -> None:
    assert is_launch_script(text)
    assert from_bytes(text.encode(), "train", Path("train")).kind == "script"


@pytest.mark.parametrize("text", OTHERS)
def test_others(text: str) -> None:
    assert not is_launch_script(text)
    assert from_bytes(text.encode(), "train", Path("train")).kind is None


def test_a_walk_takes_the_scripts(tmp_path: Path) -> None:
    files = {"train": SCRIPTS[0], "README": OTHERS[0], "log": OTHERS[3], "notes.txt": SCRIPTS[0]}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "model").write_bytes(b"\x00\xfftorchrun train.py\n")
    assert [path.name for path in discovery.find([tmp_path])] == ["train"]


def test_a_long_script_counts_by_its_beginning(tmp_path: Path) -> None:
    text = SCRIPTS[1] + "echo a line that is not over at the end of what is read\n" * HEAD
    (tmp_path / "train").write_text(text)
    assert [path.name for path in discovery.find([tmp_path])] == ["train"]
    assert from_bytes(text.encode(), "train", Path("train")).kind == "script"


def test_it_takes_no_time() -> None:
    started = time.process_time()
    for text in ("A=" * HEAD, "A=a " * HEAD + '"', "A=$(" * HEAD, "env " * HEAD, "x" * HEAD):
        is_launch_script(f"torchrun x\n{text}")
        is_launch_script(f"{text} torchrun x\n")
    assert time.process_time() - started < 2
