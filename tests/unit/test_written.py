"""Scripts that a script writes by here-documents and then starts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cfglint.model.values import Alternatives, Literal, Variable
from cfglint.session import Session
from cfglint.settings import Settings
from tests.lintcases import all_cases
from tests.unit.shell import applied, launch, launches

BODY = "#!/bin/bash\ntorchrun --master_port 29500 --nnodes 2 $1\n"


@pytest.mark.parametrize(
    "write",
    [
        "cat > run.sh <<EOF\n{}EOF\n",
        "cat <<'EOF' > run.sh\n{}EOF\n",
        "cat >| ./run.sh <<-'EOF'\n{}EOF\n",
        "tee run.sh <<'EOF'\n{}EOF\n",
        "sudo tee run.sh >/dev/null <<'EOF'\n{}EOF\n",
        "cat <<'EOF' | tee run.sh\n{}EOF\n",
    ],
)
@pytest.mark.parametrize(
    ("start", "wrappers"),
    [
        ("bash run.sh train.py", ()),
        ("bash -x ./run.sh train.py", ()),
        ("./run.sh train.py", ()),
        ("nohup ./run.sh train.py &", ()),
        ("srun ./run.sh train.py", ("srun",)),
        ("srun -N 2 bash run.sh train.py", ("srun",)),
        ("sbatch --export=ALL run.sh train.py", ("sbatch",)),
        ("ssh node1 bash run.sh train.py", ("ssh",)),
        (". run.sh train.py", ()),
    ],
)
def test_a_written_script_is_followed(write: str, start: str, wrappers: tuple[str, ...]) -> None:
    text = write.format(BODY) + f"chmod +x run.sh\n{start}\n"
    one = launch(text)
    port = one.settings["master_port"]
    assert text[port.span.start : port.span.end] == "29500"
    assert one.wrappers == wrappers
    assert applied(text, port.write("29777")) == text.replace("29500", "29777")
    if "<<EOF" not in write:
        assert one.program is not None
        assert one.program.args or one.argv[-1].text == "train.py"


def test_who_expands_what() -> None:
    text = (
        "PORT=29500\ncat > run.sh <<EOF\n"
        "torchrun --master_port $PORT --node_rank \\$NODE_RANK --nnodes $NNODES x.py\n"
        "EOF\nPORT=29600\nexport NODE_RANK=1 NNODES=4\nbash run.sh\n"
    )
    one = launch(text)
    assert one.settings["master_port"].text == "29500"
    assert one.settings["node_rank"].text == "1"
    assert one.settings["nnodes"].value == Variable("NNODES"), "expanded before it was set"
    literal = launch(text.replace("<<EOF", "<<'EOF'").replace("\\$", "$"))
    assert literal.settings["nnodes"].text == "4"
    assert literal.settings["master_port"].value == Variable("PORT"), "not exported"


def test_edits_are_escaped_for_the_writing_shell() -> None:
    text = 'cat > run.sh <<EOF\ntorchrun --master_port 29500 "a b" x.py\nEOF\nbash run.sh\n'
    place = launch(text).settings["master_port"]
    edit = place.write(Variable("MASTER_PORT", Literal("29500"), ":-"))
    assert '--master_port \\${MASTER_PORT:-29500} "a b"' in applied(text, edit)
    literal = text.replace("<<EOF", "<<'EOF'")
    edit = launch(literal).settings["master_port"].write(Variable("MASTER_PORT"))
    assert '--master_port ${MASTER_PORT} "a b"' in applied(literal, edit)


@pytest.mark.parametrize(
    "between",
    [
        "sed -i s/29500/29501/ run.sh",
        "envsubst < t > run.sh",
        "echo 'torchrun y.py' >> run.sh",
        "rm run.sh",
        "python patch.py run.sh",
    ],
)
def test_a_file_that_something_changed_is_not_followed(between: str) -> None:
    text = f"cat > run.sh <<'EOF'\n{BODY}EOF\n{between}\nbash run.sh\n"
    assert launches(text) == []


def test_other_files_are_not_followed() -> None:
    text = f"cat > a/run.sh <<'EOF'\n{BODY}EOF\n"
    assert launches(text + "bash b/run.sh\n") == []
    assert launches(text + "bash run.sh\n") == []
    assert launches("bash run.sh\n" + text) == []
    assert len(launches(text + "cd a\nbash run.sh\n")) == 1
    assert len(launches(text + "docker run -v $PWD:/w img bash /w/a/run.sh\n")) == 1


def test_pieces_that_are_put_together() -> None:
    text = "cat > run.sh <<EOF\nexport NCCL_DEBUG=INFO\nEOF\ncat >> run.sh <<EOF\ntorchrun x.py\nEOF\nbash run.sh\n"
    assert launch(text).env["NCCL_DEBUG"].text == "INFO"
    assert launches(text.replace("cat > run.sh", "x && cat > run.sh")) != []
    maybe = "cat > run.sh <<EOF\na\nEOF\nif x; then cat >> run.sh <<EOF\ntorchrun x.py\nEOF\nfi\nbash run.sh\n"
    assert launches(maybe) == []


def test_bodies_of_branches() -> None:
    text = """\
