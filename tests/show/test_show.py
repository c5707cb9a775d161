"""`cfglint show`: jobs, their nodes and ports, as text, data and picture."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from xml.dom import minidom

import pytest

from cfglint.model.values import Alternatives, Computed, Literal, Unknown, Variable
from cfglint.report.model import Report
from cfglint.show import model, ports, svg
from cfglint.show.facts import openings
from cfglint.show.model import Job
from cfglint.show.values import Fact, describe
from tests.lintcases import session

NODE = """\
compute_environment: LOCAL_MACHINE
distributed_type: MULTI_GPU
num_machines: 2
machine_rank: {rank}
main_process_ip: {address}
main_process_port: 21500
num_processes: 16
"""
PORT = "--master_port=21500"


def write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def jobs(folder: Path) -> list[Job]:
    return model.jobs(session(folder).lint())


def fact(facts: list[Fact], name: str) -> Fact:
    return next(f for f in facts if f.name == name)


def command(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "cfglint", "show", *words],
        cwd=folder, capture_output=True, text=True,
    )  # fmt: skip


# -- the model ---------------------------------------------------------------------------------


def test_node_files_are_one_job(tmp_path: Path) -> None:
    write(
        tmp_path,
        node0_dot_yaml=NODE.format(rank=0, address="192.168.100.1"),
        node1_dot_yaml=NODE.format(rank=1, address="192.168.100.2"),
    )
    (job,) = jobs(tmp_path)
    assert (job.machines, job.world) == (2, 16)
    assert job.size == "2 machines, 8 processes each, 16 in all"
    assert [node.name for node in job.nodes] == ["node 0", "node 1"]
    assert fact(job.facts, "address").source == "node0.yaml:5"
    assert fact(job.facts, "rendezvous").state == "default"
    apart = fact(job.nodes[1].facts, "address")
    assert (apart.value, apart.note, apart.source) == ("192.168.100.2", "differs", "node1.yaml:5")
    assert "address" not in [f.name for f in job.nodes[0].facts]
    assert "ADDR007" in [f.rule.code for f in job.nodes[1].findings]


def test_command_with_its_config_is_one_job(tmp_path: Path) -> None:
    text = NODE.format(rank=0, address="10.0.0.4").replace("num_machines: 2", "num_machines: 1")
    write(
        tmp_path,
        acc_dot_yaml=text,
        run_dot_sh="accelerate launch --config_file acc.yaml train.py\n",
    )
    (job,) = jobs(tmp_path)
    assert job.title == "train.py"
    assert fact(job.facts, "port").source == "acc.yaml:6"
    assert job.nodes[0].place == "run.sh:1"
    assert fact(job.nodes[0].facts, "accelerate file").state == "known"


def test_hosts_of_a_hostfile(tmp_path: Path) -> None:
    write(
        tmp_path,
        hostfile="w1 slots=8\nw2 slots=4\n",
        run_dot_sh="deepspeed --hostfile hostfile --master_addr w1 train.py\n",
    )
    (job,) = jobs(tmp_path)
    assert (job.machines, job.world) == (2, 12)
    assert fact(job.facts, "machines").value == "2: w1 (8), w2 (4)"
    assert fact(job.facts, "machines").source == "hostfile:1"


def test_what_is_open(tmp_path: Path) -> None:
    line = f"torchrun --nnodes=$NODES --nproc_per_node=8 --master_addr=$MASTER {PORT} a.py\n"
    write(tmp_path, run_dot_sh=line)
    (job,) = jobs(tmp_path)
    assert job.machines is None
    assert job.world is None
    assert fact(job.facts, "address").state == "open"
    assert list(openings(job.nodes[0].launch)) == [
        "run.sh:1: the number of machines is $NODES",
        "run.sh:1: the master address is $MASTER",
    ]


def test_variables_alone_are_no_job(tmp_path: Path) -> None:
    write(tmp_path, _dot_env="WANDB_PROJECT=x\n")
    assert jobs(tmp_path) == []


def test_findings_are_shown_once_and_none_is_lost(tmp_path: Path) -> None:
    write(
        tmp_path,
        compose_dot_yaml="""\
