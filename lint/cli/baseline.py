"""`cfglint baseline write|prune|show`: the file of known findings."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cfglint.cli import UsageError
from cfglint.cli._paths import path as as_path
from cfglint.wording import many

if TYPE_CHECKING:
    from cfglint.adoption.baseline import Baseline, Entry
    from cfglint.cli._running import Options, Run
    from cfglint.result import Result
    from cfglint.rule import Finding

ACTIONS = ("write", "prune", "show")
ENTRIES = ("entry", "entries")
EPILOG = (
    "write: every finding of the paths becomes an entry; entries that still hold keep their"
    " reasons. prune: take out entries whose finding is gone. show: what is in it, by rule."
)


def run(
    action: Annotated[str, typer.Argument(help="write, prune or show.")],
    paths: Annotated[
        list[Path] | None,
        typer.Argument(help="Files and folders; the current folder without any.", parser=as_path),
    ] = None,
    baseline: Annotated[
        Path | None,
        typer.Option(
            help="The file (else the one in the settings, else cfglint-baseline.json).",
            parser=as_path,
            metavar="PATH",
        ),
    ] = None,
    reason: Annotated[str, typer.Option(help="Why new entries are left as they are.")] = "",
    config: Annotated[
        Path | None, typer.Option(help="Settings file to use.", parser=as_path, metavar="PATH")
    ] = None,
    isolated: Annotated[bool, typer.Option("--isolated", help="Use no settings file.")] = False,
) -> None:
    """Keep known findings in a file, so that only new ones are reported.

    Try: cfglint baseline write && cfglint --baseline cfglint-baseline.json
    """
    from cfglint.cli._running import Options
    from cfglint.spelling import near

    if action not in ACTIONS:
        guess = near(action, ACTIONS)
        meant = f"did you mean {guess}?" if guess else f"known are {', '.join(ACTIONS)}"
        raise UsageError(f"cfglint baseline does not know {action!r}; {meant}")
    options = Options(
        paths=tuple(paths or ()), config=config, isolated=isolated, baseline=baseline, reason=reason
    )
    if action == "show":
        _show(options.paths, _load(_file(options)))
    else:
        _work(action, options)


def _file(options: Options) -> Path:
    from cfglint.adoption.baseline import NAME
    from cfglint.cli._running import settings_for

    if options.baseline is not None:
        return options.baseline
    settings = settings_for(options.paths or (Path(),), options.config, options.isolated)
    if settings.baseline is not None:
        return settings.baseline
    return Path(NAME)


def _load(path: Path) -> Baseline:
    from cfglint.adoption.baseline import BaselineError, load

    try:
        return load(path)
    except BaselineError as problem:
        raise UsageError(str(problem)) from None


def _work(action: str, options: Options) -> None:
    from cfglint.cli._output import progress
    from cfglint.cli._running import prepare
    from cfglint.settings import shown

    path = _file(options)
    options.baseline = None
    run = prepare(options, gated=False)
    exists = path.exists()
    if action == "prune" or exists:
        old = _load(path)
    else:
        from cfglint.adoption.baseline import Baseline

        old = Baseline(path)
    with progress(run.session, False):
        result = run.session.lint()
    run.gate.baseline = old
    match = old.match(result.findings)
    stale = run.gate.stale(result, match.unmatched)
    kept = [entry for entry in old.entries if not any(entry is one for one in stale)]
    if action == "prune":
        _save(old, kept)
        print(f"{shown(path)}: took out {many(len(stale), *ENTRIES)}, left {len(kept)}.")
        return
    added = _entries(run, result, match.new, old)
    for finding, entry in match.known:
        entry.line = finding.document.source.position(finding.span.start)[0]
    _save(old, kept + added)
    gone = f", {len(stale)} taken out" if stale else ""
    print(f"{shown(path)}: {many(len(kept) + len(added), *ENTRIES)} ({len(added)} new{gone}).")
    if not exists and run.settings.baseline is None:
        print(f'Use it with --baseline {path}, or `baseline = "{path}"` in the settings.')


def _entries(run: Run, result: Result, findings: list[Finding], old: Baseline) -> list[Entry]:
    from cfglint.adoption.baseline import REASON
    from cfglint.report.model import Report

    report = Report(result)
    reason = run.options.reason or REASON
    # A message never goes in as it is: it may hold a secret, and the file is committed.
    return [old.entry(f, report.line_of(f.message), reason) for f in findings]


def _save(old: Baseline, entries: list[Entry]) -> None:
    old.entries = entries
    text = old.render()
    if text == old.text:
        return
    try:
        old.path.parent.mkdir(parents=True, exist_ok=True)
        partial = old.path.with_name(f".{old.path.name}.tmp")
        partial.write_bytes(text.encode("utf-8", "backslashreplace"))
        partial.replace(old.path)
    except OSError as problem:
        raise UsageError(f"cannot write {old.path}: {problem.strerror or problem}") from None


def _show(paths: tuple[Path, ...], baseline: Baseline) -> None:
    from collections import Counter

    from cfglint.settings import shown

    counts = Counter((entry.rule, entry.reason) for entry in baseline.entries)
    files = {entry.path for entry in baseline.entries}
    for (rule, reason), count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        sys.stdout.write(f"{count:5} {rule:8} {reason}\n")
    where = f"{len(files)} file{'s' * (len(files) != 1)}"
    print(f"{shown(baseline.path)}: {many(len(baseline.entries), *ENTRIES)} in {where}.")
