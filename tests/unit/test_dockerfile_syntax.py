"""The Dockerfile scanner: nothing of the file is lost, and every piece knows its place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cfglint.syntax.dockerfile import Dockerfile, Instruction, parse
from cfglint.text import SourceText


def scan(text: str) -> Dockerfile:
    return parse(SourceText(text))


def only(text: str) -> Instruction:
    (instruction,) = scan(text).instructions
    return instruction


def check_lossless(file: Dockerfile) -> None:
    """Pieces cover the text; in an instruction, what is left out is layout and comments only."""
    text = file.source.text
    assert "".join(text[p.start : p.end] for p in file.pieces) == text
    for instruction in file.instructions:
        offsets = instruction.offsets or range(
            instruction.base, instruction.base + len(instruction.text) + 1
        )
        assert "".join(text[i] for i in offsets[: len(instruction.text)]) == instruction.text
        bodies = [h.body for h in (instruction.inner or instruction).heredocs]
        end = bodies[0].start if bodies else instruction.lines.end
        seen = set(offsets)
        left = "".join(
            "\n" if text[i] == "\r" else text[i]
            for i in range(instruction.lines.start, end)
            if i not in seen
        )
        for line in left.split("\n"):
            bare = line.strip()
            assert bare in ("", file.escape) or bare[0] == "#", line


SAMPLE = """\
# syntax=docker/dockerfile:1
# Escape = \\

ARG TAG=24.10
FROM nvcr.io/nvidia/pytorch:${TAG}-py3 AS base
# a comment
ENV A=1 \\
    # inside
    B="two words" C='$x' \\

    D=three\\ more
RUN --mount=type=cache,target=/root/.cache pip install \\
    torch