services:
  a:
    image: acme/train:1
    ports: ["21500:21500"]
    command: torchrun --nnodes 2 --node_rank 0 --nproc_per_node 8
      --master_addr 34.118.2.9 --master_port 21500 a.py
""",
    )
    result = session(tmp_path).lint()
    (job,) = model.jobs(result)
    shown = [id(f) for f in [*job.findings, *job.nodes[0].findings]]
    assert len(shown) == len(set(shown))
    assert set(shown) == {id(f) for f in result.findings}
    assert len(shown) >= 3


@pytest.mark.parametrize(
    ("value", "words", "state"),
    [
        (Literal("29500"), "29500", "known"),
        (Literal(""), "(empty)", "known"),
        (Variable("P", Literal("29500"), ":-"), "29500 unless $P is set", "known"),
        (Variable("P"), "$P", "open"),
        (Variable("P", None, ":?"), "$P (must be set)", "open"),
        (Variable("P", Literal("x"), ":+"), "$P", "open"),
        (Computed("...", 10000, 29999, False, "job-id"), "10000 to 29999, from the Slurm job id",
         "open"),
        (Computed("$((2+2))", 4, 4), "4", "known"),
        (Computed("$(hostname)", idiom="hostname"), "this node's host name", "open"),
        (Alternatives((Literal("1"), Literal("2"))), "1 or 2", "known"),
        (Alternatives((Literal("1"), Unknown("$(x)"))), "1 or $(x)", "open"),
        (Unknown("$(cat port)"), "$(cat port)", "open"),
        (Unknown(""), "unknown", "open"),
    ],
)  # fmt: skip
def test_values_in_words(value, words: str, state: str) -> None:  # type: ignore[no-untyped-def]
    assert describe(value) == (words, state)


# -- the port register -------------------------------------------------------------------------


def register(folder: Path) -> list[tuple[int | None, str, str, str]]:
    found = ports.register(session(folder).lint()).entries
    return [(e.number, e.host, e.source, e.mark) for e in found]


def test_two_jobs_at_one_time_clash(tmp_path: Path) -> None:
    line = "torchrun --nproc_per_node=4 --master_port=21700 train.py &\n"
    write(tmp_path, run_dot_sh=f"{line}{line}wait\n")
    assert register(tmp_path) == [
        (21700, "any host", "run.sh:1", "clash"),
        (21700, "any host", "run.sh:2", "clash"),
    ]


def test_one_after_the_other_is_only_shared(tmp_path: Path) -> None:
    line = "torchrun --nproc_per_node=4 --master_port=21700 train.py\n"
    write(tmp_path, a_dot_sh=line, b_dot_sh=line)
    assert [mark for *_, mark in register(tmp_path)] == ["shared", "shared"]


def test_other_hosts_do_not_meet(tmp_path: Path) -> None:
    line = "torchrun --nnodes=2 --node_rank=$R --nproc_per_node=4 --master_addr={} "
    line += PORT + " a.py\n"
    write(tmp_path, a_dot_sh=line.format("10.0.0.4"), b_dot_sh=line.format("10.0.0.5"))
    assert [(host, mark) for _, host, _, mark in register(tmp_path)] == [
        ("10.0.0.4", ""),
        ("10.0.0.5", ""),
    ]


def test_one_compose_file_publishes_a_port_twice(tmp_path: Path) -> None:
    service = """\
  {}:
    image: acme/train:1
    shm_size: 16gb
    ports: ["21700:21700"]
    command: torchrun --nproc_per_node=2 --master_port=21700 train.py
