"""`cfglint [PATHS]`: lint, and with --fix repair."""

from __future__ import annotations

import os
import sys
from cfglint.record import replace
from pathlib import Path
from typing import Annotated

import typer

from cfglint.cli import UsageError
from cfglint.rule import Severity
from cfglint.settings import Settings, SettingsError

EPILOG = (
    "Other commands: cfglint explain RULE, cfglint rules, cfglint kinds PATHS, and more: each has its own"
    " --help. Exit codes: 0 nothing to report, 1 findings, 2 cfglint was used wrongly or failed."
)
FAIL_ON = ("error", "warning", "info", "never")

Words = Annotated[list[str] | None, typer.Option]


def run(
    paths: Annotated[
        list[Path] | None, typer.Argument(help="Files and folders; the current folder without any.")
    ] = None,
    fix: Annotated[bool, typer.Option("--fix", help="Write the safe repairs.")] = False,
    unsafe_fixes: Annotated[
        bool,
        typer.Option(
            "--unsafe-fixes",
            help="With --fix or --diff: also repairs that change behaviour or guess a value.",
        ),
    ] = False,
    diff: Annotated[
        bool, typer.Option("--diff", help="Show what --fix would write, and write nothing.")
    ] = False,
    select: Annotated[
        list[str] | None,
        typer.Option(help="Only these rules: code, prefix, family or name, comma separated."),
    ] = None,
    extend_select: Annotated[
        list[str] | None, typer.Option(help="These rules as well.")
    ] = None,
    ignore: Annotated[list[str] | None, typer.Option(help="Not these rules.")] = None,
    exclude: Annotated[
        list[str] | None, typer.Option(help="Leave out files that match these globs.")
    ] = None,
    force_exclude: Annotated[
        bool,
        typer.Option("--force-exclude", help="Apply excludes to files named outright, too."),
    ] = False,
    config: Annotated[
        Path | None, typer.Option(help="Settings file to use (cfglint.toml or pyproject.toml).")
    ] = None,
    isolated: Annotated[
        bool, typer.Option("--isolated", help="Use no settings file.")
    ] = False,
    output_format: Annotated[
        str | None, typer.Option(help="full, concise or json.", show_default="full")
    ] = None,
    fail_on: Annotated[
        str | None,
        typer.Option(help="Exit with 1 from this severity: error, warning, info, never.", show_default="warning"),
    ] = None,
    exit_zero: Annotated[
        bool, typer.Option("--exit-zero", help="Exit with 0 whatever is found.")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print findings only, no summary.")
    ] = False,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Lint the files that start distributed training, and repair them.

    Reads accelerate YAML, DeepSpeed JSON, LLaMA-Factory YAML, Dockerfiles, compose files, launch
    scripts, sbatch scripts and Kubernetes manifests, and says before a job queues what will fail when
    it starts, where and why.

    Try: cfglint configs/ | cfglint --fix configs/ | cfglint explain PORT001
    """
    if version:
        from cfglint import __version__

        print(f"cfglint {__version__}")
        raise typer.Exit
    from cfglint import discovery
    from cfglint.cli._output import Output
    from cfglint.session import Session, project_root

    output = Output.parse(output_format)
    base = Path.cwd()
    given = list(paths or [Path()])
    settings = settings_for(given, config, isolated)
    settings = replace(
        settings,
        select=_split(select) or settings.select,
        extend_select=settings.extend_select + _split(extend_select),
        ignore=settings.ignore + _split(ignore),
        exclude=settings.exclude + _split(exclude),
        fail_on=fail_on or settings.fail_on,
        unsafe_fixes=unsafe_fixes or settings.unsafe_fixes,
    )
    check_selectors(settings)
    try:
        files = list(discovery.find(given, settings.exclude, settings.root, force_exclude))
    except discovery.NoSuchPathError as problem:
        raise UsageError(f"no such file or folder: {problem}") from None
    session = Session(settings, files, base, project_root(base, files))
    result = session.lint()
    fixed = None
    if fix or diff:
        from cfglint.fixer import fix as apply

        fixed = apply(result, session.lint, settings.unsafe_fixes)
    failed = False
    if fixed is not None and not diff:
        for problem in session.write(fixed):
            print(f"cfglint: {problem}", file=sys.stderr)
            failed = True
        if failed:
            fixed.result = session.lint()  # what is left is what stands on disk
    after = fixed.result if fixed is not None else result
    shown = output.show(after, fixed, result if diff else None, quiet)
    if after.crashed or failed:
        raise typer.Exit(2)
    if exit_zero:
        raise typer.Exit(0)
    raise typer.Exit(1 if (diff and shown.diff) or reaches(after.findings, settings.fail_on) else 0)


def settings_for(paths: list[Path], config: Path | None, isolated: bool) -> Settings:
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


def _require(wanted: str) -> None:
    from cfglint import __version__

    signs = ("==", ">=", "<=", ">", "<", "~=", "!=")
    if not wanted.startswith(signs):
        wanted = f"=={wanted}"
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    try:
        if __version__ not in SpecifierSet(wanted):
            raise UsageError(f"required-version is {wanted}, this is cfglint {__version__}")
    except InvalidSpecifier:
        raise UsageError(f"required-version: {wanted!r} is no version") from None


def check_selectors(settings: Settings) -> None:
    """Raise UsageError for a selector that means no rule, or a severity that is none."""
    words = [*settings.select, *settings.extend_select, *settings.ignore]
    words += [rule for rules in settings.per_file_ignores.values() for rule in rules]
    if words:
        from cfglint.registry import is_known, known_words
        from cfglint.rule import near

        for word in words:
            if not is_known(word):
                guess = near(word, known_words())
                meant = f"; did you mean {guess}?" if guess else "; `cfglint rules` lists them"
                raise UsageError(f"unknown rule {word!r}{meant}")
    if settings.fail_on not in FAIL_ON:
        raise UsageError(f"--fail-on takes {', '.join(FAIL_ON)}, not {settings.fail_on!r}")


def _split(words: list[str] | None) -> tuple[str, ...]:
    return tuple(part.strip() for word in words or () for part in word.split(",") if part.strip())


def reaches(findings, fail_on: str) -> bool:  # type: ignore[no-untyped-def]
    """Whether a finding is at or above a severity."""
    if fail_on == "never":
        return False
    limit = Severity[fail_on.upper()]
    return any(finding.severity >= limit for finding in findings)
