"""`--since`: what a change brings, in the lines it touches and elsewhere."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from cfglint import registry
from cfglint.adoption import since
from cfglint.adoption.since import changed_lines
from cfglint.project import Project
from cfglint.registry import RuleModule
from cfglint.rule import WARNING, Finding, Rule
from tests.commandline import BAD, CLEAN, cfglint, commit, git, places, repository, tree

USE = ("--since", "main", "--output-format", "concise")
NODE = """\
compute_environment: LOCAL_MACHINE
distributed_type: MULTI_GPU
machine_rank: {rank}
main_process_ip: 10.0.0.1
main_process_port: 20500
num_machines: 2
num_processes: 16
"""
START = "#!/bin/bash\naccelerate launch --config_file conf.yaml train.py\n"


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A repository with a fault on main, on a branch of its own."""
    folder = repository(tmp_path / "repo", {"a.yaml": BAD, "b.yaml": CLEAN, "train.py": ""})
    git(folder, "checkout", "-q", "-b", "work")
    return folder


def test_nothing_changed_nothing_reported(old: Path) -> None:
    run = cfglint(old, *USE)
    assert run.code == 0
    assert "1 more outside of what changed since main." in run.out


def test_a_changed_line(old: Path) -> None:
    tree(old, {"b.yaml": CLEAN + "main_process_port: 70001\n"})
    assert places(cfglint(old, *USE)) == ["b.yaml:5 PORT004"]
    commit(old, "change")
    assert places(cfglint(old, *USE)) == ["b.yaml:5 PORT004"]


def test_another_line_of_the_file(old: Path) -> None:
    tree(old, {"a.yaml": "# said anew\n" + BAD.replace("num_processes: 8", "num_processes: 4")})
    assert cfglint(old, *USE).code == 0


def test_a_new_file(old: Path) -> None:
    tree(old, {"sub/new.yaml": BAD})
    assert places(cfglint(old, *USE)) == ["sub/new.yaml:5 PORT004"]
    commit(old, "change")
    assert places(cfglint(old, *USE)) == ["sub/new.yaml:5 PORT004"]


def test_a_renamed_file_is_not_new(old: Path) -> None:
    git(old, "mv", "a.yaml", "c.yaml")
    assert cfglint(old, *USE).code == 0
    tree(old, {"c.yaml": BAD.replace("num_processes: 8", "num_processes: 4")})
    assert cfglint(old, *USE).code == 0


def test_since_the_branch_left(old: Path) -> None:
    """What main has got meanwhile is no change of the branch."""
    tree(old, {"b.yaml": CLEAN + "main_process_port: 70001\n"})
    commit(old, "on the branch")
    git(old, "checkout", "-q", "main")
    tree(old, {"a.yaml": CLEAN})
    commit(old, "main goes on")
    git(old, "checkout", "-q", "work")
    assert places(cfglint(old, *USE)) == ["b.yaml:5 PORT004"]


def test_a_related_place_counts(tmp_path: Path) -> None:
    files = {f"node{rank}.yaml": NODE.format(rank=rank) for rank in (0, 1)}
    folder = repository(tmp_path / "repo", files)
    node0 = NODE.format(rank=0).replace("10.0.0.1", "10.0.0.9")
    tree(folder, {"node0.yaml": node0})
    assert "node1.yaml:4 ADDR007" in places(cfglint(folder, *USE))


def test_a_deleted_file_breaks_an_untouched_one(tmp_path: Path) -> None:
    folder = repository(tmp_path / "repo", {"run.sh": START, "conf.yaml": CLEAN, "train.py": ""})
    assert cfglint(folder, *USE).code == 0
    (folder / "conf.yaml").unlink()
    assert places(cfglint(folder, *USE)) == ["run.sh:2 RUN010"]
    assert places(cfglint(folder, *USE, "run.sh")) == ["run.sh:2 RUN010"]


def _hosts(project: Project) -> Iterator[Finding]:
    """A rule of this test: a config that counts other machines than the hostfile beside it."""
    hosts = sum(len(re.findall(r"slots=", d.source.text)) for d in project.of_kind("hostfile"))
    for document in project.of_kind("accelerate"):
        found = re.search(r"num_machines: (\d+)", document.source.text)
        if found and hosts and int(found[1]) != hosts:
            yield RULE.finding(document, found.span(), f"{found[1]} machines, {hosts} hosts")


RULE = Rule(code="TEST001", name="test-hosts", severity=WARNING, summary="a rule of the tests")