"""
    write(tmp_path, compose_dot_yaml="services:\n" + service.format("a") + service.format("b"))
    found = ports.register(session(tmp_path).lint())
    published = [e for e in found.entries if e.use.startswith("published")]
    assert [e.mark for e in published] == ["clash", "clash"]
    inside = [e for e in found.entries if e.use == "rendezvous"]
    assert [(e.host, e.mark) for e in inside] == [("container a", ""), ("container b", "")]
    assert found.summary == "1 fixed port in 4 uses; 1 with a clash."


def test_free_and_open_ports_have_no_number(tmp_path: Path) -> None:
    write(
        tmp_path,
        acc_dot_yaml="distributed_type: MULTI_GPU\nnum_machines: 1\nnum_processes: 8\n"
        "main_process_port: 0\n",
        run_dot_sh="torchrun --nproc_per_node=8 --master_port=$P train.py\n",
    )
    found = ports.register(session(tmp_path).lint()).entries
    assert [(e.port, e.number, e.mark) for e in found] == [
        ("a free one", None, ""),
        ("$P", None, ""),
    ]


# -- the forms ---------------------------------------------------------------------------------


def test_text(tmp_path: Path) -> None:
    write(tmp_path, run_dot_sh="torchrun --nproc_per_node=8 --master_port=21500 train.py\n")
    done = command(tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Job 1: train.py  1 machine, 8 processes" in done.stdout
    assert "run.sh:1" in done.stdout
    assert "warning PORT001" in done.stdout
    assert "\x1b" not in done.stdout
    assert all(line == line.rstrip() for line in done.stdout.splitlines())


def test_nothing_to_show(tmp_path: Path) -> None:
    write(tmp_path, ds_dot_json='{"train_batch_size": 8, "zero_optimization": {"stage": 2}}')
    done = command(tmp_path)
    assert done.returncode == 0
    assert "No launch in these files" in done.stdout
    assert "No launch in these files uses a port." in command(tmp_path, "--ports").stdout


def test_json(tmp_path: Path) -> None:
    write(
        tmp_path,
        conf__node0_dot_yaml=NODE.format(rank=0, address="192.168.100.1"),
        conf__node1_dot_yaml=NODE.format(rank=1, address="192.168.100.2"),
    )
    data = json.loads(command(tmp_path, "conf", "--format", "json").stdout)
    (job,) = data["jobs"]
    assert (data["version"], job["machines"], job["world_size"]) == (1, 2, 16)
    assert [node["rank"] for node in job["nodes"]] == [0, 1]
    port = next(f for f in job["facts"] if f["name"] == "port")
    assert (port["value"], port["state"]) == ("21500", "known")
    assert (port["path"], port["line"]) == ("conf/node0.yaml", 6)
    codes = {f["code"] for node in job["nodes"] for f in node["findings"]}
    assert "ADDR007" in codes
    table = json.loads(command(tmp_path, "--ports", "--format", "json").stdout)
    assert table["ports"][0]["path"] == "conf/node0.yaml"
    assert table["clashes"] == 0


def test_common_folder_is_said_once(tmp_path: Path) -> None:
    write(
        tmp_path,
        a__b__node0_dot_yaml=NODE.format(rank=0, address="192.168.100.1"),
        a__b__node1_dot_yaml=NODE.format(rank=1, address="192.168.100.1"),
    )
    text = command(tmp_path).stdout
    assert text.startswith("In a/b/:\n")
    assert " node0.yaml:5" in text
    assert "a/b/node0.yaml:5" not in text


def test_file_in_place_of_the_terminal(tmp_path: Path) -> None:
    write(tmp_path, run_dot_sh="torchrun --nproc_per_node=8 train.py\n")
    done = command(tmp_path, "--format", "svg", "--output-file", "job.svg")
    assert (done.returncode, done.stdout) == (0, "")
    assert (tmp_path / "job.svg").read_text().startswith("<svg ")
    bad = command(tmp_path, "--output-file", "no/such/folder/x")
    assert bad.returncode == 2
    assert "Traceback" not in bad.stderr


@pytest.mark.parametrize(
    "words", [("--format", "xml"), ("--ports", "--format", "svg"), ("nowhere",)]
)
def test_told_wrongly(tmp_path: Path, words: tuple[str, ...]) -> None:
    done = command(tmp_path, *words)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


# -- the picture -------------------------------------------------------------------------------


def picture(folder: Path) -> tuple[str, list[str]]:
    """The SVG and the texts in it."""
    result = session(folder).lint()
    drawn = svg.render(model.jobs(result), Report(result))
    tree = minidom.parseString(drawn)
    return drawn, [n.firstChild.data for n in tree.getElementsByTagName("text") if n.firstChild]


def test_picture_shows_nodes_ranks_and_findings(tmp_path: Path) -> None:
    write(
        tmp_path,
        node0_dot_yaml=NODE.format(rank=0, address="192.168.100.1"),
        node1_dot_yaml=NODE.format(rank=1, address="192.168.100.2"),
    )
    drawn, texts = picture(tmp_path)
    assert {"node 0", "node 1", "0", "15", "error ADDR007"} <= set(texts)
    assert any("192.168.100.1" in t and "port 21500" in t for t in texts)
    assert drawn.count("stroke-dasharray") == 1  # the node that dials elsewhere


def test_picture_of_many_machines_is_short(tmp_path: Path) -> None:
    line = "torchrun --nnodes=64 --node_rank=$R --nproc_per_node=8 --master_addr=10.0.0.4 "
    line += PORT + " a.py\n"
    write(tmp_path, run_dot_sh=line)
    _, texts = picture(tmp_path)
    assert [t for t in texts if t.startswith("node ") and t[5:].isdigit()] == [
        "node 0",
        "node 1",
        "node 2",
    ]
    assert "and 61 more of the same" in texts
    assert "64 machines, 8 processes each, 512 in all" in texts


def test_picture_cannot_be_made_to_run_or_leak(tmp_path: Path) -> None:
    token = "hf_" + "aB3dE5gH7jK9mN1pQ2rS4tU6"
    write(
        tmp_path,
        run_dot_sh=f"""\
