"""A run over paths, as every command makes it: settings, files, the gate, and for `check` fixing,
reports and the exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from cfglint.adoption.gate import Gate
from cfglint.cli import UsageError
from cfglint.files import discovery, streams
from cfglint.record import dataclass, field, replace
from cfglint.result import Result
from cfglint.rule import Finding, Severity
from cfglint.session import Session, project_root
from cfglint.settings import Settings, SettingsError, shown

if TYPE_CHECKING:
    from cfglint.adoption.since import Since
    from cfglint.fixing.fixer import Fixed
    from cfglint.report.model import Report

FAIL_ON = ("error", "warning", "info", "never")
CLEAN, FINDINGS, FAILED, PARTIAL = 0, 1, 2, 3
STDIN = Path("-")


@dataclass(slots=True)
class Options:
    """What the command line says, beside the settings. Lists are split at commas."""

    paths: tuple[Path, ...] = ()
    select: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    force_exclude: bool = False
    config: Path | None = None
    isolated: bool = False
    fix: bool = False
    unsafe_fixes: bool = False
    diff: bool = False
    add_ignores: bool = False
    reason: str = ""
    baseline: Path | None = None
    since: str = ""
    fail_on: str = ""
    exit_zero: bool = False
    stdin_filename: Path | None = None
    formats: tuple[str, ...] = ()
    output_file: Path | None = None
    statistics: bool = False
    quiet: bool = False


@dataclass(slots=True)
class Run:
    """The session of a run and the gate that its findings pass."""

    options: Options
    settings: Settings
    session: Session
    gate: Gate
    given: tuple[Path, ...] = field(default_factory=tuple)
    unlisted: list[str] = field(default_factory=list)  # folders that could not be listed, and why

    @property
    def is_standard_input(self) -> bool:
        return STDIN in self.options.paths

    def lint(self, overrides: dict[str, bytes] | None = None) -> Result:
        """Lint, and let through what the gate lets through."""
        return self.gate.apply(self.session.lint(overrides))


def prepare(options: Options, *, gated: bool = True) -> Run:
    """Everything up to the linting. Raises UsageError for what was asked wrongly.

    `gated` is false for commands that want every finding, known ones too.
    """
    base = Path.cwd()
    paths = options.paths or (Path(),)
    stdin = STDIN in paths
    if stdin:
        if len(paths) > 1:
            raise UsageError("`-` (standard input) goes with no other path")
        data = standard_input()
        paths = (
            options.stdin_filename or Path(streams.guess_name(data.decode("utf-8", "replace"))),
        )
    elif options.stdin_filename is not None:
        raise UsageError("--stdin-filename goes with `-` as the path")
    flowing = () if stdin else tuple(path for path in paths if streams.is_stream(path))
    lying = tuple(path for path in paths if path not in flowing) or (Path(),)
    settings = overlaid(settings_for(lying, options.config, options.isolated), options)
    check_selectors(settings)
    unlisted: list[str] = []
    try:
        if stdin:
            files = list(paths)
            if options.force_exclude and discovery.is_excluded(
                paths[0], settings.exclude, settings.root
            ):
                files = []
        else:
            found = discovery.find(
                list(paths),
                settings.exclude,
                settings.root,
                options.force_exclude,
                unlisted=unlisted,
            )
            files = discovery.without_links(found)
    except discovery.NoSuchPathError as problem:
        raise UsageError(
            f"no such file or folder: {problem}{_meant(str(problem), gated)}"
        ) from None
    for message in unlisted:
        print(f"cfglint: {message}", file=sys.stderr)
    root = project_root(base, [file for file in files if file not in flowing])
    session = Session(settings, files, base, root)
    if stdin:
        session.stdin[os.path.abspath(base / paths[0])] = data
    for path in flowing:
        content = streams.read(path, settings.max_file_size) if path in files else None
        if content is not None:
            session.stdin[os.path.abspath(path)] = content
    folders = () if stdin else tuple(Path(os.path.abspath(p)) for p in paths if p.is_dir())
    run = Run(options, settings, session, Gate(base, folders), paths, unlisted)
    if gated:
        _set_gate(run, paths)
    return run


def standard_input() -> bytes:
    """All of standard input. Raises UsageError where it cannot be read."""
    try:
        return sys.stdin.buffer.read()
    except OSError as problem:
        why = problem.strerror or problem
        raise UsageError(f"cannot read standard input: {why}") from None


def _meant(path: str, default: bool) -> str:
    """The command that a path which is not there is likely meant for, if no command was named."""
    if not default or os.sep in path:
        return ""
    from cfglint.cli import commands
    from cfglint.spelling import near

    guess = near(path, commands())
    return f"; did you mean `cfglint {guess}`?" if guess else ""


# -- settings ----------------------------------------------------------------------------------


def settings_for(
    paths: Iterable[Path], config: Path | None = None, isolated: bool = False
) -> Settings:
    """The settings that hold for a run: the file named, else the nearest above the paths."""
    from cfglint import settings

    try:
        if isolated:
            return Settings()
        found = config
        if found is None:
            start = Path(os.path.commonpath([os.path.abspath(p) for p in paths]))
            found = settings.find_file(start if start.is_dir() else start.parent)
        elif not found.is_file():
            raise UsageError(f"no such settings file: {found}")
        loaded = settings.load(found) if found is not None else Settings()
    except SettingsError as problem:
        raise UsageError(str(problem)) from None
    if loaded.required_version:
        _require(loaded.required_version)
    return loaded


def overlaid(settings: Settings, options: Options) -> Settings:
    """The settings with what the command line says on top; `origins` tells which that is."""
    given = {
        "select": options.select,
        "extend-select": options.extend_select,
        "ignore": options.ignore,
        "exclude": options.exclude,
        "fail-on": options.fail_on,
        "unsafe-fixes": options.unsafe_fixes,
        "baseline": options.baseline,
    }
    origins = {name: f"--{name}" for name, value in given.items() if value}
    return replace(
        settings,
        select=options.select or settings.select,
        extend_select=settings.extend_select + options.extend_select,
        ignore=settings.ignore + options.ignore,
        exclude=settings.exclude + options.exclude,
        fail_on=options.fail_on or settings.fail_on,
        unsafe_fixes=options.unsafe_fixes or settings.unsafe_fixes,
        baseline=options.baseline or settings.baseline,
        origins={**settings.origins, **origins},
    )


def _require(wanted: str) -> None:
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    from cfglint import __version__

    signs = ("==", ">=", "<=", ">", "<", "~=", "!=")
    if not wanted.startswith(signs):
        wanted = f"=={wanted}"
    try:
        if __version__ not in SpecifierSet(wanted):
            raise UsageError(f"required-version is {wanted}, this is cfglint {__version__}")
    except InvalidSpecifier:
        raise UsageError(f"required-version: {wanted!r} is no version") from None


def check_selectors(settings: Settings) -> None:
    """Raise UsageError for a selector that means no rule, or a severity that is none."""
    groups = {
        "select": settings.select,
        "extend-select": settings.extend_select,
        "ignore": settings.ignore,
        **{f"per-file-ignores.{g}": rules for g, rules in settings.per_file_ignores.items()},
        **{f"severity.{selector}": (selector,) for selector in settings.severity},
    }
    if any(groups.values()):
        from cfglint.registry import is_known, known_words
        from cfglint.spelling import near

        for name, words in groups.items():
            for word in words:
                if not is_known(word):
                    guess = near(word, known_words())
                    meant = f"; did you mean {guess}?" if guess else "; `cfglint rules` lists them"
                    where = settings.origins.get(name, "")
                    where = f"{shown(Path(where))}: " if where[:2] not in ("", "--") else ""
                    raise UsageError(f"{where}unknown rule {word!r}{meant}")
    if settings.fail_on not in FAIL_ON:
        raise UsageError(f"--fail-on takes {', '.join(FAIL_ON)}, not {settings.fail_on!r}")


# -- the gate ----------------------------------------------------------------------------------


def _set_gate(run: Run, paths: tuple[Path, ...]) -> None:
    options, gate = run.options, run.gate
    if run.settings.baseline is not None:
        from cfglint.adoption import baseline

        try:
            gate.baseline = baseline.load(run.settings.baseline)
        except baseline.BaselineError as problem:
            raise UsageError(str(problem)) from None
    if options.since:
        from cfglint.adoption import since

        start = Path(os.path.commonpath([os.path.abspath(p) for p in paths]))
        try:
            gate.since = since.since(options.since, start if start.is_dir() else start.parent)
        except since.SinceError as problem:
            raise UsageError(str(problem)) from None
        gate.settle = lambda result: old_findings(run, result, gate.since)


def old_findings(run: Run, result: Result, since: Since | None) -> Iterator[Finding]:
    """The findings of the same paths in the state that a change is compared with.

    `result` is that of the new state.
    """
    from cfglint.adoption.fingerprint import path_under
    from cfglint.adoption.since import old_tree

    assert since is not None
    session = run.session
    known = Path(os.path.abspath(since.top))
    renamed = {new: old for new, old in since.old_paths.items() if old is not None}
    # Files that git ignores are the same now and then, as far as anybody can tell.
    keep = [
        d.file
        for d in result.project.documents
        if Path(os.path.abspath(d.file)).is_relative_to(known) and d.file.exists()
    ]

    with old_tree(since, [f for f in keep if path_under(known, f) not in since.old_paths]) as tree:

        def moved(path: Path) -> Path:
            under = path_under(known, Path(os.path.realpath(path)))
            return tree / renamed.get(under, under)

        paths = [one for one in map(moved, run.given) if one.exists()]
        settings = replace(session.settings, root=moved(session.settings.root))
        files = list(discovery.find(paths, settings.exclude, settings.root))
        root = moved(session.root)
        yield from Session(settings, files, tree, root if root.exists() else tree).lint().findings


# -- check -------------------------------------------------------------------------------------


def check(options: Options) -> int:
    """Lint, fix where that is asked for, report; the exit code."""
    from cfglint.cli._output import Output, progress

    output = Output.parse(options.formats, options.output_file, options.statistics)
    run = prepare(options)
    session = run.session
    output.keep_off(session.files)
    stdin = run.is_standard_input
    if options.add_ignores and (stdin or options.fix):
        raise UsageError("--add-ignores goes neither with --fix nor with standard input")
    with progress(session, options.quiet):
        result = run.lint()
        if options.add_ignores:
            return _add_ignores(run, result)
        fixed = _fix(run, result) if options.fix or options.diff else None
    failed = False
    if fixed is not None and not options.diff and not stdin:
        for problem in session.write(fixed):
            print(f"cfglint: {problem}", file=sys.stderr)
            failed = True
        if failed:
            fixed.result = run.lint()  # what is left is what stands on disk
    after = fixed.result if fixed is not None else result
    if stdin and options.fix and not options.diff:
        _pass_on(session, fixed)
        output.stream = sys.stderr
    report = output.show(after, fixed, options)
    if not options.quiet:
        from cfglint.notes import notes

        for note in notes(run, report.given):
            print(f"cfglint: {note}", file=sys.stderr)
    if after.crashed or failed:
        return FAILED
    return CLEAN if options.exit_zero else _verdict(report, run)


def _fix(run: Run, result: Result) -> Fixed:
    from cfglint.fixing.fixer import fix

    return fix(result, run.lint, run.settings.unsafe_fixes)


def _pass_on(session: Session, fixed: Fixed | None) -> None:
    """Write the repaired text of standard input to standard output."""
    (path, data), *_ = session.stdin.items()
    texts = fixed.texts if fixed is not None else {}
    for report_path, new in texts.items():
        if os.path.abspath(session.base / report_path) == path:
            data = new
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def _verdict(report: Report, run: Run) -> int:
    fail_on = run.settings.fail_on
    if (run.options.diff and report.diff) or reaches(report.findings, fail_on):
        return FINDINGS
    if fail_on == "never":
        return CLEAN
    if run.unlisted or any(document.kind is None for document in report.unread):
        return PARTIAL  # nobody knows what is in them
    # Clean, but only as far as the files could be read, and no finding of this run says so.
    silent = not any(f.rule.family == "SYN" for f in report.result.findings)
    unsaid = any(code not in report.result.rules for code in _unread_codes(report))
    return PARTIAL if unsaid and silent else CLEAN


def _unread_codes(report: Report) -> set[str]:
    from cfglint.report.model import UNREAD

    return {p.code for d in report.unread for p in d.problems if p.code in UNREAD}


def reaches(findings: Iterable[Finding], fail_on: str) -> bool:
    """Whether a finding is at or above a severity."""
    if fail_on == "never":
        return False
    limit = Severity[fail_on.upper()]
    return any(finding.severity >= limit for finding in findings)


def _add_ignores(run: Run, result: Result) -> int:
    from cfglint.cli._ignoring import add_ignores

    added = add_ignores(run, result, run.options.reason)
    for problem in added.problems:
        print(f"cfglint: {problem}", file=sys.stderr)
    for line in added.messages:
        print(line)
    return FAILED if added.problems else CLEAN
