"""Paths on the command line."""

from __future__ import annotations

from pathlib import Path

import typer


def path(text: str | Path) -> Path:
    """The path that a word of the command line means; given to typer as `parser`.

    Raises BadParameter for an empty word: as a path it would mean the whole current folder.
    """
    if text == "":
        raise typer.BadParameter(
            "it is empty, as a variable that is not set; the current folder is `.`"
        )
    return Path(text)
