"""`cfglint diagnose`: messages of the real programs, the files that gave them, and the rule that
must come first."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from cfglint.explain import diagnose, pages, symptoms
from cfglint.explain.diagnose import Diagnosis
from tests.lintcases import session

CASES = Path(__file__).parent / "cases"
RIGHT_FIRST = 0.9  # of the messages


@dataclass(frozen=True)
class Case:
    """`expect` is a rule's code, or "none" where the files do not explain the log; `also` may come
    first as well."""

    name: str
    expect: str
    also: str
    log: str
    files: dict[str, str]


def read(path: Path) -> Case:
    head, _, body = path.read_text().partition("===")
    facts = dict(
        line.split(": ", 1) for line in head.splitlines() if line and not line.startswith("#")
    )
    files = pages.files("===" + body)
    log = files.pop("log")
    return Case(path.stem, facts["expect"], facts.get("also", ""), log, files)


ALL = [read(path) for path in sorted(CASES.glob("*.txt"))]


def judge(case: Case, folder: Path) -> Diagnosis:
    for name, text in case.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    result = session(folder).lint()
    assert not result.crashed
    return diagnose.diagnose(diagnose.read(case.log.splitlines(keepends=True)), result)


def first(diagnosis: Diagnosis) -> str:
    return diagnosis.explained[0].module.rule.code if diagnosis.explained else "none"


@pytest.mark.parametrize("case", ALL, ids=lambda c: c.name)
def test_right_rule_first(case: Case, tmp_path: Path) -> None:
    found = judge(case, tmp_path)
    codes = [e.module.rule.code for e in found.explained]
    possible = [e.module.rule.code for e in found.possible]
    assert first(found) in {case.expect, case.also or case.expect}, f"{codes}; possible {possible}"


def test_share_of_right_answers(tmp_path: Path) -> None:
    """The figure that the documentation gives."""
    right = 0
    for case in ALL:
        folder = tmp_path / case.name
        folder.mkdir()
        right += first(judge(case, folder)) in {case.expect, case.also}
    assert len(ALL) >= 50
    assert right / len(ALL) >= RIGHT_FIRST, f"{right} of {len(ALL)}"


def test_every_answer_shows_its_line(tmp_path: Path) -> None:
    for case in ALL:
        folder = tmp_path / case.name
        folder.mkdir()
        for one in judge(case, folder).explained:
            assert one.lines, case.name
            for evidence in one.lines:
                assert evidence.matched in case.log.splitlines()[evidence.line.number - 1]


def test_ranks_repeat_themselves() -> None:
    lines = [f"[rank{n}]: OverflowError: connect_ex(): port must be 0-65535.\n" for n in range(64)]
    log = diagnose.read(lines)
    assert log.length == 64
    assert len(log.lines) == 1
    found = diagnose.diagnose(log, None)
    assert found.possible[0].module.rule.code == "PORT004"
    assert found.possible[0].evidence[0].count == 64


def test_colours_and_progress_bars_are_no_part_of_a_line() -> None:
    raw = " 10%|#  |\r 20%|## |\r\x1b[31mOverflowError: port must be 0-65535\x1b[0m\r\n"
    assert diagnose.clean(raw) == "OverflowError: port must be 0-65535"


def test_value_of_the_log_decides(tmp_path: Path) -> None:
    """Two files with the same fault: the one with the log's port is meant."""
    one = "compute_environment: LOCAL_MACHINE\ndistributed_type: MULTI_GPU\nnum_processes: 8\n"
    (tmp_path / "a.yaml").write_text(one + "main_process_port: 25000\n")
    (tmp_path / "b.yaml").write_text(one + "main_process_port: 25111\n")
    log = diagnose.read(["Tried to launch distributed communication on port `25111`, but\n"])
    found = diagnose.diagnose(log, session(tmp_path).lint())
    assert [f.document.path for f in found.explained[0].findings] == ["b.yaml"]


