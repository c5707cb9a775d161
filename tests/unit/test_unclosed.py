"""Quotes and braces that are never closed, as `bash -n` finds them, in whatever runs a shell."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from cfglint.model.fragment import Fragment
from cfglint.syntax.unclosed import unclosed
from tests.carriers import notebook
from tests.running import as_json, write

TEXTS = [
    """echo "${x:-it's}\"""", """echo "${x:-"a b"}\"""", """echo "${x:-"a b}\"""",
    """echo "${x:-a"b}\"""", """echo "${x:-'a b}\"""", """echo "${x:-'a}b'}\"""",
    """echo "${x%'a'}\"""", """echo "${x%'a}\"""", """echo "${x#"a}\"""",
    """echo "${x/'a'/b}\"""", """echo ${x:-'a}""", """echo ${x:-"a}""", """echo ${x:-"a b"}""",
    """echo "${x:-`a`}\"""", """echo "${x:-a\nb}\"""", """echo "${x:-"a\nb"}\"""",
    """echo "${x:-{a}\"""", """echo "${x:="it's"}\"""", """echo "${x:-$(echo "a")}\"""",
    """echo "${x:-"$(echo "a")"}\"""", """echo "${x:-"$y}\"""", """echo "${x:+"--a "$y""}\"""",
    """echo "${x:+--a \\"$y\\"}\"""", """echo "${x:+--a \\"$y}\"""", """echo "${x//\\"/}\"""",
    """echo "${x//'"'/}\"""", """echo "${x^^'a}\"""", """cat <<E\n${x:-it's}\nE""",
    """x="${y:-a\necho "b\"""", "echo \"a\necho b", "echo 'a'\necho 'b", "echo \"$(echo 'a')\"",
]  # fmt: skip
COMMAND = "torchrun --standalone --nproc_per_node=2 train.py --name "


@pytest.mark.parametrize("text", TEXTS)
def test_what_is_open_is_open_for_bash(text: str) -> None:
    run = subprocess.run(["bash", "-n"], input=text + "\n", capture_output=True, text=True)
    found = unclosed(Fragment("run.sh", text + "\n"))
    assert (found is not None) == (run.returncode != 0), run.stderr
    if found is not None:
        assert "unexpected EOF while looking for matching" in run.stderr


def test_sh_takes_a_quote_in_quoted_braces_for_a_letter() -> None:
    text = """#!/bin/sh\necho "${x:-it's}"\n"""
    assert unclosed(Fragment("run.sh", text)) is None


def step(run: str, runner: str = "gpu") -> dict[str, str | bytes]:
    text = f"on: push\njobs:\n  train:\n    runs-on: {runner}\n    steps:\n      - run: |\n"
    lines = "".join(f"          {line}\n" for line in run.splitlines())
    return {".github/workflows/train.yml": text + lines}


def recipe(line: str, head: str = "") -> dict[str, str | bytes]:
    return {"Makefile": f"{head}train:\n\t@echo start\n\t{line}\n"}


@pytest.mark.parametrize(
    ("files", "line"),
    [
        (recipe(COMMAND + '"a'), 3),
        (recipe(COMMAND + '"a \\\n\t  --more'), 3),
        (recipe(COMMAND + '"a"  # it\'s'), None),
        (recipe(COMMAND + "\"a \\\n\t  b\""), None),
        (recipe(COMMAND + "$(subst ',x,$(NAME))"), None),
        (recipe(COMMAND + "$(NAME)'", "NAME := 'a\n"), None),
        (recipe(COMMAND + "'$$A' $${B:-\"b\"}"), None),
        (recipe(COMMAND + '"a\n\tb"', ".ONESHELL:\n"), None),
        (recipe("true", f"RUN = 'a \\\n\t{COMMAND} b'\n"), None),
        ({"justfile": f"train:\n    {COMMAND}'{{{{name}}}}\n"}, 2),
        ({"justfile": f"train:\n    {COMMAND}'{{{{name}}}}'\n"}, None),
        ({"justfile": f'train:\n    #!/usr/bin/env python\n    # don\'t: "{COMMAND}\n'}, None),
        (step(f"echo start\n{COMMAND}'a"), 8),
        (step(f"echo \"it's\"\n{COMMAND}'${{{{ inputs.name }}}}'"), None),
        (step(f"{COMMAND}'a", "windows-2022"), None),
        (notebook("%%bash\necho start\n" + COMMAND + '"a\n'), 10),
        (notebook("!" + COMMAND + "'a\n"), 8),
        (notebook("%%bash\n" + COMMAND + '"a" # it\'s\n'), None),
        (notebook("x = \"it's\"\n", "!" + COMMAND + "'{x}'\n"), None),
    ],
)  # fmt: skip
def test_recipes_steps_and_cells(
    tmp_path: Path, files: dict[str, str | bytes], line: int | None
) -> None:
    write(tmp_path, {"train.py": "", **files})
    run = as_json(tmp_path, "--isolated", ".")
    rows = [row for row in run.rows() if row[3] == "SYN010"]
    assert [row[1] for row in rows] == ([] if line is None else [line])


def test_nothing_behind_it_is_judged(tmp_path: Path) -> None:
    fault = "torchrun --standalone --nnodes=2 train.py"
    write(tmp_path, {"train.py": "", **step(f"{fault}\necho 'a\n{fault}")})
    run = as_json(tmp_path, "--isolated", "--select", "SYN010,TOPO008", ".")
    assert [(row[1], row[3]) for row in run.rows()] == [(7, "TOPO008"), (8, "SYN010")]
