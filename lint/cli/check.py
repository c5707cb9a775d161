"""`cfglint [PATHS]`: lint, and with --fix repair."""

# Annotations are values here, not text: typer would compile each of them, at 5 ms for all.
from pathlib import Path
from typing import Annotated, Any

import typer

from cfglint.cli._paths import path as as_path
from cfglint.cli._running import Options, check, settings_for

EPILOG = (
    "Other commands: cfglint init, cfglint baseline, cfglint explain RULE, cfglint rules, cfglint"
    " kinds, cfglint settings and more: each has its own --help. Exit codes: 0 nothing to report,"
    " 1 findings, 2 cfglint was used wrongly or failed, 3 nothing to report, but files or folders"
    " could not be read (and no finding says so)."
)
Words = list[str] | None
# The parts of the help text.
REPAIRS = "Repairs"
CHOICE = "Which files and rules"
GATE = "The gate: what is reported, what fails"
REPORTS = "Reports"


def _option(panel: str, *names: str, **more: Any) -> Any:
    return typer.Option(*names, rich_help_panel=panel, **more)


def _path_option(panel: str, **more: Any) -> Any:
    return _option(panel, parser=as_path, metavar="PATH", **more)


def run(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Files and folders (none: the current one); - is standard input.", parser=as_path
        ),
    ] = None,
    fix: Annotated[bool, _option(REPAIRS, "--fix", help="Write the safe repairs.")] = False,
    unsafe_fixes: Annotated[
        bool,
        _option(
            REPAIRS,
            "--unsafe-fixes",
            help="With --fix or --diff: also repairs that change behaviour or guess a value.",
        ),
    ] = False,
    diff: Annotated[
        bool, _option(REPAIRS, "--diff", help="Show what --fix would write, and write nothing.")
    ] = False,
    add_ignores: Annotated[
        bool,
        _option(
            REPAIRS,
            "--add-ignores",
            help="Write a comment that ignores each finding (with --diff: show).",
        ),
    ] = False,
    reason: Annotated[str, _option(REPAIRS, help="With --add-ignores: why.")] = "",
    select: Annotated[
        Words,
        _option(CHOICE, help="Only these rules: code, prefix, family or name, comma separated."),
    ] = None,
    extend_select: Annotated[Words, _option(CHOICE, help="These rules as well.")] = None,
    ignore: Annotated[Words, _option(CHOICE, help="Not these rules.")] = None,
    exclude: Annotated[
        Words, _option(CHOICE, help="Leave out files that match these globs.")
    ] = None,
    force_exclude: Annotated[
        bool,
        _option(CHOICE, "--force-exclude", help="Apply excludes to files named outright, too."),
    ] = False,
    config: Annotated[
        Path | None,
        _path_option(CHOICE, help="Settings file to use (cfglint.toml or pyproject.toml)."),
    ] = None,
    isolated: Annotated[bool, _option(CHOICE, "--isolated", help="Use no settings file.")] = False,
    stdin_filename: Annotated[
        Path | None, _path_option(CHOICE, help="What the file on standard input is called.")
    ] = None,
    since: Annotated[
        str, _option(GATE, metavar="REV", help="Only what the changes since this revision cause.")
    ] = "",
    baseline: Annotated[
        Path | None, _path_option(GATE, help="Leave out the known findings in this file.")
    ] = None,
    fail_on: Annotated[
        str,
        _option(
            GATE,
            help="Exit with 1 from this severity: error, warning (unless set), info, never.",
            show_default=False,
        ),
    ] = "",
    exit_zero: Annotated[
        bool, _option(GATE, "--exit-zero", help="Exit with 0 whatever is found.")
    ] = False,
    output_format: Annotated[
        Words,
        _option(
            REPORTS,
            "--output-format",
            "--format",
            metavar="NAME[:FILE]",
            help="full (unless set), concise, json, sarif, github, gitlab, junit, rdjson; again"
            " with a file, as sarif:out.sarif.",
            show_default=False,
        ),
    ] = None,
    output_file: Annotated[
        Path | None, _path_option(REPORTS, help="Write the report there.")
    ] = None,
    statistics: Annotated[
        bool,
        _option(REPORTS, "--statistics", help="Count findings by rule instead of listing them."),
    ] = False,
    quiet: Annotated[
        bool,
        _option(REPORTS, "--quiet", "-q", help="Findings only: no summary, no progress."),
    ] = False,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Lint the files that start distributed training, and repair them.

    Reads accelerate YAML, DeepSpeed JSON, LLaMA-Factory YAML, Dockerfiles, compose files, launch
    scripts, sbatch scripts and Kubernetes manifests, and says before a job queues what will fail
    when it starts, where and why.

    Try: cfglint configs/ | cfglint --fix configs/ | cfglint explain PORT001
    """
    if version:
        from cfglint import __version__

        print(f"cfglint {__version__}")
        raise typer.Exit
    options = Options(
        paths=tuple(paths or ()),
        select=split(select),
        extend_select=split(extend_select),
        ignore=split(ignore),
        exclude=split(exclude),
        force_exclude=force_exclude,
        config=config,
        isolated=isolated,
        fix=fix,
        unsafe_fixes=unsafe_fixes,
        diff=diff,
        add_ignores=add_ignores,
        reason=reason,
        baseline=baseline,
        since=since,
        fail_on=fail_on,
        exit_zero=exit_zero,
        stdin_filename=stdin_filename,
        formats=tuple(output_format or ()),
        output_file=output_file,
        statistics=statistics,
        quiet=quiet,
    )
    raise typer.Exit(check(options))


def split(words: list[str] | None) -> tuple[str, ...]:
    """The parts of words that are lists with commas."""
    return tuple(part.strip() for word in words or () for part in word.split(",") if part.strip())


__all__ = ["run", "settings_for", "split"]
