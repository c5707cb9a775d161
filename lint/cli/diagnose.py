"""`cfglint diagnose LOG [PATHS]`: which faults in the files explain an error log?"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cfglint.cli import UsageError
from cfglint.cli._paths import path as as_path
from cfglint.record import replace

if TYPE_CHECKING:
    from cfglint.result import Result

EPILOG = (
    "Exit codes: 0 the files explain the log, 1 they do not, 2 cfglint was used wrongly."
    " For one message without files: cfglint explain --error TEXT."
)


def run(
    log: Annotated[str, typer.Argument(help="The log file, or - for standard input.")],
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            help="The files that started the job; the current folder without any.", parser=as_path
        ),
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option(
            help="Settings file to use (cfglint.toml or pyproject.toml).",
            parser=as_path,
            metavar="PATH",
        ),
    ] = None,
    output_format: Annotated[
        str, typer.Option("--output-format", "--format", help="text or json.")
    ] = "text",
    show_all: Annotated[
        bool, typer.Option("--all", help="Every rule that knows a message, not only the best.")
    ] = False,
) -> None:
    """Hold an error log against the files that started the job, and say which fault explains it.

    Knows messages of torchrun, NCCL, Gloo, accelerate, DeepSpeed, LLaMA-Factory, docker and Slurm.

    Try: cfglint diagnose train.log configs/ | kubectl logs job/x | cfglint diagnose - k8s/
    """
    if output_format not in ("text", "json"):
        raise UsageError(f"unknown output format {output_format!r}; known are text, json")
    from cfglint.cli._output import colour
    from cfglint.explain import diagnose
    from cfglint.explain import told as report

    read = diagnose.read(_lines(log))
    result = _lint(paths or [], config, log)
    found = diagnose.diagnose(read, result)
    name = "standard input" if log == "-" else log
    if output_format == "json":
        sys.stdout.write(report.as_json(found, result, name))
    else:
        sys.stdout.write(report.as_text(found, result, name, colour(), show_all))
    raise typer.Exit(0 if found.explained else 1)


def _lines(log: str) -> Iterator[str]:
    """The lines of a log. Bytes that are not UTF-8 do no harm."""
    if log == "-":
        from cfglint.cli._running import standard_input

        yield from standard_input().decode("utf-8", "replace").splitlines(keepends=True)
        return
    try:
        with open(log, encoding="utf-8", errors="replace", newline="\n") as file:
            yield from file
    except IsADirectoryError:
        raise UsageError(
            f"{log} is a folder; the log comes first: cfglint diagnose LOG PATHS"
        ) from None
    except OSError as problem:
        raise UsageError(f"cannot read the log {log}: {problem.strerror or problem}") from None


def _lint(paths: list[Path], config: Path | None, log: str) -> Result:
    """Every finding of every rule: what the settings ignore may be what the log is about."""
    from cfglint.cli._running import Options, prepare

    run = prepare(Options(paths=tuple(paths), config=config), gated=False)
    session = run.session
    session.settings = replace(session.settings, select=(), ignore=())
    if log != "-":
        session.files = [f for f in session.files if not f.samefile(log)]
    return session.lint()
