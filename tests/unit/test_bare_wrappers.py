"""A command that starts others, given nothing to start, crashes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from cfglint.commands.wrappers import WRAPPERS
from tests.lintcases import lint

BEHIND = ("", "-c", "-x", "--", "-o a", "run", "exec x", "$X", "-np")


@pytest.mark.parametrize("name", sorted(WRAPPERS))
def test_a_wrapper_alone(name: str, tmp_path: Path) -> None:
    variables = 'ENV MASTER_ADDR=10.0.0.1 MASTER_PORT="29501"\n'
    for number, words in enumerate(BEHIND):
        items = ", ".join(f'"{word}"' for word in (name, *words.split()))
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "Dockerfile").write_text(f"FROM a\n{variables}ENTRYPOINT [{items}]\n")
        (folder / "run.sh").write_text(f"export MASTER_PORT=29501\n{name} {words}\ntorchrun a.py\n")
    result = lint(tmp_path)
    assert [f.message for f in result.findings if f.rule.family == "META"] == []
    assert len(result.project.launches) >= len(BEHIND)
