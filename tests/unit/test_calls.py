"""Functions: one launch for each call, with what the call gives to `$1`, `$2` and `"$@"`."""

from __future__ import annotations

from pathlib import Path

import pytest

from cfglint.model.values import Literal, Variable
from cfglint.session import Session
from cfglint.settings import Settings
from tests.lintcases import all_cases
from tests.unit.shell import applied, launch, launches


def ports(text: str) -> list[str | None]:
    return [x.settings["master_port"].text for x in launches(text)]


def test_one_launch_for_each_call() -> None:
    text = "f() { torchrun --master_port $2 $1; }\nf a.py 29500\nf b.py 29501\n"
    first, second = launches(text)
    assert (first.program and first.program.text, second.program and second.program.text) == (
        "a.py",
        "b.py",
    )
    port = second.settings["master_port"]
    assert text[port.span.start : port.span.end] == "29501"
    assert applied(text, port.write("29777")).endswith("f b.py 29777\n")
    assert not first.overlaps(second)
    assert (first.label, second.label) == ("line 2", "line 3")


@pytest.mark.parametrize(
    ("body", "calls", "together"),
    [
        ("torchrun $1;", "f a.py\nf b.py", False),
        ("torchrun $1;", "f a.py &\nf b.py", True),
        ("torchrun $1;", "f a.py &\nwait\nf b.py", False),
        ("torchrun $1 &", "f a.py\nf b.py", True),
        ("torchrun $1 & wait;", "f a.py\nf b.py", False),
        ("torchrun $1 &", "if x; then f a.py; else f b.py; fi", False),
        ("torchrun $1 &", "w() { wait; }\nf a.py\nw\nf b.py", False),
    ],
)
def test_calls_that_run_together(body: str, calls: str, together: bool) -> None:
    first, second = launches(f"f() {{ {body} }}\n{calls}\n")
    assert first.overlaps(second) is together


@pytest.mark.parametrize(
    ("body", "repeats"), [("torchrun x.py &", True), ("torchrun x.py;", False)]
)
def test_calls_in_a_loop(body: str, repeats: bool) -> None:
    one = launch(f"f() {{ {body} }}\nfor i in 1 2; do f; done\n")
    assert one.overlaps(one) is repeats


def test_what_a_call_does_not_show_stays_unknown() -> None:
    assert ports('f() { torchrun --master_port $1 x.py; }\nf "$@"\n') == [None]
    assert ports("f() { torchrun --master_port $2 x.py; }\nf $ARGS 29500\n") == [None]
    assert ports("f() { torchrun --master_port $1 x.py; }\n") == [None]
    assert ports("torchrun --master_port $1 x.py\n") == [None]
    looped = "f() { while [ $# -gt 1 ]; do shift; done; torchrun --master_port $1 x.py; }\nf 1 2\n"
    assert ports(looped) == [None]
    assert ports("f() { set -- $X; torchrun --master_port $1 x.py; }\nf 1 2\n") == [None]
    assert ports("f() { if x; then shift; fi; torchrun --master_port $1 x.py; }\nf 1 2\n") == [None]


def test_shift_and_all_arguments() -> None:
    text = 'f() { local p=$1; shift; torchrun --master_port $p "$@"; }\nf 29500 --nnodes 2 x.py\n'
    one = launch(text)
    assert one.settings["master_port"].text == "29500"
    assert one.settings["nnodes"].text == "2"
    assert one.program is not None
    assert one.program.text == "x.py"
    assert one.complete
    flags = "f() { set -e; torchrun --master_port $1 x.py; }\nf 29500\n"
    assert ports(flags) == ["29500"]


def test_a_default_where_the_call_gives_nothing() -> None:
    (one,) = launches("f() { torchrun --master_port ${1:-29500} x.py; }\nf\n")
    assert one.settings["master_port"].value == Variable("1", Literal("29500"), ":-")
    assert ports("f() { torchrun --master_port ${1:-29500} x.py; }\nf 29600\n") == ["29600"]


