"""`cfglint kinds PATHS`: what each file was taken for, and why."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cfglint.cli import UsageError
from cfglint.cli._paths import path as as_path

if TYPE_CHECKING:
    from cfglint.model.document import Document


def run(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(help="Files and folders; the current folder without any.", parser=as_path),
    ] = None,
    config: Annotated[
        Path | None, typer.Option(help="Settings file to use.", parser=as_path, metavar="PATH")
    ] = None,
    show_all: Annotated[bool, typer.Option("--all", help="Also files of no known kind.")] = False,
    output_format: Annotated[
        str, typer.Option("--output-format", "--format", help="text or json.")
    ] = "text",
) -> None:
    """Say of what kind each file is, and what tells so."""
    if output_format not in ("text", "json"):
        raise UsageError(f"unknown output format {output_format!r}; known are text, json")
    from cfglint.cli._running import Options, prepare
    from cfglint.wording import visible

    run = prepare(Options(paths=tuple(paths or ()), config=config), gated=False)
    named = show_all or any(path.is_file() for path in paths or ())
    rows = sorted(
        (d.path, d.kind or "", d.reason or _why(d))
        for d in run.session.lint().project.documents
        if d.given and (d.kind is not None or named or d.is_unseen)
    )
    if output_format == "json":
        data = [{"path": path, "kind": kind or None, "reason": why} for path, kind, why in rows]
        print(json.dumps(data, indent=1, ensure_ascii=False))
        return
    width = max((len(row[0]) for row in rows), default=0)
    for path, kind, reason in rows:
        print(visible(f"{path:{width}}  {kind or 'unknown':13} {reason}"))
    if not rows:
        print("No file of a kind that cfglint knows; --all lists the others.")


def _why(document: Document) -> str:
    """Why a file has no kind."""
    unread = next((p.message for p in document.problems if p.code == "SYN001"), "")
    return unread or "no mark of a kind that cfglint knows"
