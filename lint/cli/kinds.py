"""`cfglint kinds PATHS`: what each file was taken for, and why."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cfglint.cli import UsageError


def run(
    paths: Annotated[list[Path] | None, typer.Argument(help="Files and folders.")] = None,
    config: Annotated[Path | None, typer.Option(help="Settings file to use.")] = None,
    show_all: Annotated[bool, typer.Option("--all", help="Also files of no known kind.")] = False,
) -> None:
    """Say of what kind each file is, and what tells so."""
    from cfglint import discovery
    from cfglint.cli.check import settings_for
    from cfglint.session import Session, project_root

    given = list(paths or [Path()])
    settings = settings_for(given, config, False)
    try:
        files = list(discovery.find(given, settings.exclude, settings.root))
    except discovery.NoSuchPathError as problem:
        raise UsageError(f"no such file or folder: {problem}") from None
    base = Path.cwd()
    result = Session(settings, files, base, project_root(base, files)).lint()
    named = show_all or any(path.is_file() for path in given)
    rows = [
        (d.path, d.kind or "unknown", d.reason or "no mark of a kind that cfglint knows")
        for d in result.project.documents
        if d.given and (d.kind is not None or named)
    ]
    width = max((len(row[0]) for row in rows), default=0)
    for path, kind, reason in sorted(rows):
        print(f"{path:{width}}  {kind:13} {reason}")