def test_a_hostfile_breaks_an_untouched_yaml(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = ModuleType("test_hosts")
    module.check_project = _hosts  # type: ignore[attr-defined]
    needed = registry.needed

    def more(kinds: set[str]) -> list[RuleModule]:
        return [*needed(kinds), RuleModule(RULE, module, "test")]

    monkeypatch.setattr(registry, "needed", more)
    files = {
        "a.yaml": BAD.replace("num_machines: 1", "num_machines: 2"),
        "b.yaml": CLEAN.replace("num_machines: 1", "num_machines: 5"),
        "hostfile": "10.0.0.1 slots=8\n10.0.0.2 slots=8\n",
    }
    folder = repository(tmp_path / "repo", files)
    assert "b.yaml:3 TEST001" in places(cfglint(folder, "--output-format", "concise"))
    assert cfglint(folder, *USE).code == 0
    tree(folder, {"hostfile": files["hostfile"] + "10.0.0.3 slots=8\n"})
    assert places(cfglint(folder, *USE)) == ["a.yaml:3 TEST001"], "b.yaml was wrong before"


def test_files_that_git_ignores_are_no_change(tmp_path: Path) -> None:
    folder = repository(tmp_path / "repo", {"run.sh": START, ".gitignore": "conf.yaml\n"})
    tree(folder, {"conf.yaml": CLEAN})
    assert cfglint(folder, *USE).code == 0
    tree(folder, {"other.yaml": CLEAN})
    assert cfglint(folder, *USE).code == 0


def test_with_a_baseline(old: Path) -> None:
    name = "cfglint-baseline.json"
    cfglint(old, "baseline", "write")
    commit(old, "baseline")
    git(old, "checkout", "-q", "-B", "main")
    git(old, "checkout", "-q", "-B", "next")
    tree(old, {"a.yaml": CLEAN, "b.yaml": CLEAN + "main_process_port: 70001\n"})
    found = places(cfglint(old, *USE, "--baseline", name))
    assert found == ["b.yaml:5 PORT004", f"{name}:3 META002"]
    git(old, "checkout", "-q", "a.yaml")
    tree(old, {"b.yaml": CLEAN})
    assert cfglint(old, *USE, "--baseline", name).code == 0


def test_a_fix_touches_only_the_change(old: Path) -> None:
    stale = "machine_rank: 0  # cfglint: ignore[PORT004]\n"
    tree(old, {"b.yaml": CLEAN + stale})
    commit(old, "stale on main too")
    git(old, "checkout", "-q", "-B", "main")
    tree(old, {"c.yaml": CLEAN + stale})
    cfglint(old, *USE, "--fix")
    assert (old / "b.yaml").read_text() == CLEAN + stale
    assert (old / "c.yaml").read_text() == CLEAN + "machine_rank: 0\n"


@pytest.mark.parametrize("name", ["with blank.yaml", 'quote"d.yaml', "ünïcode.yaml", "-dash.yaml"])
def test_names_that_git_quotes(old: Path, name: str) -> None:
    tree(old, {name: CLEAN})
    commit(old, "new")
    git(old, "checkout", "-q", "-B", "main")
    tree(old, {name: CLEAN + "main_process_port: 70001\n"})
    assert places(cfglint(old, *USE)) == [f"{name}:5 PORT004"]


def test_a_name_that_is_no_text(old: Path) -> None:
    name = os.fsdecode(b"b\xff.yaml")
    tree(old, {name: CLEAN})
    commit(old, "new")
    git(old, "checkout", "-q", "-B", "main")
    tree(old, {name: CLEAN + "main_process_port: 70001\n"})
    assert [place.split(":")[1] for place in places(cfglint(old, *USE))] == ["5 PORT004"]
    assert cfglint(old, "baseline", "write").code == 0
    assert cfglint(old, "--baseline", "cfglint-baseline.json").code == 0


def test_many_changed_files_are_asked_for_at_once(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree(old, {f"many/{number}.yaml": BAD for number in range(30)})
    commit(old, "many")
    git(old, "checkout", "-q", "-B", "main")
    tree(old, {f"many/{number}.yaml": "# more\n" + BAD for number in range(30)})
    calls = []
    ask = since._git

    def counted(folder: Path, *words: str, data: bytes | None = None) -> bytes:
        calls.append(words)
        return ask(folder, *words, data=data)

    monkeypatch.setattr(since, "_git", counted)
    assert cfglint(old, *USE).code == 0
    assert len(calls) < 15


def test_lone_carriage_returns_and_crlf(old: Path) -> None:
    tree(old, {"b.yaml": CLEAN.replace("\n", "\r\n")})
    commit(old, "crlf")
    git(old, "checkout", "-q", "-B", "main")
    assert cfglint(old, *USE).code == 0
    tree(old, {"b.yaml": (CLEAN + "main_process_port: 70001\n").replace("\n", "\r\n")})
    assert places(cfglint(old, *USE)) == ["b.yaml:5 PORT004"]


def test_a_folder_below_and_a_path_from_above(old: Path) -> None:
    tree(old, {"sub/new.yaml": BAD})
    assert places(cfglint(old / "sub", *USE)) == ["new.yaml:5 PORT004"]
    assert places(cfglint(old.parent, *USE, "repo")) == ["repo/sub/new.yaml:5 PORT004"]
    assert places(cfglint(old / "sub", *USE, "..")) == ["new.yaml:5 PORT004"]


def test_what_git_cannot_tell(old: Path, tmp_path: Path) -> None:
    run = cfglint(old, "--since", "nowhere")
    assert run.code == 2
    assert "there is no revision 'nowhere' here" in run.err
    run = cfglint(old, "--since", "--output=/tmp/x")
    assert run.code == 2
    (tmp_path / "plain").mkdir()
    run = cfglint(tree(tmp_path / "plain", {"a.yaml": BAD}), "--since", "main")
    assert run.code == 2
    assert "needs a git repository" in run.err


@pytest.mark.parametrize(
    ("old_text", "new_text", "wanted"),
    [
        ("a b c", "a b c", []),
        ("a b c", "a x c", [(1, 2)]),
        ("a b c", "a c", []),
        ("a b c", "a b x y c", [(2, 4)]),
        ("", "a", [(0, 1)]),
        ("a a a", "a a a a", [(3, 4)]),
    ],
)
def test_changed_lines(old_text: str, new_text: str, wanted: list[tuple[int, int]]) -> None:
    assert changed_lines(old_text.split(" "), new_text.split(" ")) == wanted