def test_suppressed_findings_explain_too(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(
        "compute_environment: LOCAL_MACHINE\ndistributed_type: MULTI_GPU\nnum_processes: 8\n"
        "main_process_port: 69420  # cfglint: ignore[PORT004]\n"
    )
    result = session(tmp_path).lint()
    assert "PORT004" not in [f.rule.code for f in result.findings]
    log = diagnose.read(["OverflowError: connect_ex(): port must be 0-65535.\n"])
    assert first(diagnose.diagnose(log, result)) == "PORT004"


# -- the command -------------------------------------------------------------------------------


def command(folder: Path, *words: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "cfglint", *words], cwd=folder, input=stdin, capture_output=True
    )


def case(name: str) -> Case:
    return next(one for one in ALL if one.name == name)


def write(one: Case, folder: Path) -> None:
    (folder / "train.log").write_text(one.log)
    for name, text in one.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def test_command(tmp_path: Path) -> None:
    write(case("eaddrinuse-nested-in-container"), tmp_path)
    done = command(tmp_path, "diagnose", "train.log", ".")
    text = done.stdout.decode()
    assert done.returncode == 0, done.stderr
    assert "1. RUN001 nested-launcher" in text
    assert "train.log:3: " in text
    assert "compose.yaml:5:" in text
    assert done.stderr == b""


def test_command_from_standard_input_as_json(tmp_path: Path) -> None:
    one = case("nccl-connects-to-container-address")
    write(one, tmp_path)
    done = command(tmp_path, "diagnose", "-", ".", "--format", "json", stdin=one.log.encode())
    data = json.loads(done.stdout)
    best = data["explanations"][0]
    assert data["explained"] is True
    assert best["code"] == "NET001"
    assert best["evidence"][0]["line"] == 1
    assert best["findings"][0]["path"] == "run.sh"


def test_command_says_so_when_nothing_explains(tmp_path: Path) -> None:
    write(case("busy-port-that-the-files-do-not-name"), tmp_path)
    done = command(tmp_path, "diagnose", "train.log", ".")
    text = done.stdout.decode()
    assert done.returncode == 1
    assert "not explained by what stands in 1 config file" in text
    assert "run.sh:1: the master port is $TRAIN_PORT" in text
    assert "PORT001 port-hardcoded" in text


def test_command_without_any_known_message(tmp_path: Path) -> None:
    write(case("a-fault-of-the-program"), tmp_path)
    done = command(tmp_path, "diagnose", "train.log")
    assert done.returncode == 1
    assert "No rule knows a message of this log." in done.stdout.decode()


def test_command_is_told_wrongly(tmp_path: Path) -> None:
    for words in (
        ["nowhere.log"],
        ["."],
        ["train.log", "nowhere"],
        ["train.log", "--format", "xml"],
    ):
        (tmp_path / "train.log").write_text("x\n")
        done = command(tmp_path, "diagnose", *words)
        assert done.returncode == 2, words
        assert b"Traceback" not in done.stderr


def test_hostile_log(tmp_path: Path) -> None:
    """Bytes that are no text, escape sequences and a very long line do no harm."""
    (tmp_path / "acc.yaml").write_text(
        "distributed_type: MULTI_GPU\nnum_processes: 8\nmain_process_port: 69420\n"
    )
    log = (
        b"\xff\xfe\x00\x1b]0;title\x07 port must be 0-65535 \x1b[2J\x9b\n"
        + b"x" * 3_000_000
        + b"\n"
    )
    (tmp_path / "log").write_bytes(log + b"::error::port must be 0-65535\n")
    done = command(tmp_path, "diagnose", "log", "acc.yaml")
    assert done.returncode == 0, done.stderr
    assert b"\x1b" not in done.stdout
    assert b"\x9b" not in done.stdout.replace(b"\xc2\x9b", b"\x9b")
    assert not any(line.startswith(b"::error") for line in done.stdout.splitlines())


# -- explain --error ---------------------------------------------------------------------------


