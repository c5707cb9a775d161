"""sbatch scripts: directives, the allocation, and what srun makes of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from cfglint.model.document import Document
from cfglint.model.launch import Launch
from cfglint.model.values import Literal
from cfglint.readers import slurm
from cfglint.text import SourceText


def read(text: str) -> Document:
    document = Document("job.sbatch", Path("job.sbatch"), SourceText(text), kind="slurm")
    slurm.read(document)
    return document


def launch(text: str) -> Launch:
    (found,) = read(text).launches
    return found


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("#SBATCH --nodes=2", [("nodes", "2")]),
        ("#SBATCH --nodes 2", [("nodes", "2")]),
        ("#SBATCH -N 2 -n4", [("nodes", "2"), ("tasks", "4")]),
        ("#SBATCH --exclusive --gres=gpu:8", [("exclusive", ""), ("gres", "gpu:8")]),
        ('#SBATCH --job-name="a b"  # why', [("job_name", "a b")]),
        ("#SBATCH --output=%x-%j.out", [("output", "%x-%j.out")]),
        ("##SBATCH --nodes=2", []),
        ("# SBATCH --nodes=2", []),
    ],
)
def test_directives(line: str, expected: list[tuple[str, str]]) -> None:
    text = f"#!/bin/bash\n{line}\nsrun hostname\n"
    found = slurm.directives(Document("j", Path("j"), SourceText(text)))
    assert [(s.name, s.text) for s in found] == expected
    for setting in found:
        if setting.text:
            assert text[setting.span.start : setting.span.end] == setting.text


def test_allocation_reaches_srun() -> None:
    text = "#!/bin/bash\n#SBATCH --nodes=4\n#SBATCH --ntasks-per-node=8\nsrun {}torchrun x.py\n"
    whole = launch(text.format(""))
    assert whole.nodes is not None
    assert whole.nodes.number == 4
    assert whole.settings["tasks_per_node"].number == 8
    step = launch(text.format("-N1 -n1 "))
    assert (step.nodes, step.tasks) == (None, 1)
    alone = launch("#!/bin/bash\n#SBATCH --nodes=4\ntorchrun x.py\n")
    assert alone.nodes is None


def test_slurm_tells_the_job_its_size() -> None:
    one = launch("#!/bin/bash\n#SBATCH -N 4\nsrun torchrun --nnodes=$SLURM_NNODES x.py\n")
    assert one.settings["nnodes"].value == Literal("4")
    assert one.is_multinode
    assert one.settings["nnodes"].write("2") is None, "Slurm sets it"


def test_directives_below_a_command_do_not_count() -> None:
    late = read("#!/bin/bash\nset -e\n#SBATCH --nodes=4\nsrun torchrun x.py\n")
    assert late.launches[0].nodes is None


def test_directives_in_a_here_document_are_none_of_ours() -> None:
    text = "#!/bin/bash\n#SBATCH -N 1\ncat > b.sh <<EOF\n#SBATCH -N 4\nEOF\ntorchrun x.py\n"
    assert [s.text for s in read(text).batches[0].directives] == ["1"]


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ("--gres=gpu:8", 8),
        ("--gres=gpu:a100:4,nvme:1", 4),
        ("--gpus-per-node=h100:2", 2),
        ("--nodes=1 --gpus=3", 3),
        ("--nodes=2 --gpus=4", None),
        ("--gres=nvme:1", None),
    ],
)
def test_gpus_of_a_node(line: str, count: int | None) -> None:
    one = launch(f"#!/bin/bash\n#SBATCH {line}\ntorchrun --nproc_per_node=8 x.py\n")
    given = one.get("gpus_per_node")
    assert (given.number if given is not None else None) == count
