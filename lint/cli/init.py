"""`cfglint init`: a first settings file, made from what the repository holds."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cfglint.cli import UsageError
from cfglint.cli._paths import path as as_path

if TYPE_CHECKING:
    from cfglint.result import Result

STANZA = """\
# It runs the cfglint that is installed. The hook of cfglint's own repository installs it, too.
repos:
  - repo: local
    hooks:
      - id: cfglint
        name: cfglint
        entry: cfglint check --force-exclude
        language: system
        types: [text]
        files: '{files}'
        require_serial: true
"""
HOOKS = ".pre-commit-config.yaml"


def run(
    folder: Annotated[
        Path,
        typer.Argument(help="The repository; the current folder without one.", parser=as_path),
    ] = Path(),
    baseline: Annotated[
        bool | None,
        typer.Option("--baseline/--no-baseline", help="Put today's findings into a baseline."),
    ] = None,
    pre_commit: Annotated[
        bool | None,
        typer.Option("--pre-commit/--no-pre-commit", help=f"Write {HOOKS} if there is none."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Write over a cfglint.toml that is there.")
    ] = False,
) -> None:
    """Look at a repository and write a commented cfglint.toml.

    It says which kinds of configs were found, which versions the tree pins, and what the files tell
    of the site. On a terminal it asks whether to write a baseline and a pre-commit stanza.
    """
    from cfglint.adoption.baseline import NAME
    from cfglint.cli._output import progress
    from cfglint.cli._running import Options, prepare
    from cfglint.explain import survey
    from cfglint.files.discovery import name_pattern
    from cfglint.settings import FILE_NAMES, SettingsError, holds_settings

    if not folder.is_dir():
        raise UsageError(f"no such folder: {folder}")
    target = folder / "cfglint.toml"
    if target.exists() and not force:
        raise UsageError(f"{target} is there already; --force writes over it")
    try:
        other = next((folder / n for n in FILE_NAMES if holds_settings(folder / n)), None)
    except SettingsError as problem:
        raise UsageError(str(problem)) from None
    if other is not None and other != target and not force:
        raise UsageError(f"settings stand in {other} already; --force writes {target} beside it")
    prepared = prepare(Options(paths=(folder,), isolated=True), gated=False)
    with progress(prepared.session, False):
        result = prepared.session.lint()
    found = survey.survey(result)
    kinds = ", ".join(f"{count} {kind}" for kind, count in found.kinds.most_common())
    print(f"Looked at {found.files} files: {kinds or 'no config that cfglint knows'}.")
    total = len(result.findings)
    if total:
        most = ", ".join(f"{code} {count}x" for code, count in found.rules.most_common(5))
        print(f"Found {total}: {most}.")
    if total and _wanted(baseline, f"Put these {total} findings into a baseline?"):
        _write_baseline(folder / NAME, result)
        known = NAME
    else:
        known = ""
    _write(target, survey.settings_text(found, known))
    hooks = folder / HOOKS
    stanza = STANZA.format(files=name_pattern())
    if not hooks.exists() and _wanted(pre_commit, f"Write {HOOKS}?"):
        _write(hooks, stanza)
    else:
        where = f"To run it before each commit, put this into {HOOKS}:"
        print(f"\n{where}\n\n{stanza}")
    if total and not known:
        print("To begin with new findings only: cfglint baseline write")
    elif total:
        print("`cfglint` reports new findings only from now on.")


def _wanted(option: bool | None, question: str) -> bool:
    if option is not None:
        return option
    return sys.stdin.isatty() and sys.stdout.isatty() and typer.confirm(question)


def _write_baseline(path: Path, result: Result) -> None:
    from cfglint.adoption.baseline import REASON, Baseline
    from cfglint.report.model import Report

    report = Report(result)
    made = Baseline(path)
    made.entries = [made.entry(f, report.line_of(f.message), REASON) for f in result.findings]
    _write(path, made.render())


def _write(path: Path, text: str) -> None:
    try:
        path.write_bytes(text.encode("utf-8", "backslashreplace"))
    except OSError as problem:
        raise UsageError(f"cannot write {path}: {problem.strerror or problem}") from None
    print(f"Wrote {path}.")