def test_a_function_that_runs_what_it_is_given() -> None:
    text = (
        'run() { echo "+ $*"; "$@"; }\nrun torchrun --nnodes 1 --master_port 29500 x.py\nrun ls\n'
    )
    one = launch(text)
    port = one.settings["master_port"]
    assert text[port.span.start : port.span.end] == "29500"
    assert applied(text, port.remove()).splitlines()[1] == "run torchrun --nnodes 1 x.py"


def test_removing_never_reaches_from_a_body_to_a_call() -> None:
    text = 'f() { torchrun "$@"; }\nf --master_port 29500 x.py\n'
    assert launch(text).settings["master_port"].remove() is None
    late = 'f() { torchrun $ARGS x.py; }\nARGS="--master_port 29500 --nnodes 1"\nf\n'
    port = launch(late).settings["master_port"]
    assert port.text == "29500"
    assert port.remove() is None


def test_variables_at_the_call() -> None:
    assert ports("f() { torchrun --master_port $P x.py; }\nP=1\nf\nP=2 f\nP=3\nf\n") == [
        "1",
        "2",
        "3",
    ]
    one = launch("f() { llamafactory-cli train x.yaml; }\nMASTER_PORT=29511 f\n")
    assert one.settings["master_port"].text == "29511"
    assert launch("f() { llamafactory-cli train x.yaml; }\nMASTER_PORT=1\nf\n").settings == {}
    assert ports("f() { P=9; torchrun --master_port $P x.py; }\nP=1\nf\n") == ["9"]


def test_functions_that_call_functions() -> None:
    text = """\
one() { torchrun --master_port $1 x.py; }
both() { one $1 & one $2; }
both 29500 29501
"""
    first, second = launches(text)
    assert [x.settings["master_port"].text for x in (first, second)] == ["29500", "29501"]
    assert first.overlaps(second)
    again = "f() { torchrun --master_port $1 x.py; f $1; }\nf 29500\n"
    assert ports(again) == ["29500"]


def test_arrays_of_the_caller() -> None:
    text = 'f() { torchrun "${A[@]}" x.py; }\nA=(--master_port 29500)\nf\n'
    assert ports(text) == ["29500"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f() { P=$1; }\nf 1\nRUN\nf 2\nRUN\n", ["1", "2"]),
        ("f() { P=$((P+1)); }\nP=5\nRUN\nf\nRUN\n", ["5", "6"]),
        ("f() { P=$((P+1)); RUN }\nP=5\nf\nf\n", ["6", "7"]),
        ("f() { P=$((P+1)); RUN }\nP=5\nf &\nf &\n", ["6", "6"]),  # each in a shell of its own
        ("f() { P=$1; }\nP=5\n(f 1)\nf 2 | cat\nRUN\n", ["5"]),
        ("f() { local P=$1; }\nP=5\nf 1\nRUN\n", ["5"]),
        ("g() { P=1; }\nf() { g; }\nP=5\nf\nRUN\n", ["1"]),
        ("g() { P=1; }\nmain() { g; RUN }\nmain\n", ["1"]),
        ("f() { if x; then P=1; fi; }\nP=5\nf\nRUN\n", [None]),
        ("f() { P=1; }\nP=5\nif x; then f; fi\nRUN\n", [None]),
        ("f() { RUN P=$((P+1)); }\nP=5\nfor i in 1 2; do f; done\n", [None]),
        ("f() { f; P=1; }\nP=5\nf\nRUN\n", ["1"]),
        ("f() { P=1; }\nP=5\nRUN\n", ["5"]),  # never called
    ],
)
def test_what_calls_leave_behind(text: str, expected: list[str | None]) -> None:
    assert ports(text.replace("RUN", "torchrun --master_port $P x.py;")) == expected