def test_search_by_message() -> None:
    hits = symptoms.search("Tried to launch distributed communication on port `29500`, but another")
    assert {"PORT001", "PORT002"} <= {hit.module.rule.code for hit in hits[:4]}


def test_search_by_a_word() -> None:
    hits = symptoms.search("EADDRINUSE")
    codes = [hit.module.rule.code for hit in hits]
    assert "PORT002" in codes
    assert "RUN001" in codes


def test_search_finds_nothing() -> None:
    assert symptoms.search("the flux capacitor is empty") == []
    assert symptoms.search("   ") == []


def test_search_command(tmp_path: Path) -> None:
    done = command(tmp_path, "explain", "--error", "EADDRINUSE")
    assert done.returncode == 0
    assert b"PORT002" in done.stdout
    assert command(tmp_path, "explain", "--error", "flux capacitor").returncode == 1


# -- values ------------------------------------------------------------------------------------

TWO = """\
torchrun --nproc_per_node=4 --master_port=21700 train.py &
torchrun --nproc_per_node=4 --master_port=21700 train.py &
wait
"""
ONE = "compute_environment: LOCAL_MACHINE\ndistributed_type: MULTI_GPU\nnum_processes: 8\n"


def said_of(folder: Path, line: str) -> list[str]:
    found = diagnose.diagnose(diagnose.read([line]), session(folder).lint())
    return [e.module.rule.code for e in found.explained]


def test_another_port_explains_nothing(tmp_path: Path) -> None:
    """A graver fault on another port does not come before a warning on the log's own."""
    (tmp_path / "two.sh").write_text(TWO)
    (tmp_path / "one.yaml").write_text(ONE + "main_process_port: 29500\n")
    line = "server socket has failed to listen on any local network address. port: {}, EADDRINUSE"
    assert said_of(tmp_path, line.format(29500))[0] == "PORT001"
    assert said_of(tmp_path, line.format(21700))[0] == "PORT002"
    assert said_of(tmp_path, line.format(24111)) == []


def test_another_address_explains_nothing(tmp_path: Path) -> None:
    line = "torchrun --nnodes=2 --node_rank=$R --nproc_per_node=8 --master_addr={} train.py\n"
    (tmp_path / "run.sh").write_text(line.format("34.118.2.9"))
    message = "The client socket has timed out after 60000ms while trying to connect to ({}, 29500)"
    assert "ADDR001" in said_of(tmp_path, message.format("34.118.2.9"))
    assert "ADDR001" not in said_of(tmp_path, message.format("52.9.1.7"))


def test_named_value_decides(tmp_path: Path) -> None:
    """The log names an unknown key: the file with that key comes first."""
    (tmp_path / "a.yaml").write_text(ONE + "num_machnes: 1\n")
    (tmp_path / "b.yaml").write_text(ONE + "gpu_idz: all\n")
    line = "ValueError: The config file at x.yaml had unknown keys (['gpu_idz']), please try"
    found = diagnose.diagnose(diagnose.read([line]), session(tmp_path).lint())
    assert [f.document.path for f in found.explained[0].findings] == ["b.yaml", "a.yaml"]


@pytest.mark.parametrize(
    ("text", "ports"),
    [
        ("port: 29500, useIpv6: false", {"29500"}),
        ("on port `29500`, but", {"29500"}),
        ("connect to (10.0.0.1, 29500).", {"29500"}),
        ("bind to [::]:29500 (errno: 98", {"29500"}),
        ("endpoint '10.0.0.4:66660' must", {"66660"}),
        ("10:11:12 socket.cc:484 export 2024", set()),
        ("Connect to 172.17.0.2<49113> failed", set()),
    ],
)
def test_ports_of_a_line(text: str, ports: set[str]) -> None:
    symptom = symptoms.table()[0]
    evidence = diagnose.Evidence(diagnose.Line(1, text), symptom, "", 1, 1)
    assert diagnose.values_of(evidence).ports == ports
