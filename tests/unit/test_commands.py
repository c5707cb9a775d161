"""Commands: what launches, with which settings, and how they are rewritten."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cfglint.commands.options import Table, read_options, table
from cfglint.files import loading
from cfglint.jobs.linking import linked
from cfglint.model.document import Document
from cfglint.model.fragment import Fragment
from cfglint.model.values import Alternatives, Literal, Unknown, Variable, possible
from cfglint.settings import Settings
from cfglint.syntax.shell_split import split
from tests.unit.shell import applied, document, launch, launches


@pytest.mark.parametrize(
    ("text", "launcher", "program"),
    [
        ("torchrun x.py", "torchrun", "x.py"),
        ("/opt/venv/bin/torchrun x.py", "torchrun", "x.py"),
        ("python -m torch.distributed.run x.py", "torchrun", "x.py"),
        ("python3.11 -u -m torch.distributed.launch --use_env x.py", "torchrun", "x.py"),
        ("python $(which torchrun) x.py", "torchrun", "x.py"),
        ("torchrun -m pkg.train a", "torchrun", "pkg.train"),
        ("accelerate launch x.py", "accelerate", "x.py"),
        ("accelerate-launch x.py", "accelerate", "x.py"),
        ("python -m accelerate.commands.launch x.py", "accelerate", "x.py"),
        ("deepspeed x.py --a", "deepspeed", "x.py"),
        ("python -m deepspeed.launcher.runner x.py", "deepspeed", "x.py"),
        ("llamafactory-cli train x.yaml", "llamafactory", "llamafactory-cli"),
        ("lmf train x.yaml", "llamafactory", "lmf"),
        ("python -m llamafactory.cli train x.yaml", "llamafactory", "llamafactory.cli"),
        ("swift sft --model m", "swift", "swift"),
        ("NNODES=2 megatron sft --load m", "swift", "megatron"),
        ("MASTER_ADDR=h python x.py", "python", "x.py"),
        ("MASTER_ADDR=h bash node.sh", "env", "bash"),
        ("nohup env A=1 stdbuf -oL numactl -N 0 timeout 5 torchrun x.py", "torchrun", "x.py"),
        ("sudo -E -u me torchrun x.py", "torchrun", "x.py"),
        ("conda run -n env torchrun x.py", "torchrun", "x.py"),
        ("uv run --with torch torchrun x.py", "torchrun", "x.py"),
        ("bash -lc 'cd x && torchrun x.py'", "torchrun", "x.py"),
        ("CMD='torchrun x.py'; eval $CMD", "torchrun", "x.py"),
        ("CMD='torchrun x.py'; $CMD", "torchrun", "x.py"),
        ("CMD='torchrun x.py'; bash -c \"$CMD\"", "torchrun", "x.py"),
        ('CMD=(torchrun x.py); "${CMD[@]}"', "torchrun", "x.py"),
        ('L=\'torchrun -m\'; C="$L pkg.x"; srun bash -c "$C"', "torchrun", "pkg.x"),
        ("bash <<EOF\ntorchrun x.py\nEOF\n", "torchrun", "x.py"),
        ("srun bash <<EOF\ntorchrun x.py\nEOF\n", "torchrun", "x.py"),
        ("srun -N 2 bash -eo pipefail -s a <<'EOF'\ntorchrun x.py\nEOF\n", "torchrun", "x.py"),
        ("srun --mpi=pmix -N 2 $OPTS torchrun x.py", "torchrun", "x.py"),
        ("mpirun -np 8 --mca btl tcp -x A=1 torchrun x.py", "torchrun", "x.py"),
        ("ssh -p 2222 host torchrun x.py", "torchrun", "x.py"),
        ("pdsh -w a,b torchrun x.py", "torchrun", "x.py"),
        ("sbatch --wrap='torchrun x.py'", "torchrun", "x.py"),
        ("docker run --rm -it -v a:b img torchrun x.py", "torchrun", "x.py"),
        ("docker run --rm $ARGS $IMG torchrun x.py", "torchrun", "x.py"),
        ("docker run --rm $IMG bash -c 'torchrun x.py'", "torchrun", "x.py"),
        ("ssh $HOST torchrun x.py", "torchrun", "x.py"),
        ("ssh $OPTS $HOST 'torchrun x.py'", "torchrun", "x.py"),
        ("docker exec -e A=1 box torchrun x.py", "torchrun", "x.py"),
        ("apptainer exec --nv -B a:b i.sif torchrun x.py", "torchrun", "x.py"),
        ("tmux new-session -d -s a 'torchrun x.py'", "torchrun", "x.py"),
        ("screen -dmS a torchrun x.py", "torchrun", "x.py"),
        ("nsys profile -t cuda -o out torchrun x.py", "torchrun", "x.py"),
        ("ncu -o prof --set full torchrun x.py", "torchrun", "x.py"),
        ("strace -f -o log torchrun x.py", "torchrun", "x.py"),
        ("gdb -batch -ex run --args python -m torch.distributed.run x.py", "torchrun", "x.py"),
        ("python -m debugpy --listen 5678 -m torch.distributed.run x.py", "torchrun", "x.py"),
        ("coverage run --parallel-mode -m torch.distributed.run x.py", "torchrun", "x.py"),
        ("python mason.py --gpus 8 -- torchrun x.py", "torchrun", "x.py"),
    ],
)
def test_launchers(text: str, launcher: str, program: str) -> None:
    one = launch(text)
    assert one.launcher == launcher
    assert one.program is not None
    assert one.program.text == program


@pytest.mark.parametrize(
    "text",
    [
        "echo torchrun x.py",
        "pip install accelerate deepspeed",
        "which torchrun",
        "accelerate config",
        "python x.py",
        "bash node.sh",
        "# torchrun x.py",
        "cat <<EOF\ntorchrun x.py\nEOF\n",
        "docker build -t deepspeed .",
        "pkill -f torchrun",
        "CMD='torchrun x.py'",
    ],
)
def test_no_launch(text: str) -> None:
    assert launches(text) == []


def test_settings_of_torchrun() -> None:
    one = launch(
        "torchrun --nnodes 2 --master-port=29500 --rdzv_endpoint [::1]:29400 --max-rest 3 x.py"
    )
    assert {n: s.text for n, s in one.settings.items()} == {
        "nnodes": "2",
        "master_port": "29500",
        "rdzv_endpoint": "[::1]:29400",
        "endpoint_addr": "[::1]",
        "endpoint_port": "29400",
        "max_restarts": "3",
    }
    assert one.complete


def test_environment_of_each_launcher() -> None:
    env = "MASTER_PORT=1 PET_MASTER_PORT=2 NODE_RANK=3 "
    assert launch(env + "torchrun x.py").settings["master_port"].text == "2"
    assert "master_port" not in launch(env + "deepspeed x.py").settings
    factory = launch(env + "llamafactory-cli train x.yaml").settings
    assert (factory["master_port"].text, factory["node_rank"].text) == ("1", "3")
    assert "master_port" not in launch(env + "llamafactory-cli export x.yaml").settings
    assert launch(env + "PET_STANDALONE=0 torchrun x.py").get("standalone") is None
    assert launch(env + "torchrun --master_port 9 x.py").settings["master_port"].text == "9"


def test_the_guilty_literal_is_the_assignment() -> None:
    text = "export MASTER_PORT=29500\nPORT=${MASTER_PORT:-1}\ntorchrun --master_port=$PORT x.py\n"
    port = launch(text).settings["master_port"]
    assert text[port.span.start : port.span.end] == "29500"
    assert port.used_at is not None
    assert text[port.used_at.start : port.used_at.end] == "$PORT"
    assert port.raw == "$PORT"
    assert applied(text, port.write("7")) == text.replace("=29500", "=7")
    removed = applied(text, port.remove())
    assert removed == text.replace(" --master_port=$PORT", "")


def test_options_in_variables() -> None:
    text = (
        'A="--nnodes 2 --master_port $P"\nB=(--node_rank 1)\nB+=(--standalone)\n'
        'torchrun $A "${B[@]}" x.py\n'
    )
    one = launch(text)
    assert one.settings["nnodes"].text == "2"
    assert one.settings["node_rank"].text == "1"
    assert "standalone" in one.settings
    assert one.settings["master_port"].value == Variable("P")
    assert one.complete
    hidden = launch("torchrun $UNSEEN --nnodes 2 x.py")
    assert not hidden.complete
    assert hidden.settings["nnodes"].text == "2"


def test_writers() -> None:
    text = "  torchrun --nproc-per-node=8 \\\n    x.py\n"
    one = launch(text)
    added = applied(text, one.add("master_port", "1"))
    assert added == "  torchrun --master-port=1 --nproc-per-node=8 \\\n    x.py\n"
    assert applied(text, one.set_env("A", "^lo")) == "  A=^lo" + text[1:]
    line = "cd x\n" + text
    assert applied(line, launch(line).set_env("A", "^lo")) == "cd x\n  export A=^lo\n" + text
    assert applied(text, one.settings["nproc_per_node"].remove()) == "  torchrun \\\n    x.py\n"
    boxed = "docker run -p 1:1 --shm-size=1g img torchrun x.py"
    one = launch(boxed)
    assert applied(boxed, one.set_env("A", "b")) == boxed.replace("run -p", "run -e A=b -p")
    assert one.network.mode == "bridge"
    assert [p.container for p in one.network.ports] == [1]
    assert one.network.to_host is not None
    edits = one.network.to_host()
    assert edits is not None
    assert applied(boxed, *edits) == "docker run --network host --shm-size=1g img torchrun x.py"
    remote = 'ssh host "cd x && torchrun x.py"'
    assert (
        applied(remote, launch(remote).set_env("A", "b")) == 'ssh host "cd x && A=b torchrun x.py"'
    )


def test_no_edit_runs_over_several_assignments() -> None:
    text = (
        'L="torchrun --nproc_per_node 8 "\necho keep\n'
        'srun bash -c "$L --node_rank \\$SLURM_PROCID x.py"\n'
    )
    rank = launch(text, "once").settings["node_rank"]
    assert rank.remove() is None, "what stands before it stands elsewhere"
    assert "keep" in applied(text, rank.write("1"))


def test_docker_run() -> None:
    one = launch(
        "docker run -itd --gpus '\"device=0,1\"' --ipc=host -eA=1 -e B --network=net --name box "
        "--ulimit memlock=-1 -v x:/dev/shm --device /dev/infiniband -h n1 img:1 torchrun x.py"
    )
    box = one.container
    assert box is not None
    assert (box.gpus, box.gpu_request, box.memlock, box.shm_mount) == (2, True, "-1", True)
    assert (box.name, box.image, box.hostname) == ("box", "img:1", "n1")
    assert box.ipc is not None
    assert box.ipc.text == "host"
    assert one.network.mode == "unknown"
    assert {n: s.text for n, s in one.env.items()} == {"A": "1"}
    image = launch("docker run -e MASTER_ADDR=h -e MASTER_PORT=1 --net host img")
    assert (image.launcher, image.network.mode, image.complete) == ("env", "host", False)


def test_compose_text() -> None:
    text = "bash -c 'torchrun --master_port=29500 --node_rank=$$RANK --nnodes=${N:-2} x.py'"
    one = launch(text, interpolated=True)
    assert one.settings["node_rank"].value == Variable("RANK")
    assert one.settings["nnodes"].value == Variable("N", Literal("2"), ":-")
    port = one.settings["master_port"].write(Variable("P", Literal("1"), ":-"))
    assert applied(text, port) == text.replace("29500", "${P:-1}")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("if x; then P=1; else P=2; fi", Alternatives((Literal("2"), Literal("1")))),
        ("if x; then P=1; else exit 1; fi", Literal("1")),
        ("P=1; if x; then P=2; fi", Alternatives((Literal("2"), Literal("1")))),
        ('if [ -z "$P" ]; then P=1; fi', Variable("P", Literal("1"), ":-")),
        ('[ -z "$P" ] && P=1', Variable("P", Literal("1"), ":-")),
        (": ${P:=1}", Variable("P", Literal("1"), ":=")),
        ("P=${P:-1}", Variable("P", Literal("1"), ":-")),
        ("P=1; ( P=2 )", Literal("1")),
        ("P=1; P=2", Literal("2")),
        ("P=1; unset P", Variable("P")),
        ("read P", Unknown("$P")),
        ("B=1; P=$((B + 2))", Literal("3")),
        ("B=1; P=$[ $B + 2 ]", Literal("3")),
        ("export P=$[a[1] * 2]", Unknown("$[a[1] * 2]")),
        ('P="$[2 * 3]0"', Literal("60")),
        ("P=1; P+=2", Literal("12")),
        ("case $x in a) P=1;; *) P=2;; esac", Alternatives((Literal("2"), Literal("1")))),
        ("for P in 1 2; do :; done; P=3", Literal("3")),
    ],
)
def test_reach_of_assignments(text: str, value: object) -> None:
    one = launch(f"{text}\ntorchrun --master_port=$P x.py\n")
    assert one.settings["master_port"].value == value


def test_old_arithmetic_is_one_word() -> None:
    one = launch(
        "n=2; bash -c 'torchrun --nnodes $[n * 1] --nproc_per_node=$[ 4 * 2 ] --master_port $[N] x.py'"
    )
    assert one.program is not None
    assert one.program.text == "x.py"
    assert one.settings["nproc_per_node"].number == 8
    assert one.settings["master_port"].number is None


def test_loop_variables() -> None:
    one = launch("for r in 0 1; do torchrun --node_rank=$r x.py & done")
    assert list(possible(one.settings["node_rank"].value)) == ["0", "1"]
    assert one.in_loop
    counted = launch("p=1; for r in 0 1; do torchrun --master_port=$p x.py & p=$((p + 1)); done")
    assert counted.settings["master_port"].number is None
    assert "1" in possible(counted.settings["master_port"].value)
    fresh = launch("for r in 0 1; do p=1; torchrun --master_port=$p x.py & p=2; done")
    assert fresh.settings["master_port"].number == 1


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("A=1\nexport B=2\nC=3 torchrun x.py", {"B", "C"}),
        ("A=1\nexport A\ntorchrun x.py", {"A"}),
        ("set -a\nA=1\nset +a\ntorchrun x.py", {"A"}),
        ("export A=1\nunset A\ntorchrun x.py", set()),
        ("export A=1\ntorchrun x.py\nexport B=2", {"A"}),
        ("export A=1\nssh h torchrun x.py", set()),
        ("export A=1\nsrun --export=ALL,B=2 torchrun x.py", {"A", "B"}),
        ("export A=1\nsrun --export=ALL,B=$C,D=2 torchrun x.py", {"A", "B", "D"}),
        ("export A=1 E=2\nsrun --export=A,B=$C torchrun x.py", {"A", "B"}),
        ("export A=1\nsrun --export=$NAMES torchrun x.py", {"A"}),
    ],
)
def test_inherited_variables(text: str, names: set[str]) -> None:
    assert set(launch(text).env) == names


def test_sourced_files(tmp_path: Path) -> None:
    (tmp_path / "env.sh").write_text("export NCCL_SOCKET_IFNAME=eth0\nPORT=29400\n")
    (tmp_path / "run.sh").write_text(
        'source "$(dirname "$0")/env.sh"\ntorchrun --nnodes=2 --master_port=$PORT x.py\n'
    )
    (tmp_path / "open.sh").write_text("source unseen.sh\ntorchrun --nnodes=2 x.py\n")
    (tmp_path / "plain.sh").write_text("source venv/bin/activate\ntorchrun --nnodes=2 x.py\n")

    def load(file: Path, given: bool) -> Document | None:
        return loading.load(file, tmp_path, given, 10_000)

    documents = [load(file, True) for file in sorted(tmp_path.glob("*.sh"))]
    project = linked([d for d in documents if d], Settings(root=tmp_path), tmp_path, load)
    seen = {launch.document.path: launch for launch in project.launches}
    port = seen["run.sh"].settings["master_port"]
    assert (port.text, port.document.path) == ("29400", "env.sh")
    assert set(seen["run.sh"].env) == {"NCCL_SOCKET_IFNAME"}
    assert seen["run.sh"].complete
    assert not seen["open.sh"].complete
    assert seen["plain.sh"].complete


def test_variables_from_anywhere_leave_a_launch_open() -> None:
    assert not launch("export $(grep -v '^#' .env | xargs)\ntorchrun x.py").complete
    assert launch("torchrun x.py\nexport $(cat .env)").complete
    assert launch("export A B=1\ntorchrun x.py").complete


def test_what_is_expanded_where() -> None:
    once = launch("srun torchrun --rdzv_id=$RANDOM x.py", "once")
    assert once.evaluated == "once"
    each = launch("srun bash -c 'torchrun --rdzv_id=$RANDOM --nnodes=$N x.py'", "once")
    assert each.evaluated == "node"
    assert getattr(each.settings["rdzv_id"].value, "per_node", None) is True
    early = launch(
        'srun bash -c "torchrun --rdzv_id=$RANDOM --node_rank=$SLURM_NODEID x.py"', "once"
    )
    assert getattr(early.settings["rdzv_id"].value, "per_node", None) is False
    assert getattr(early.settings["node_rank"].value, "idiom", None) == "early-task-id"
    passed = launch("export H=$(hostname)\nsrun bash -c 'torchrun --master_addr=$H x.py'", "once")
    assert getattr(passed.settings["master_addr"].value, "per_node", None) is False


# -- the options against argparse itself --------------------------------------------------------


def parser(options: Table) -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        allow_abbrev=options.abbreviations, add_help=False, exit_on_error=False
    )
    for option in options.options:
        names = [s for s, o in options.spellings.items() if o is option]
        keywords: dict[str, Any] = {"dest": option.dest}
        if option.takes == "none":
            keywords["action"] = "store_true"
        elif option.takes == "optional":
            keywords["nargs"] = "?"
        made.add_argument(*names, **keywords)
    made.add_argument("program")
    made.add_argument("rest", nargs=argparse.REMAINDER)
    return made


WORDS = [
    "--nnodes",
    "--nnodes=2",
    "--nproc_per_node",
    "--nproc-per-node=8",
    "2",
    "8",
    "x.py",
    "--standalone",
    "-m",
    "--master_port",
    "--rdzv_end",
    "h:1",
    "--num_processes",
    "--config_file",
    "a.yaml",
    "--module",
    "--num_gpus",
    "--hostfile",
    "-H",
    "-q",
    "--max_rest=3",
    "-t",
    "--tee=3",
    "--multi_gpu",
    "--num-machines",
]


@pytest.mark.parametrize(
    "name", ["torchrun", "torch.distributed.launch", "accelerate", "deepspeed"]
)
@settings(max_examples=120, deadline=None)
@given(given=st.lists(st.sampled_from(WORDS), min_size=1, max_size=7))
def test_options_agree_with_argparse(name: str, given: list[str]) -> None:
    """Where argparse takes a command line, we see the same options, values and program."""
    options = table(name)
    try:
        wanted, extra = parser(options).parse_known_args(given)
    except (argparse.ArgumentError, SystemExit):
        return
    if extra:
        return
    text = " ".join(given)
    found = split(Fragment("run.sh", text), document(text))
    assert found is not None
    parsed = read_options(found, options)
    seen: dict[str, Any] = {
        g.option.dest: g.value.text if g.value is not None else True for g in parsed
    }
    expected = {k: v for k, v in vars(wanted).items() if k not in ("program", "rest")}
    assert seen == {k: v for k, v in expected.items() if v not in (None, False)}
    assert [w.text for w in parsed.rest] == [wanted.program, *wanted.rest]


# -- what is written is read again ---------------------------------------------------------------

ROUND = [
    "torchrun --nnodes=2 --master_port 29500 --rdzv_endpoint=h:1 x.py\n",
    "P=29500\nexport A='10.0.0.1'\ntorchrun --master_port=$P --master_addr \"$A\" x.py\n",
    'ARGS="--nnodes 2 --master_port 29500"\ntorchrun $ARGS \\\n  x.py\n',
    'ARGS=(--nnodes 2 \\\n  --master_port=29500)\ntorchrun "${ARGS[@]}" x.py\n',
    "srun bash -c 'torchrun --nnodes=2 --master_port=29500 x.py'\n",
    'srun bash -c "torchrun --nnodes=2 --master_port=29500 x.py"\n',
    'L="torchrun --nnodes 2"\nC="x.py --lr 1"\nX=1 srun bash -c "$L --master_port 29500 $C"\n',
    "docker run -e MASTER_PORT=29500 img torchrun --nnodes 2 x.py\n",
    "ssh h 'cd x && torchrun --nnodes=2 --master_port=29500 x.py' &\n",
    "MASTER_PORT=29500 NNODES=2 llamafactory-cli train x.yaml\n",
    "accelerate launch --num_machines 2 --main_process_port 29500 x.py | tee log\n",
    "if a; then\n  deepspeed --num_nodes 2 --master_port 29500 x.py > log 2>&1\nfi\n",
]


@pytest.mark.parametrize("text", ROUND)
def test_written_settings_are_read_again(text: str) -> None:
    one = launch(text)
    assert one.settings
    for name, setting in one.settings.items():
        edit = setting.write("12345")
        if edit is not None and name != "rdzv_endpoint":
            assert launch(applied(text, edit)).settings[name].text == "12345"
        removed = setting.remove()
        if removed is not None and name != "rdzv_endpoint":
            assert launch(applied(text, removed)).get(name) is None
    variable = one.set_env("NCCL_SOCKET_IFNAME", "^lo,docker")
    assert launch(applied(text, variable)).env["NCCL_SOCKET_IFNAME"].text == "^lo,docker"
    added = one.add("node_rank", "1")
    assert launch(applied(text, added)).settings["node_rank"].text == "1"