def test_what_a_function_exports() -> None:
    text = "setup() { export MASTER_PORT=29511; A=1; }\nsetup\nllamafactory-cli train x.yaml\n"
    one = launch(text)
    port = one.settings["master_port"]
    assert text[port.span.start : port.span.end] == "29511"
    assert "A" not in one.env
    assert applied(text, port.write("29512")).startswith("setup() { export MASTER_PORT=29512;")


def test_a_sum_is_not_written_over() -> None:
    port = launch("P=5\nP=$((P+1))\ntorchrun --master_port $P x.py\n").settings["master_port"]
    assert port.text == "6"
    assert port.write("7") is None


def test_a_word_that_is_one_whatever_it_is() -> None:
    one = launch("for f in a.py b.py; do torchrun --nproc_per_node 8 $f; done\n")
    assert one.complete
    several = launch('for f in a.py "--x b.py"; do torchrun --nproc_per_node 8 $f; done\n')
    assert not several.complete
    text = "f() { torchrun --master_port $2 $1; }\nfor x in a.py b.py; do f $x 29500; done\n"
    assert ports(text) == ["29500"]


@pytest.mark.parametrize(
    ("test", "taken"),
    [
        ('[ "$1" = a ]', "a"),
        ('[[ $1 == "a" ]]', "a"),
        ("test $1 != b", "a"),
        ("! [ $1 = b ]", None),  # not plain
        ('[ ! "$1" = b ]', "a"),
        ("[ $2 -gt 1 ]", "a"),
        ('[ "$2" -le 1 ]', "b"),
        ('[ -z "$3" ]', "b"),
        ('[ -n "${3:-}" ]', "a"),
        ("[[ $1 == a* ]]", "a"),
        ('[ "$1" = "$WHICH" ]', None),
        ("[ -f $1 ]", None),
        ("(( $2 > 1 ))", "a"),
        ('[ "$1" = a ] && x', None),
        ("grep $1 file", None),
    ],
)
def test_branches_that_a_call_takes(test: str, taken: str | None) -> None:
    calls = "f a 4 x\nf b 1\n"
    text = f"f() {{ if {test}; then torchrun then.py $1; else torchrun else.py $1; fi; }}\n{calls}"
    found = [(x.program.text, x.program.args[0].text) for x in launches(text) if x.program]
    both = [("then.py", "a"), ("then.py", "b"), ("else.py", "a"), ("else.py", "b")]
    wanted = {
        "a": [("then.py", "a"), ("else.py", "b")],
        "b": [("then.py", "b"), ("else.py", "a")],
        None: both,
    }
    assert sorted(found) == sorted(wanted[taken])
    short = f"f() {{ {test} && torchrun x.py $1; }}\n{calls}"
    args = [x.program.args[0].text for x in launches(short) if x.program]
    assert args == ([taken] if taken else ["a", "b"])


@pytest.mark.parametrize(
    ("test", "then", "otherwise"),
    [
        ('[[ $GPUS == *","* ]]', None, "0"),
        ('[[ $GPUS != *","* ]]', "0", None),
        ("[[ $GPUS == ? ]]", "0", None),
        ('[[ $GPUS == "?" ]]', None, "0"),
        ('[ "$GPUS" -gt 1 ]', None, "0"),
        ("(( GPUS > 1 ))", None, "0"),
        ("(( ${GPUS} <= 1 ))", "0", None),
        ('[ -z "$GPUS" ]', None, "0"),
        ("[[ $GPUS =~ , ]]", "0", "0"),
        ("[[ $GPUS == $OTHER* ]]", "0", "0"),
        ("[ $OTHER = 1 ]", "0", "0"),
        ("[ $GPUSX = 1 ]", "0", "0"),
    ],
)
def test_where_a_test_leads_with_another_value(
    test: str, then: str | None, otherwise: str | None
) -> None:
    """A branch that the value above does not lead to is there for other values."""
    body = (
        "then torchrun --nproc_per_node $GPUS a.py\nelse torchrun --nproc_per_node $GPUS b.py\nfi\n"
    )
    found = [x.settings["nproc_per_node"] for x in launches(f"GPUS=0\nif {test}\n{body}")]
    assert [x.text for x in found] == [then, otherwise]
    assert all(x.text is not None or x.value == Variable("GPUS") for x in found)


