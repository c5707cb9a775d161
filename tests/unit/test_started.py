"""Scripts that other scripts start: whose launches they are, and as what they run."""

from __future__ import annotations

from pathlib import Path

from cfglint.model.launch import Launch
from cfglint.model.values import default_literal
from tests.lintcases import session


def launches(tmp_path: Path, **scripts: str) -> list[Launch]:
    for name, text in scripts.items():
        (tmp_path / f"{name}.sh").write_text(text)
    return session(tmp_path).lint().project.launches


def values(found: list[Launch], name: str) -> list[str | None]:
    return [default_literal(x.settings[name].value) for x in found]


JOB = "torchrun --standalone --nproc_per_node=$1 train.py\n"


def test_each_start_is_a_launch_with_its_arguments(tmp_path: Path) -> None:
    found = launches(tmp_path, all="bash job.sh 2\nbash job.sh 4\n", job=JOB)
    assert values(found, "nproc_per_node") == ["2", "4"]
    assert {x.document.path for x in found} == {"job.sh"}
    assert {x.started_in.path for x in found} == {"all.sh"}


def test_a_script_that_nothing_starts_is_by_itself(tmp_path: Path) -> None:
    found = launches(tmp_path, other="echo job.sh\n", job=JOB)
    assert len(found) == 1
    assert not found[0].is_started


def test_scripts_start_scripts(tmp_path: Path) -> None:
    found = launches(tmp_path, all="bash mid.sh 8\n", mid="bash job.sh $1\n", job=JOB)
    assert values(found, "nproc_per_node") == ["8"]
    assert found[0].started_in.path == "all.sh"


def test_scripts_in_a_circle(tmp_path: Path) -> None:
    found = launches(tmp_path, a="bash b.sh\n", b="bash a.sh\n" + JOB.replace("$1", "2"))
    assert values(found, "nproc_per_node") == ["2"]


def test_a_container_around_a_script(tmp_path: Path) -> None:
    text = "docker run --gpus all train:1 bash job.sh 2\n"
    found = launches(tmp_path, all=text, job=JOB)
    boxed, own = sorted(found, key=lambda x: x.container is None)
    assert boxed.document.path == "all.sh"
    assert boxed.container is not None
    assert own.document.path == "job.sh"
    assert not own.complete