COPY <<-"EOF" /start.sh
\ttorchrun train.py
\tEOF
FROM base
ENV OLD form of it
ONBUILD RUN echo hi
CMD ["torchrun", "--nproc_per_node=2", "a \\"b\\".py"]
"""


def test_pieces_of_a_whole_file() -> None:
    file = scan(SAMPLE)
    check_lossless(file)
    assert [p.kind for p in file.pieces[:4]] == ["directive", "directive", "blank", "instruction"]
    assert file.directives == {"syntax": "docker/dockerfile:1", "escape": "\\"}
    assert [i.name for i in file.instructions] == (
        ["ARG", "FROM", "ENV", "RUN", "COPY", "FROM", "ENV", "ONBUILD", "CMD"]
    )
    base, final = file.stages
    assert base.name == "base"
    assert final.parent is base
    assert base.base.text == "nvcr.io/nvidia/pytorch:${TAG}-py3"
    assert [s.index for s in file.targets] == [1]
    assert not file.problems


def test_env_pairs_have_their_places() -> None:
    file = scan(SAMPLE)
    env = file.instructions[2]
    pairs = [(p.name.text, p.value.text if p.value else None) for p in env.pairs()]
    assert pairs == [("A", "1"), ("B", '"two words"'), ("C", "'$x'"), ("D", "three\\ more")]
    for pair in env.pairs():
        assert pair.value
        assert file.source.slice(env.token_span(pair.value)) == pair.value.text
        assert file.source.slice(env.token_span(pair.name)) == pair.name.text
    (old,) = file.instructions[6].pairs()
    assert old.spaced
    assert old.value
    assert (old.name.text, old.value.text) == ("OLD", "form of it")


def test_heredoc_body_is_not_instructions() -> None:
    file = scan(SAMPLE)
    (heredoc,) = file.instructions[4].heredocs
    assert (heredoc.name, heredoc.quoted, heredoc.strip_tabs) == ("EOF", True, True)
    assert file.source.slice(heredoc.body) == "\ttorchrun train.py\n"


def test_heredoc_name_apart() -> None:
    file = scan("FROM a\nRUN cat > /x << 'EOF'\nENV A=1\nEOF\nENV B=1\n")
    assert [i.name for i in file.instructions] == ["FROM", "RUN", "ENV"]
    assert file.instructions[1].heredocs[0].quoted


def test_two_heredocs_and_one_without_end() -> None:
    file = scan("FROM a\nRUN <<A cat <<B\none\nA\ntwo\nB\nRUN x <<C\nrest\n")
    check_lossless(file)
    first, second = file.instructions[1].heredocs
    assert file.source.slice(first.body) == "one\n"
    assert file.source.slice(second.body) == "two\n"
    assert not file.instructions[2].heredocs[0].terminated
    assert "never ended" in file.problems[0].message


@pytest.mark.parametrize(
    "line", ["RUN echo $((1<<2))", 'RUN echo "a <<EOF"', "RUN cat <<<word", "RUN cat <<- word"]
)
def test_what_only_looks_like_a_heredoc(line: str) -> None:
    assert only(line).heredocs == []


def test_flags_stand_before_the_arguments() -> None:
    run = only("RUN --mount=type=secret,id=t --network=none pip install --no-deps x")
    assert run.flag("network") == "none"
    assert run.flag("mount") == "type=secret,id=t"
    assert run.arguments == "pip install --no-deps x"


def test_json_form() -> None:
    cmd = only('CMD [ "sh", "-c", "a \\u0041" ]  ')
    words = cmd.json()
    assert words
    assert [w.text for w in words] == ['"sh"', '"-c"', '"a \\u0041"']
    assert only("CMD []").json() == []
    for shell_form in ("CMD ['a']", 'CMD ["a",]', 'CMD ["a"] b', "CMD [ -f x ]", 'CMD ["a" "b"]'):
        assert only(shell_form).json() is None


def test_escape_directive_changes_the_continuation() -> None:
    file = scan("# escape=`\nFROM a\nRUN dir `\n  c:\\\nENV A=1\n")
    check_lossless(file)
    assert [i.name for i in file.instructions] == ["FROM", "RUN", "ENV"]


def test_a_directive_counts_only_at_the_top() -> None:
    assert scan("\n# escape=`\nFROM a\n").escape == "\\"
    assert scan("# a note\n# escape=`\nFROM a\n").escape == "\\"


def test_blank_after_a_continuation_and_double_escape() -> None:
    file = scan("FROM a\nRUN one \\  \n  two\nRUN echo \\\\\nENV A=1\n")
    assert [i.name for i in file.instructions] == ["FROM", "RUN", "RUN", "ENV"]


def test_onbuild_and_stages_by_copy() -> None:
    file = scan("FROM a AS one\nFROM b AS two\nFROM c\nCOPY --from=ONE /x /x\nONBUILD ENV A=1\n")
    assert [s.name for s in file.targets] == ["two", ""]
    inner = file.instructions[-1].inner
    assert inner
    assert inner.name == "ENV"
    assert inner.pairs()[0].name.text == "A"


def test_problems_are_told_with_their_place() -> None:
    file = scan("FROM a\nNETWORK host\nFROM\n")
    assert [(p.message, file.source.slice(p.span)) for p in file.problems] == [
        ("unknown instruction: NETWORK", "NETWORK"),
        ("FROM names no image", "FROM"),
    ]


LINES = st.lists(
    st.sampled_from(
        ["FROM a", "RUN x \\", "ENV A='b \\", "# c", "", "  \\", "COPY <<E /x", "E", "CMD [\"a\"",
         "ONBUILD", "ARG X=\"", "\t# d", "RUN --mount", "ENV A", "ENV =", "\\", "RUN <<-'E' <<"]
    )
)  # fmt: skip


@given(LINES, st.sampled_from(["\n", "\r\n", "\r"]))
def test_any_arrangement_of_lines_is_kept(lines: list[str], newline: str) -> None:
    file = scan(newline.join(lines))
    check_lossless(file)
    for instruction in file.instructions:
        instruction.pairs()
        instruction.json()


@given(st.text(max_size=200))
def test_any_text_is_kept(text: str) -> None:
    file = scan(text)
    assert "".join(text[p.start : p.end] for p in file.pieces) == text