if x; then
cat > run.sh <<EOF
torchrun --master_port 1 x.py
EOF
else
cat > run.sh <<EOF
torchrun --master_port 2 x.py
EOF
fi
bash run.sh
"""
    first, second = launches(text)
    assert {first.settings["master_port"].text, second.settings["master_port"].text} == {"1", "2"}
    assert not first.overlaps(second)


def test_a_loop_that_writes_one_for_each_node() -> None:
    text = """\
for i in 0 1; do
cat > run_$i.sh <<EOF
torchrun --node_rank $i --nnodes 2 x.py
EOF
ssh node$i bash run_${i}.sh &
done
"""
    one = launch(text)
    assert one.settings["node_rank"].value == Alternatives((Literal("0"), Literal("1")))
    assert not one.overlaps(one), "each turn goes to another machine"


def test_a_written_batch_script() -> None:
    text = """\
cat > job.sbatch <<EOF
#!/bin/bash
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=$TASKS
srun torchrun --nnodes \\$SLURM_NNODES x.py
#SBATCH --nodes=8
EOF
sbatch {}job.sbatch
"""
    one = launch(text.format(""))
    assert one.nodes is not None
    assert one.settings["nnodes"].text == one.nodes.text == "4"
    assert "tasks_per_node" not in one.settings
    assert one.evaluated == "once"
    fewer = launch(text.format("-N 2 "))
    assert fewer.settings["nnodes"].text == "2"


def test_a_script_that_submits_itself_again() -> None:
    text = "cat > job.sh <<'EOF'\ntorchrun x.py\nsbatch job.sh\nEOF\nsbatch job.sh\n"
    assert len(launches(text)) == 1


def test_a_shell_that_reads_a_written_file() -> None:
    text = f"cat > run.sh <<'EOF'\n{BODY}EOF\nssh node1 bash -s < run.sh\n"
    assert launch(text).host == "node1"


def test_called_from_functions() -> None:
    text = """\
