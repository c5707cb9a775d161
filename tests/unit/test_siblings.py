"""Node files of one job of which only some were given."""

from __future__ import annotations

from pathlib import Path

import pytest

from cfglint.result import Result
from cfglint.session import Session
from cfglint.settings import Settings, find_file, load

NODE = """\
compute_environment: LOCAL_MACHINE
distributed_type: MULTI_GPU
num_machines: 2
num_processes: 16
machine_rank: {rank}
main_process_ip: 10.0.0.1
main_process_port: {port}
"""


def node(rank: int, port: int = 29400) -> str:
    return NODE.format(rank=rank, port=port)


def lint(folder: Path, files: dict[str, str], *given: str) -> Result:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    found = find_file(folder)
    settings = load(found) if found and folder in found.parents else Settings(root=folder)
    return Session(settings, [folder / name for name in given], folder, folder).lint()


def findings(result: Result, name: str = "port-disagree") -> list[tuple[str, int, str]]:
    return [
        (f.document.path, f.document.source.position(f.span.start)[0], f.message)
        for f in result.findings
        if f.rule.name == name
    ]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("node0.yaml", "node1.yaml"),
        ("acc/master.yaml", "acc/worker.yaml"),
        ("acc_head.yaml", "acc_worker.yaml"),
        ("node0/accelerate.yaml", "node1/accelerate.yaml"),
        ("master/accelerate.yaml", "worker/accelerate.yaml"),
    ],
)
def test_one_node_given(tmp_path: Path, first: str, second: str) -> None:
    files = {
        first: node(0),
        second: node(1).replace("num_processes: 16", "num_processes: 8"),
    }
    rule = "nodes-disagree"
    both = findings(lint(tmp_path, files, first, second), rule)
    assert [(path, line) for path, line, _ in both] == [(second, 4)]
    assert findings(lint(tmp_path, files, second), rule) == both, "it stands in what is given"
    ((path, line, message),) = findings(lint(tmp_path, files, first), rule)
    assert (path, line) == (first, 4), "else at what it disagrees with"
    assert message == f"{second}:4: {both[0][2]}"


def test_what_is_shown_of_the_other_node(tmp_path: Path) -> None:
    files = {f"node{i}.yaml": node(i, 29400 + i) for i in (0, 1)}
    result = lint(tmp_path, files, "node0.yaml")
    (found,) = (f for f in result.findings if f.rule.name == "port-disagree")
    assert found.fix is None, "nothing may be written into what was not given"
    assert "node1.yaml" in found.no_fix
    assert [(r.document.path, r.span) for r in found.related] == [
        ("node1.yaml", result.project.documents[1].launches[0].settings["master_port"].span)
    ]


def test_nodes_that_agree_and_other_jobs_say_nothing(tmp_path: Path) -> None:
    alike = {f"node{i}.yaml": node(i, 29400) for i in (0, 1)}
    assert findings(lint(tmp_path / "alike", alike, "node0.yaml")) == []
    apart = {
        "node0.yaml": node(0, 29400),
        "other.yaml": node(1, 29401),
    }
    assert findings(lint(tmp_path / "apart", apart, "node0.yaml")) == []


def test_faults_of_the_other_node_alone_stay_there(tmp_path: Path) -> None:
    files = {
        "node0.yaml": node(0, 29400),
        "node1.yaml": node(7, 70000),
    }
    result = lint(tmp_path, files, "node0.yaml")
    assert findings(result, "port-out-of-range") == []
    assert findings(result, "rank-out-of-range") == []


def test_a_job_that_the_settings_name(tmp_path: Path) -> None:
    files = {
        "a.yaml": node(0, 29400),
        "sub/b.yaml": node(1, 29401),
        "cfglint.toml": '[[job]]\nfiles = ["a.yaml", "sub/*.yaml"]\n',
    }
    ((path, line, _),) = findings(lint(tmp_path, files, "a.yaml"))
    assert (path, line) == ("a.yaml", 7)