export HF_TOKEN={token}
torchrun --nproc_per_node=8 --master_addr='</text><script>alert(1)</script>' \\
  --rdzv_id={token} '<b>&"train.py'
""",
    )
    drawn, texts = picture(tmp_path)
    assert "<script" not in drawn
    assert token not in drawn
    assert any('<b>&"train.py' in t for t in texts)
    for word in ("href", "onload", "<style", "<image", "foreignObject"):
        assert word not in drawn


def test_picture_fits_its_frame(tmp_path: Path) -> None:
    """Nothing is drawn outside, whatever stands in the files."""
    long = "x" * 3000
    write(
        tmp_path,
        run_dot_sh=f"torchrun --nproc_per_node=500 --master_addr={long} --rdzv_id={long}"
        f" {long}.py\n",
    )
    result = session(tmp_path).lint()
    tree = minidom.parseString(svg.render(model.jobs(result), Report(result))).documentElement
    width, height = float(tree.getAttribute("width")), float(tree.getAttribute("height"))
    for node in tree.getElementsByTagName("rect"):
        assert float(node.getAttribute("x") or 0) + float(node.getAttribute("width")) <= width
        assert float(node.getAttribute("y") or 0) + float(node.getAttribute("height")) <= height
    for node in tree.getElementsByTagName("text"):
        assert 0 <= float(node.getAttribute("y")) <= height
        if node.getAttribute("text-anchor") == "":
            shown = len(node.firstChild.data) if node.firstChild else 0
            assert float(node.getAttribute("x")) + shown * 5 <= width, node.firstChild.data


def test_colour_on_a_terminal_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, run_dot_sh="torchrun --nproc_per_node=8 train.py\n")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in command(tmp_path).stdout
    assert "\x1b[" not in command(tmp_path, "--format", "json").stdout
