"""`cfglint show PATHS`: the launches that the files describe, as people think of them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cfglint.cli import UsageError
from cfglint.cli._paths import path as as_path

if TYPE_CHECKING:
    from cfglint.result import Result

FORMATS = ("text", "json", "svg")


def run(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(help="Files and folders; the current folder without any.", parser=as_path),
    ] = None,
    ports: Annotated[
        bool,
        typer.Option("--ports", help="The port register: which job uses which port on which host."),
    ] = False,
    output_format: Annotated[
        str, typer.Option("--output-format", "--format", help="text, json or svg.")
    ] = "text",
    output_file: Annotated[
        Path | None, typer.Option(help="Write there instead.", parser=as_path, metavar="PATH")
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option(
            help="Settings file to use (cfglint.toml or pyproject.toml).",
            parser=as_path,
            metavar="PATH",
        ),
    ] = None,
) -> None:
    """Show the jobs that the files start: nodes, processes, rendezvous, network, findings in place.

    Every value says where it was read; `?` marks what the files leave open.

    Try: cfglint show configs/ | cfglint show --ports |
    cfglint show --format svg --output-file job.svg
    """
    if output_format not in FORMATS:
        raise UsageError(f"unknown output format {output_format!r}; known are {', '.join(FORMATS)}")
    if ports and output_format == "svg":
        raise UsageError("the port register comes as text or json")
    from cfglint.cli._running import Options, prepare

    result = prepare(Options(paths=tuple(paths or ()), config=config), gated=False).lint()
    with _sink(output_file):
        show = _ports if ports else _jobs
        show(result, output_format, output_file is None)


@contextmanager
def _sink(path: Path | None) -> Iterator[None]:
    """Standard output, or a file in its place."""
    if path is None:
        yield
        return
    try:
        file = path.open("w", encoding="utf-8")
    except OSError as problem:
        raise UsageError(f"cannot write {path}: {problem.strerror}") from None
    with file, redirect_stdout(file):
        yield


def _ports(result: Result, output_format: str, to_terminal: bool) -> None:
    from cfglint.cli._output import colour
    from cfglint.report.model import Report
    from cfglint.show import ports

    table, report = ports.register(result), Report(result)
    if output_format == "json":
        from cfglint.show import data

        sys.stdout.write(data.ports_as_json(table, report))
    else:
        from cfglint.show import text

        text.show_ports(table, report, to_terminal and colour())


def _jobs(result: Result, output_format: str, to_terminal: bool) -> None:
    from cfglint.cli._output import colour
    from cfglint.report.model import Report
    from cfglint.show import model

    made, report = model.jobs(result), Report(result)
    if output_format == "json":
        from cfglint.show import data

        sys.stdout.write(data.jobs_as_json(made, report))
    elif output_format == "svg":
        from cfglint.show import svg

        sys.stdout.write(svg.render(made, report))
    elif made:
        from cfglint.show import text

        text.show_jobs(made, report, to_terminal and colour())
    else:
        count = sum(1 for d in result.project.documents if d.given and d.kind)
        print(f"No launch in these files ({count} configs were read; `cfglint kinds` lists them).")
