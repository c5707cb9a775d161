"""Which report goes where, and what a terminal sees meanwhile."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from cfglint.cli import UsageError
from cfglint.record import dataclass, field
from cfglint.report import FORMATS

if TYPE_CHECKING:
    from cfglint.cli._running import Options
    from cfglint.fixing.fixer import Fixed
    from cfglint.report.model import Report
    from cfglint.result import Result
    from cfglint.session import Session


COUNTED = ("full", "concise", "json")  # formats that statistics have


@dataclass(slots=True)
class Target:
    """A format and the file it goes to, None for standard output."""

    name: str
    file: Path | None = None


@dataclass(slots=True)
class Output:
    """The reports of a run."""

    targets: list[Target] = field(default_factory=list)
    statistics: bool = False
    stream: TextIO | None = None  # in place of standard output

    @classmethod
    def parse(
        cls, formats: tuple[str, ...] = (), file: Path | None = None, statistics: bool = False
    ) -> Output:
        """From `NAME` and `NAME:FILE` words. Raises UsageError for what cannot be done."""
        targets = []
        for text in formats or ("full",):
            name, _, path = text.partition(":")
            if name not in FORMATS:
                from cfglint.spelling import near

                guess = near(name, tuple(FORMATS))
                meant = f"did you mean {guess}?" if guess else f"known are {', '.join(FORMATS)}"
                raise UsageError(f"unknown output format {name!r}; {meant}")
            targets.append(Target(name, Path(path) if path else None))
        loose = [target for target in targets if target.file is None]
        if file is not None:
            if len(loose) != 1:
                raise UsageError("--output-file is for one format; write NAME:FILE for more")
            loose[0].file = file
        elif len(loose) > 1:
            names = " and ".join(target.name for target in loose)
            raise UsageError(f"{names} cannot both go to standard output; write NAME:FILE for one")
        _keep_apart(targets)
        for target in targets:
            if statistics and target.name not in COUNTED:
                known = ", ".join(COUNTED)
                raise UsageError(f"--statistics goes with {known}, not {target.name}")
        return cls(targets, statistics)

    def keep_off(self, files: list[Path]) -> None:
        """Raises UsageError when a report would be written over a file that is linted."""
        written = [target for target in self.targets if target.file is not None]
        linted = {os.path.realpath(file) for file in files} if written else set()
        for target in written:
            if os.path.realpath(target.file or "") in linted:
                raise UsageError(f"{target.file} is linted; a report cannot be written to it")

    def show(self, result: Result, fixed: Fixed | None, options: Options) -> Report:
        """Write every report."""
        from cfglint.report import render
        from cfglint.report.model import Report

        report = Report(result, fixed=fixed, since=options.since, statistics=self.statistics)
        report.quiet = options.quiet
        if options.diff and fixed is not None:
            from cfglint.report.diff import unified

            report.diff = unified(report, fixed.before, fixed.texts)
        for target in self.targets:
            report.colour = target.file is None and self.stream is None and colour()
            text = render(target.name, report)
            if target.file is None:
                _say(self.stream or sys.stdout, text)
            else:
                _write(target.file, text)
            if target.name == "github":
                _summarise(report)
        return report


def _keep_apart(targets: list[Target]) -> None:
    """Raises UsageError when one report would be written over another."""
    taken: dict[str, Target] = {}
    for target in targets:
        if target.file is None:
            continue
        other = taken.setdefault(os.path.realpath(target.file), target)
        if other is not target:
            raise UsageError(f"{other.name} and {target.name} cannot both go to {target.file}")


def _say(stream: TextIO, text: str) -> None:
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="backslashreplace")  # a terminal of another encoding
    stream.write(text)
    stream.flush()


def _write(file: Path, text: str) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode("utf-8", "backslashreplace"))
    except OSError as problem:
        raise UsageError(f"cannot write {file}: {problem.strerror or problem}") from None


def _summarise(report: Report) -> None:
    """Add the table to the page of the GitHub job, if there is one."""
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if not path:
        return
    from cfglint.report.github import job_summary

    try:
        with open(path, "a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(job_summary(report))
    except OSError as problem:
        print(f"cfglint: GITHUB_STEP_SUMMARY: {problem.strerror or problem}", file=sys.stderr)


def colour() -> bool:
    """Whether standard output takes colours: a terminal, and NO_COLOR not set."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


class Bar:
    """A progress bar on one line of a terminal, from the first second of a run on."""

    WIDTH = 24

    def __init__(self, total: int, stream: TextIO) -> None:
        self.total = total
        self.stream = stream
        self.done = 0
        self.begun = self.drawn = time.monotonic()
        self.shown = False

    def step(self) -> None:
        """One file more has been read; the last one leaves the rules to run."""
        self.done = min(self.done + 1, self.total)
        now = time.monotonic()
        if now - self.begun > 1 and (now - self.drawn > 0.1 or self.done == self.total):
            self.drawn = now
            self.shown = True
            full = self.WIDTH * self.done // self.total
            bar = "#" * full + "-" * (self.WIDTH - full)
            what = "checking" if self.done == self.total else "reading"
            self.stream.write(f"\r[{bar}] {self.done}/{self.total} files, {what}\x1b[K")
            self.stream.flush()

    def clear(self) -> None:
        """Take the bar away."""
        if self.shown:
            self.stream.write("\r\x1b[K")
            self.stream.flush()


@contextmanager
def progress(session: Session, quiet: bool) -> Iterator[None]:
    """Show a bar while a session lints: on a terminal, not in CI, and not if quiet is asked for."""
    stream = sys.stderr
    if quiet or os.environ.get("CI") or os.environ.get("TERM") == "dumb" or not stream.isatty():
        yield
        return
    bar = Bar(max(1, len(session.files)), stream)
    session.on_file = bar.step
    try:
        yield
    finally:
        session.on_file = None
        bar.clear()
