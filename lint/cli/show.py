"""`cfglint show PATHS`: the launches that the files describe, as people think of them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from cfglint.cli import UsageError

FORMATS = ("text", "json", "svg")


def run(
    paths: Annotated[
        list[Path] | None, typer.Argument(help="Files and folders; the current folder without any.")
    ] = None,
    ports: Annotated[
        bool,
        typer.Option("--ports", help="The port register: which job uses which port on which host."),
    ] = False,
    output_format: Annotated[
        str, typer.Option("--output-format", "--format", help="text, json or svg.")
    ] = "text",
    output_file: Annotated[Path | None, typer.Option(help="Write there instead.")] = None,
    config: Annotated[
        Path | None, typer.Option(help="Settings file to use (cfglint.toml or pyproject.toml).")
    ] = None,
) -> None:
    """Show the jobs that the files start: nodes, processes, rendezvous, network, findings in place.

    Every value says where it was read; `?` marks what the files leave open.

    Try: cfglint show configs/ | cfglint show --ports
    cfglint show --format svg --output-file job.svg
    """
    if output_format not in FORMATS:
        raise UsageError(f"unknown output format {output_format!r}; known are {', '.join(FORMATS)}")
    if ports and output_format == "svg":
        raise UsageError("the port register comes as text or json")
    from cfglint.report.model import Report
    from cfglint.running import Options, prepare

    result = prepare(Options(paths=tuple(paths or ()), config=config), gated=False).lint()
    report = Report(result)
    with _sink(output_file):
        _show(result, report, ports, output_format, output_file is not None)


def _show(result, report, ports: bool, output_format: str, to_file: bool) -> None:  # type: ignore[no-untyped-def]
    from cfglint.cli._output import colour
    from cfglint.show import data, model
    from cfglint.show import ports as register

    painted = colour() and not to_file
    if ports:
        table = register.register(result)
        if output_format == "json":
            sys.stdout.write(data.ports_as_json(table, report))
            return
        from cfglint.show import text

        text.show_ports(table, report, painted)
        return
    made = model.jobs(result)
    if output_format == "json":
        sys.stdout.write(data.jobs_as_json(made, report))
    elif output_format == "svg":
        from cfglint.show import svg

        sys.stdout.write(svg.render(made, report))
    elif made:
        from cfglint.show import text

        text.show_jobs(made, report, painted)
    else:
        count = sum(1 for d in result.project.documents if d.given and d.kind)
        print(f"No launch in these files ({count} configs were read; `cfglint kinds` lists them).")


class _sink:  # noqa: N801 - a context manager used as a function
    """Standard output, or a file in its place."""

    def __init__(self, path: Path | None) -> None:
        self.path = path

    def __enter__(self) -> None:
        if self.path is None:
            return
        try:
            self.file = self.path.open("w", encoding="utf-8")
        except OSError as problem:
            raise UsageError(f"cannot write {self.path}: {problem.strerror}") from None
        self.old, sys.stdout = sys.stdout, self.file

    def __exit__(self, *_: object) -> None:
        if self.path is not None:
            sys.stdout = self.old
            self.file.close()


__all__ = ["FORMATS", "run"]
