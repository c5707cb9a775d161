"""Comments and `per-file-ignores`: what they silence, and what is said of those that silence
nothing."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.commandline import BAD, CLEAN, cfglint, places, tree

CONCISE = ("--output-format", "concise")
PORT = "main_process_port: 70000"


def found(folder: Path, text: str, *args: str) -> list[str]:
    tree(folder, {"a.yaml": text})
    return places(cfglint(folder, *CONCISE, *args))


WORDS = ["PORT004", "port004", "PORT", "port", "port-out-of-range", "PORT00", "ALL", "NET, PORT"]


@pytest.mark.parametrize("word", WORDS)
def test_a_comment_at_the_end(tmp_path: Path, word: str) -> None:
    left = found(tmp_path, BAD.replace(PORT, f"{PORT}  # cfglint: ignore[{word}] -- because"))
    assert [place for place in left if "PORT" in place] == []
    assert left == (["a.yaml:5 META001"] if word == "NET, PORT" else [])


@pytest.mark.parametrize("word", ["ignore", "ignore-next-line"])
def test_a_comment_above(tmp_path: Path, word: str) -> None:
    comment = f"# cfglint: {word}[PORT004]"
    assert found(tmp_path, BAD.replace(PORT, f"{comment}\n\n# more\n{PORT}")) == []
    assert found(tmp_path, BAD.replace(PORT, f"{comment}\nmachine_rank: 0\n{PORT}")) == [
        "a.yaml:5 META001",
        "a.yaml:7 PORT004",
    ]


def test_next_line_does_not_mean_its_own(tmp_path: Path) -> None:
    text = BAD.replace(PORT, f"{PORT}  # cfglint: ignore-next-line[PORT004]\nmachine_rank: 0")
    assert found(tmp_path, text) == ["a.yaml:5 PORT004", "a.yaml:5 META001"]


def test_a_whole_file(tmp_path: Path) -> None:
    assert found(tmp_path, "# cfglint: ignore-file[PORT004] -- old\n" + BAD) == []
    assert found(tmp_path, BAD + "# cfglint: ignore-file[port-out-of-range]\n") == []


@pytest.mark.parametrize("end", ["ignore-end", "ignore-end[PORT004]"])
def test_a_block(tmp_path: Path, end: str) -> None:
    begin = "# cfglint: ignore-begin[PORT004] -- a reason"
    block = f"{begin}\nmachine_rank: 0\n{PORT}\n# cfglint: {end}\n"
    assert found(tmp_path, CLEAN + block) == []
    after = CLEAN + f"{begin}\nmachine_rank: 0\n# cfglint: {end}\n{PORT}\n"
    assert found(tmp_path, after) == ["a.yaml:5 META001", "a.yaml:8 PORT004"]


def test_blocks_can_lie_within_each_other(tmp_path: Path) -> None:
    text = (
        "# cfglint: ignore-begin[PORT004]\n# cfglint: ignore-begin[NET]\n"
        f"machine_rank: 0\n# cfglint: ignore-end[NET]\n{PORT}\n# cfglint: ignore-end[PORT004]\n"
    )
    assert found(tmp_path, CLEAN + text) == ["a.yaml:6 META001"]


def test_blocks_without_the_other_end(tmp_path: Path) -> None:
    tree(tmp_path, {"a.yaml": CLEAN + f"# cfglint: ignore-begin[PORT004]\n{PORT}\n"})
    run = cfglint(tmp_path, *CONCISE)
    assert places(run) == ["a.yaml:5 META001"]
    assert "reaches to the end of the file" in run.out
    tree(tmp_path, {"a.yaml": CLEAN + "# cfglint: ignore-end[PORT004]\n"})
    assert "no ignore-begin for the same rules stands above it" in cfglint(tmp_path, *CONCISE).out


@pytest.mark.parametrize(
    ("comment", "words"),
    [
        ("ignore[PRT004]", "there is no rule PRT004; did you mean PORT004?"),
        ("ignore[port-out-of-rage]", "did you mean port-out-of-range?"),
        ("ignore[zzz-nothing]", "there is no rule zzz-nothing; `cfglint rules` lists them"),
        ("ignroe[PORT004]", "cfglint knows no comment 'ignroe'; did you mean ignore?"),
        ("ignore", "`ignore` without a rule has no effect"),
    ],
)
def test_comments_that_are_none(tmp_path: Path, comment: str, words: str) -> None:
    tree(tmp_path, {"a.yaml": BAD.replace(PORT, f"{PORT}  # cfglint: {comment}")})
    run = cfglint(tmp_path, *CONCISE)
    assert "a.yaml:5 PORT004" in places(run)
    assert words in run.out


def test_a_comment_inside_a_value_is_none(tmp_path: Path) -> None:
    text = CLEAN + f'main_training_function: "x # cfglint: ignore-file[PORT004]"\n{PORT}\n'
    assert found(tmp_path, text) == ["a.yaml:6 PORT004"]


@pytest.mark.parametrize(
    "script",
    [
        "cat > a.yaml <<EOF\nport: 1  # cfglint: ignore[PORT004]\nEOF\n",
        "cat > a.yaml <<-'END_IT'\n\tport: 1  # cfglint: ignore[PORT004]\n\tEND_IT\n",
        'echo "say # cfglint: ignore[PORT004]"\n',
        "echo 'say # cfglint: ignore[PORT004]' | tee a.yaml\n",
    ],
)
def test_text_of_a_script_is_no_comment(tmp_path: Path, script: str) -> None:
    tree(tmp_path, {"run.sh": f"#!/bin/bash\n{script}", "Dockerfile": f"FROM x\nRUN {script}"})
    assert places(cfglint(tmp_path, *CONCISE)) == []


def test_an_apostrophe_in_a_comment_opens_no_quote(tmp_path: Path) -> None:
    tree(tmp_path, {"run.sh": "#!/bin/bash\ntrue  # don't  # cfglint: ignore[PORT004]\n"})
    assert places(cfglint(tmp_path, *CONCISE)) == ["run.sh:2 META001"]


def test_behind_a_heredoc_comments_count_again(tmp_path: Path) -> None:
    script = "#!/bin/bash\ncat <<EOF\nx\nEOF\necho \"a\" 'b' # cfglint: ignore[PORT004]\n"
    tree(tmp_path, {"run.sh": script})
    assert places(cfglint(tmp_path, *CONCISE)) == ["run.sh:5 META001"]


def test_a_scheduler_line_is_no_mere_comment(tmp_path: Path) -> None:
    script = (
        "#!/bin/bash\n#SBATCH --nodes=2\n# cfglint: ignore[SLURM]\n#SBATCH --nodelist=a\n"
        "srun hostname\n"
    )
    tree(tmp_path, {"a.sh": script})
    lines = [p for p in places(cfglint(tmp_path, *CONCISE)) if "META001" in p]
    assert lines == ["a.sh:3 META001"]
    from cfglint.adoption.suppressions import find
    from cfglint.files.loading import from_bytes

    (comment,) = find(from_bytes(script.encode(), "a.sh", tmp_path / "a.sh"))
    assert (comment.first, comment.last) == (4, 4)


def test_reasons_can_be_asked_for(tmp_path: Path) -> None:
    tree(tmp_path, {"cfglint.toml": "require-reason = true\n"})
    comment = "# cfglint: ignore[PORT004]"
    assert found(tmp_path, BAD.replace(PORT, f"{PORT}  {comment}")) == ["a.yaml:5 META003"]
    assert found(tmp_path, BAD.replace(PORT, f"{PORT}  {comment} -- a firewall")) == []


# -- per-file-ignores ----------------------------------------------------------------------------


def test_per_file_ignores(tmp_path: Path) -> None:
    settings = '[per-file-ignores]\n"old/*" = ["PORT004"]\n'
    tree(tmp_path, {"old/a.yaml": BAD, "new/a.yaml": BAD, "cfglint.toml": settings})
    assert places(cfglint(tmp_path, *CONCISE)) == ["new/a.yaml:5 PORT004"]
    assert cfglint(tmp_path / "old", *CONCISE, "a.yaml").code == 0


def test_per_file_ignores_that_silence_nothing(tmp_path: Path) -> None:
    settings = (
        'fail-on = "warning"\n\n[per-file-ignores]\n"old/*" = ["PORT004", "NET"]\n'
        '"gone/*" = ["PORT"]\n'
    )
    tree(tmp_path, {"old/a.yaml": BAD, "cfglint.toml": settings})
    run = cfglint(tmp_path, *CONCISE)
    assert places(run) == ["cfglint.toml:4 META001", "cfglint.toml:5 META001"]
    assert "'old/*' ignores NET: nothing of NET is found there" in run.out
    assert "'gone/*' ignores PORT: it matches no file" in run.out
    assert cfglint(tmp_path, *CONCISE, "old").code == 0, "the other files were not given"
    assert cfglint(tmp_path, *CONCISE, "--select", "PORT").code == 0, "not every rule was on"


def test_per_file_ignores_in_pyproject(tmp_path: Path) -> None:
    settings = '[project]\nname = "x"\n\n[tool.cfglint.per-file-ignores]\n"b.yaml" = ["PORT"]\n'
    tree(tmp_path, {"b.yaml": CLEAN, "pyproject.toml": settings})
    assert places(cfglint(tmp_path, *CONCISE)) == ["pyproject.toml:5 META001"]


def test_thousands_of_comments(tmp_path: Path) -> None:
    """The cost grows with the file, not with the square of it (which would be a minute here)."""
    line = "# cfglint: ignore[PORT004]\n"
    text = CLEAN + line * 8000 + f"{PORT}\n" + f"x: y  {line}" * 4000
    tree(tmp_path, {"a.yaml": text})
    begun = time.process_time()
    run = cfglint(tmp_path, *CONCISE, "--ignore", "META")
    assert time.process_time() - begun < 15
    assert "PORT004" not in run.out
