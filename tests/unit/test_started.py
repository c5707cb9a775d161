"""Scripts that other scripts start: whose launches they are, and as what they run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cfglint.jobs import started
from cfglint.model.document import Document
from cfglint.model.launch import Launch
from cfglint.model.values import default_literal
from cfglint.project import Project
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


def test_commands_of_a_notebook_start_scripts(tmp_path: Path) -> None:
    cell = {"cell_type": "code", "source": ["%env GPUS=8\n", "!bash job.sh $GPUS"]}
    (tmp_path / "run.ipynb").write_text(json.dumps({"nbformat": 4, "cells": [cell]}))
    found = launches(tmp_path, job=JOB)
    assert values(found, "nproc_per_node") == ["8"]
    assert found[0].started_in.path == "run.ipynb"


def test_a_caller_knows_what_it_sources(tmp_path: Path) -> None:
    found = launches(tmp_path, all="source env.sh\nbash job.sh $GPUS\n", env="GPUS=8\n", job=JOB)
    assert values(found, "nproc_per_node") == ["8"]


def test_of_two_scripts_of_one_name_the_one_that_the_path_leads_to(tmp_path: Path) -> None:
    for folder, count in ("a", 2), ("b", 4):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "job.sh").write_text(JOB.replace("$1", f"${{1:-{count}}}"))
    found = launches(tmp_path, all="bash b/job.sh\ncd a; ./job.sh\n")
    by_folder = sorted((x.document.path, x.is_started) for x in found)
    assert by_folder == [("a/job.sh", True), ("b/job.sh", True)]
    assert sorted(map(str, values(found, "nproc_per_node"))) == ["2", "4"]


def test_of_two_scripts_of_one_name_none_behind_a_variable(tmp_path: Path) -> None:
    for folder in "a", "b":
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "job.sh").write_text(JOB.replace("$1", "2"))
    found = launches(tmp_path, all="bash $FOLDER/job.sh\n")
    assert [x.is_started for x in found] == [False, False]


def test_what_a_given_file_starts_is_read(tmp_path: Path) -> None:
    (tmp_path / "job.sh").write_text(JOB)
    (tmp_path / "mid.sh").write_text("bash job.sh $1\n")
    (tmp_path / "Makefile").write_text("train:\n\tbash mid.sh 8\n")
    found = session(tmp_path, ["Makefile"]).lint().project.launches
    assert values(found, "nproc_per_node") == ["8"]
    assert found[0].started_in.path == "Makefile"


def test_a_cause_in_the_caller_is_told_there(tmp_path: Path) -> None:
    (tmp_path / "job.sh").write_text(JOB.replace("$1", "8"))
    (tmp_path / "all.sh").write_text("export CUDA_VISIBLE_DEVICES=0,1\nbash job.sh\n")
    told = [f for f in session(tmp_path, ["all.sh"]).lint().findings if f.rule.code == "TOPO007"]
    assert [(f.document.path, f.message.partition(": ")[0]) for f in told] == [
        ("all.sh", "job.sh:1")
    ]
    assert [(r.document.path, r.message) for r in told[0].related] == [
        ("job.sh", "the script that it starts")
    ]


def test_only_scripts_that_lead_to_a_job_are_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = "".join(f"bash local/step{n}.sh\n" for n in range(9))
    for recipe in range(5):  # each `run.sh` and each step is called as the others are
        local = tmp_path / f"r{recipe}" / "local"
        local.mkdir(parents=True)
        (local.parent / "run.sh").write_text(steps)
        for n in range(9):
            (local / f"step{n}.sh").write_text(f"# see ../../run.sh\nbash local/step{n + 1}.sh\n")
    (tmp_path / "r3" / "local" / "step4.sh").write_text(JOB.replace("$1", "2"))
    followed = []
    follow = started._launches

    def seen(project: Project, caller: Document, *rest: Any) -> list[Launch]:
        followed.append(caller.path)
        return follow(project, caller, *rest)

    monkeypatch.setattr(started, "_launches", seen)
    found = launches(tmp_path)
    assert sorted(followed) == [f"r3/local/step{n}.sh" for n in range(4)] + ["r3/run.sh"]
    assert {(x.document.path, x.started_in.path) for x in found if x.is_started} == {
        ("r3/local/step4.sh", "r3/run.sh")
    }


def test_a_script_beyond_a_folder_in_a_variable_is_followed(tmp_path: Path) -> None:
    (tmp_path / "r0").mkdir()
    (tmp_path / "r0" / "all.sh").write_text("echo\n")
    found = launches(tmp_path, all="HERE=.\nbash $HERE/mid.sh 8\n", mid="./job.sh $1\n", job=JOB)
    assert values(found, "nproc_per_node") == ["8"]


def test_a_script_in_a_copy_of_the_tree_is_followed(tmp_path: Path) -> None:
    (tmp_path / "r0").mkdir()
    (tmp_path / "r0" / "all.sh").write_text("echo\n")
    found = launches(tmp_path, all="bash /scratch/$ID/copy/job.sh 8\n", job=JOB)
    assert values(found, "nproc_per_node") == ["8"]