def test_what_a_branch_sets_holds_in_it() -> None:
    text = "N=1\nif [ $N -gt 1 ]; then N=4; torchrun --nproc_per_node $N a.py; fi\n"
    assert launch(text).settings["nproc_per_node"].text == "4"
    text = "N=1\n[ $N -gt 1 ] && torchrun --nproc_per_node $N a.py\n"
    assert launch(text).settings["nproc_per_node"].text is None
    text = "N=1\ncase $N in\n4) torchrun --nproc_per_node $N a.py ;;\nesac\n"
    assert launch(text).settings["nproc_per_node"].text is None


def test_cases_that_a_call_takes() -> None:
    text = """\
f() {
  case "$1" in
    train|tune) torchrun --master_port 29500 t.py ;;
    "eval") torchrun --master_port 29501 e.py ;;
    *) torchrun --master_port 29502 o.py ;;
  esac
}
f eval &
f train &
f other &
f $X &
"""
    found = [(x.label, x.settings["master_port"].text) for x in launches(text)]
    assert sorted(found) == [
        ("line 10", "29502"),
        ("line 11", "29500"),
        ("line 11", "29501"),
        ("line 11", "29502"),
        ("line 8", "29501"),
        ("line 9", "29500"),
    ]


def test_a_branch_that_no_call_takes_is_read_by_itself() -> None:
    text = "f() { if [ $1 -gt 1 ]; then torchrun --nnodes $1 x.py; fi; }\nf 1\n"
    assert launch(text).settings["nnodes"].value == Variable("1")
    nested = "g() { torchrun x.py $1; }\nf() { if [ $1 = a ]; then g $1; fi; }\nf a\nf b\n"
    (one,) = launches(nested)
    assert one.program is not None
    assert one.program.args[0].text == "a"


@pytest.mark.parametrize("end", ["&\nx\nEOF", "\nx\nEOF"])
def test_a_document_behind_a_job(end: str) -> None:
    text = f"ssh a bash -s <<EOF {end}\n".replace("x\n", "torchrun --node_rank 0 x.py\n")
    assert launch(text).background is (end[0] == "&")


def test_a_script_says_the_same_as_a_function(tmp_path: Path) -> None:
    """Every script of the cases, as it is and as the body of a function that is called."""

    def findings(folder: Path, file: str, shift: int) -> list[tuple[str, int]]:
        session = Session(Settings(root=folder), [folder / file], folder, folder)
        return sorted(
            (f.rule.code, f.document.source.position(f.span.start)[0] - shift)
            for f in session.lint().findings
            if f.rule.family != "META"
        )

    seen = 0
    for number, case in enumerate(all_cases()):
        files = [f for f in (case.path / "input").rglob("*") if f.is_file()]
        if len(files) != 1 or files[0].suffix != ".sh":
            continue
        if case.rule == "shell-unclosed-quote":
            continue  # the quotes of the lines around would close them
        text = files[0].read_text()
        if any(sign in text for sign in ("\r", "#SBATCH", "cfglint", "() {")):
            continue
        alone, inside = tmp_path / f"a{number}", tmp_path / f"b{number}"
        for folder, whole in ((alone, text), (inside, f'main() {{\n{text}\n}}\nmain "$@"\n')):
            folder.mkdir()
            (folder / files[0].name).write_text(whole)
        expected = findings(alone, files[0].name, 0)
        seen += len(expected)
        assert findings(inside, files[0].name, 1) == expected, case.path
    assert seen > 50