write() {
  cat > run.sh <<'EOF'
torchrun --master_port 29500 x.py
EOF
}
main() { write; bash run.sh; }
main
"""
    assert launch(text).settings["master_port"].text == "29500"


# What is said of a file's own text or directives, and not of what it starts.
TEXTUAL = ("META", "SYN", "SLURM", "TOPO015")


@pytest.mark.parametrize("quote", ["'", ""])
def test_what_is_written_says_what_it_says_as_a_file(tmp_path: Path, quote: str) -> None:
    """Every script of the cases, alone and as a here-document of a script that starts it."""

    def findings(folder: Path, file: str, shift: int) -> list[tuple[str, int]]:
        session = Session(Settings(root=folder), [folder / file], folder, folder)
        return sorted(
            (f.rule.code, f.document.source.position(f.span.start)[0] - shift)
            for f in session.lint().findings
            if not f.rule.code.startswith(TEXTUAL)
        )

    seen = 0
    for number, case in enumerate(all_cases()):
        files = [f for f in (case.path / "input").rglob("*") if f.is_file()]
        if len(files) != 1 or files[0].suffix not in (".sh", ".sbatch", ".slurm"):
            continue
        text = files[0].read_text()
        if (
            "\r" in text
            or re.search(r"\\[ \t]", text)
            or "cfglint" in text
            or not text.endswith("\n")
        ):
            continue
        if '"$@"' in text:
            continue  # below, it is surely given no arguments
        alone, inside = tmp_path / f"a{number}", tmp_path / f"b{number}"
        for folder in (alone, inside):
            folder.mkdir()
        (alone / files[0].name).write_text(text)
        body = text if quote else re.sub(r"([\\$`])", r"\\\1", text)
        start = "sbatch" if "#SBATCH" in text else "bash"
        whole = f"cat > job.sh <<{quote}DONE{quote}\n{body}DONE\n{start} job.sh\n"
        (inside / "outer.sh").write_text(whole)
        expected = findings(alone, files[0].name, 0)
        seen += len(expected)
        assert findings(inside, "outer.sh", 1) == expected, case.path
    assert seen > 100


BATCH = "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --ntasks-per-node=8\nsrun torchrun --master_port 29500 t.py\n"


@pytest.mark.parametrize(
    "text",
    [
        "sbatch <<EOF\n{}EOF\n",
        "sbatch << 'EOF'\n{}EOF\n",
        "sbatch <<-EOF\n{}\tEOF\n",
        "cat <<EOF | sbatch --parsable\n{}EOF\n",
        "cat <<'EOF' | tee job.sh | sbatch\n{}EOF\n",
        "ssh login sbatch <<'EOF'\n{}EOF\n",
        "for i in 1 2; do\nsbatch -J $i $OPTS <<EOF\n{}EOF\ndone\n",
        "sbatch --wait <<EOF || exit 1\n{}EOF\n",
        "sbatch /dev/stdin <<EOF\n{}EOF\n",
        "JOB=$(sbatch --parsable <<EOF\n{}EOF\n)\n",
        'export JOB="$(cat <<EOF | sbatch --parsable\n{}EOF\n)"\n',
        "cat > job.sh <<EOF\n{}EOF\nsbatch < job.sh\n",
    ],
)
def test_a_batch_script_on_standard_input(text: str) -> None:
    text = text.format(BATCH)
    one = launch(text)
    port = one.settings["master_port"]
    assert text[port.span.start : port.span.end] == "29500"
    assert one.wrappers[-2:] == ("sbatch", "srun")
    assert one.settings["tasks_per_node"].number == 8
    assert one.nodes is not None
    assert text[one.nodes.span.start : one.nodes.span.end] == "2"


@pytest.mark.parametrize(
    "text",
    [
        "sbatch job.sh <<EOF\n{}EOF\n",
        "sbatch --wrap true <<EOF\n{}EOF\n",
        "sed s/29500/29501/ <<EOF | sbatch\n{}EOF\n",
        "cat <<EOF | sed s/29500/29501/ | sbatch\n{}EOF\n",
        "cat <<EOF | sed s/29500/29501/ | bash\n{}EOF\n",
        "cat > job.sh <<EOF\n{}EOF\n",
        "echo sbatch <<EOF\n{}EOF\n",
    ],
)
def test_what_slurm_does_not_get_is_no_batch_script(text: str) -> None:
    assert launches(text.format(BATCH)) == []


def test_an_option_of_sbatch_overrules_what_its_input_says() -> None:
    one = launch(f"sbatch --ntasks-per-node=1 <<EOF\n{BATCH}EOF\n")
    assert one.settings["tasks_per_node"].number == 1


def test_a_command_in_an_option_of_sbatch_whose_number_is_kept() -> None:
    text = (
        "A=$(sbatch --parsable --wrap 'torchrun a.py')\nB=$(sbatch -d $A --wrap 'torchrun b.py')\n"
    )
    programs = [one.program.text for one in launches(text) if one.program]
    assert programs == ["a.py", "b.py"]
