"""Scripts: commands in order, what surrounds them, and what launches tell of each other."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cfglint.syntax import simple_words
from cfglint.syntax.bash import comments
from tests.unit.shell import applied, launches, script


def test_commands_in_order() -> None:
    text = """\
set -e
if [ -n "$A" ]; then first; elif x; then second; else third; fi
for i in 1 2; do fourth & done
f() { fifth; }
( sixth ) | seventh
a && eighth || ninth
case $x in a) tenth;; *) eleventh;; esac
"""
    kinds = {c.name: [x.kind for x in c.context.chain()] for c in script(text).commands}
    assert kinds["set"] == ["file"]
    assert kinds["first"] == kinds["second"] == kinds["third"] == ["branch", "file"]
    assert kinds["fourth"] == ["job", "loop", "file"]
    assert kinds["fifth"] == ["function", "file"]
    assert kinds["sixth"] == ["subshell", "pipe", "file"]
    assert kinds["seventh"] == ["pipe", "file"]
    assert kinds["eighth"] == ["after", "file"]
    assert kinds["tenth"] == ["branch", "file"]


def test_offsets_behind_wide_characters() -> None:
    text = 'echo "日本 😀"\ntorchrun --nproc_per_node=8 "é" train.py\n'
    command = script(text).commands[1]
    assert [w.raw for w in command.words] == ["torchrun", "--nproc_per_node=8", '"é"', "train.py"]
    assert text[command.start : command.end] == command.raw


def test_redirections_are_no_words() -> None:
    one, two = script("torchrun x.py > log 2>&1 &\ncat <<EOF\n$A b\nEOF\n").commands
    assert [w.raw for w in one.words] == ["torchrun", "x.py"]
    assert one.background
    assert [r.sign for r in one.redirects] == [">", ">&"]
    assert two.redirects[0].body is not None
    assert two.redirects[0].body.text == "$A b\n"


def test_arrays() -> None:
    one = script('A=(--a 1 # why\n  --b "2 3" \\\n --c)\n')
    found = one.array(one.assignments[0])
    assert found is not None
    assert [w.text for w in found] == ["--a", "1", "--b", "2 3", "--c"]


def test_comments() -> None:
    text = "# a é\nb # c\ncat <<EOF\n# no\nEOF\necho '# no'\n"
    assert {text[at : at + 3] for at in comments(text)} == {"# a", "# c"}


@pytest.mark.parametrize(
    ("text", "together"),
    [
        ("torchrun a.py &\ntorchrun b.py &\nwait\n", True),
        ("torchrun a.py\ntorchrun b.py\n", False),
        ("torchrun a.py &\nwait\ntorchrun b.py &\n", False),
        ("torchrun a.py &\ntorchrun b.py\n", True),
        ("(torchrun a.py; torchrun b.py) &\n", False),
        ("(torchrun a.py) &\n(torchrun b.py) &\n", True),
        ("if x; then torchrun a.py &\nelse torchrun b.py &\nfi\n", False),
        ("ssh a torchrun a.py &\nssh b torchrun b.py &\n", False),
        ("ssh a torchrun a.py &\nssh a torchrun b.py &\n", True),
        ("{ torchrun a.py & } ; torchrun b.py\n", True),
        ("tmux new -d 'torchrun a.py'\ntmux new -d 'torchrun b.py'\nwait\n", True),
        ("docker run -d i torchrun a.py\ndocker run i torchrun b.py\n", True),
        ("docker run i torchrun a.py\ndocker run i torchrun b.py\n", False),
    ],
)
def test_overlaps(text: str, together: bool) -> None:
    one, two = launches(text)
    assert one.overlaps(two) is together
    assert two.overlaps(one) is together


@pytest.mark.parametrize(
    ("text", "again"),
    [
        ("for i in 0 1; do torchrun a.py & done\nwait\n", True),
        ("for i in 0 1; do torchrun a.py; done\n", False),
        ("for i in 0 1; do torchrun a.py & wait; done\n", False),
        ("for i in 0; do torchrun a.py & done\n", False),
        ("torchrun a.py &\n", False),
    ],
)
def test_loops_start_again(text: str, again: bool) -> None:
    (one,) = launches(text)
    assert one.overlaps(one) is again


def test_to_background() -> None:
    text = "for n in 0 1; do\n    ssh $n torchrun a.py > log\ndone\necho done\n"
    (one,) = launches(text)
    assert one.to_background is not None
    edits = one.to_background()
    assert edits is not None
    fixed = "for n in 0 1; do\n    ssh $n torchrun a.py > log &\ndone\nwait\necho done\n"
    assert applied(text, *edits) == fixed


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "torchrun",
                "--nproc_per_node",
                "=8",
                " ",
                "\n",
                "$A",
                "${A:-1}",
                '"',
                "'",
                "(",
                ")",
                "if x; then",
                "fi",
                "&",
                "|",
                "A=",
                "export ",
                "<<EOF\n",
                "EOF\n",
                "bash -c ",
                "srun ",
                "docker run -p 1:1 i ",
                "$((",
                "))",
                "\\",
                "é",
                "for i in 1; do ",
                "done",
                "`",
                "#",
                "--rdzv_endpoint=h:1 ",
                "x.py",
                "-m ",
                "[@]",
                "{",
                "}",
                "eval ",
                "accelerate launch ",
            ]
        ),
        max_size=25,
    )
)
def test_any_text_is_read(pieces: list[str]) -> None:
    """No text raises, and every place lies inside it."""
    text = "".join(pieces)
    for one in launches(text):
        for setting in [*one.settings.values(), *one.env.values()]:
            assert 0 <= setting.span.start <= setting.span.end <= len(text)
            setting.write("1")
            setting.remove()
        one.set_env("A", "b")
        assert all(w.span.start <= w.span.end for w in one.argv)


LAUNCH = "torchrun --nproc_per_node=8 --master_port=$X x.py\n"


@pytest.mark.parametrize(
    "text",
    [
        "X=1\n" + "X=$X1\n" * 2000 + LAUNCH,
        "X=1\n" + "X+=1\n" * 2000 + LAUNCH,
        "A='--nnodes 1'\n" + 'A="$A --max_restarts 3"\n' * 800 + "torchrun $A x.py\n",
        "X0=1\n" + "".join(f"X{i}=$X{i - 1}\n" for i in range(1, 2000)) + "X=$X1999\n" + LAUNCH,
        "X=" + "${A:-" * 2000 + "1" + "}" * 2000 + "\n" + LAUNCH,
        "X=$((" + "(" * 2000 + "1" + ")" * 2000 + "))\n" + LAUNCH,
        "A=()\n" + "A+=(--max_restarts 3)\n" * 500 + 'torchrun "${A[@]}" x.py\n',
        'C="$C"\nD="$E"\nE="$D"\neval $D\ntorchrun x.py $E\n',
        "C='eval $C'\neval $C\ntorchrun x.py\n",
    ],
    ids=[
        "itself", "append", "options", "chain", "defaults", "brackets", "array", "circle", "eval",
    ],
)  # fmt: skip
def test_long_chains_end(text: str) -> None:
    assert [one.launcher for one in launches(text)] == ["torchrun"]


def test_deep_nesting_is_no_crash() -> None:
    assert launches("if x; then\n" * 1200 + LAUNCH + "fi\n" * 1200) == []


def test_words_behind_what_only_looks_like_arithmetic() -> None:
    text = (
        "torchrun --rdzv_conf=is_host=$(((SLURM_NODEID)) && echo 0 || echo 1) \\\n"
        '    --rdzv_id="$(date +"%s")" \\\r\n'
        "    --rdzv_endpoint=$HOST:29500 'a b' train.py\n"
    )
    assert [w.raw for w in script(text).commands[0].words] == [
        "torchrun",
        "--rdzv_conf=is_host=$(((SLURM_NODEID)) && echo 0 || echo 1)",
        '--rdzv_id="$(date +"%s")"',
        "--rdzv_endpoint=$HOST:29500",
        "'a b'",
        "train.py",
    ]


def test_a_string_that_nothing_closes_is_read_in_one_way() -> None:
    text = 'echo "' + "$NAMES and " * 2000 + "\n"
    assert simple_words.ranges(text, 0, len(text)) is None  # at once, not after all ways to read it
