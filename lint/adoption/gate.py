"""What of a run's findings is reported: new ones beside a baseline, those that a change concerns.

Reports on the gate itself (stale baseline entries, stale `per-file-ignores`) are made by the rules
of the meta family, through hooks named after what they look at.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cfglint.files.loading import report_path
from cfglint.model.document import Document
from cfglint.record import dataclass
from cfglint.result import Result
from cfglint.rule import Finding
from cfglint.text import SourceText, Span

if TYPE_CHECKING:
    from cfglint.adoption.baseline import Baseline, Entry
    from cfglint.adoption.since import Since
    from cfglint.adoption.suppressions import FileIgnores


@dataclass(slots=True)
class Gate:
    """`settle` gives the findings of the old state, for `since`.

    `folders` are the folders that were linted whole, `base` is what report paths are relative to.
    """

    base: Path
    folders: tuple[Path, ...]
    baseline: Baseline | None = None
    since: Since | None = None
    settle: Callable[[Result], Iterator[Finding]] | None = None

    def apply(self, result: Result) -> Result:
        """Take out of a result what is not to be reported, add what the gate itself reports."""
        own: list[Finding] = []
        if self.baseline is not None:
            own += self._known(result, self.baseline)
        if self.since is not None:
            self._recent(result, self.since)
        if result.file_ignores is not None and result.file_ignores.table:
            own += self._file_ignores(result, result.file_ignores)
        if own:
            result.findings = sorted([*result.findings, *own], key=lambda finding: finding.order)
        return result

    def covers(self, file: Path) -> bool:
        """Whether a file, if it were there, would have been linted."""
        path = os.path.abspath(file)
        return any(path.startswith(os.path.join(folder, "")) for folder in self.folders)

    # -- the baseline ------------------------------------------------------------------------

    def _known(self, result: Result, baseline: Baseline) -> list[Finding]:
        match = baseline.match(result.findings)
        result.findings = match.new
        result.baselined = [finding for finding, _ in match.known]
        document = self._document(baseline.path, baseline.text)
        own: list[Finding] = []
        for entry in self.stale(result, match.unmatched):
            span = _head(document, baseline.line_of(entry))
            own += _ask(result, "check_baseline", document, span, self._gone(entry))
        if result.project.settings.require_reason:
            for entry in baseline.entries:
                if not entry.reason.strip():
                    span = _head(document, baseline.line_of(entry))
                    text = f"the entry for {entry.rule} in {entry.path} gives no reason"
                    own += _ask(result, "check_reasons", document, span, text)
        return own

    def stale(self, result: Result, entries: list[Entry]) -> list[Entry]:
        """Those of the unmatched entries that this run was able to find."""
        assert self.baseline is not None
        settings = result.project.settings
        partial = bool(settings.select or settings.ignore)
        given = {os.path.abspath(d.file) for d in result.project.documents if d.given}
        found = []
        for entry in entries:
            file = self.baseline.folder / entry.path
            looked = os.path.abspath(file) in given or (self.covers(file) and not file.exists())
            ran = entry.rule in result.rules or not partial
            if looked and ran and self._is_recent(file):
                found.append(entry)
        return sorted(found, key=lambda e: (e.path, e.line, e.rule))

    def _is_recent(self, file: Path) -> bool:
        """Whether what changed since the revision, if one is given, can have made it stale."""
        if self.since is None:
            return True
        path = os.path.relpath(os.path.abspath(file), self.since.top).replace(os.sep, "/")
        return path in self.since.old_paths or path in self.since.deleted

    def _gone(self, entry: Entry) -> str:
        assert self.baseline is not None
        if not (self.baseline.folder / entry.path).exists():
            return f"{entry.path} is gone, its entry for {entry.rule} is still here"
        return f"{entry.rule} is not found any more in {entry.path} (it was in line {entry.line})"

    # -- the change --------------------------------------------------------------------------

    def _recent(self, result: Result, since: Since) -> None:
        kept: list[Finding] = []
        rest: list[Finding] = []
        for finding in result.findings:
            (kept if since.concerns(finding) else rest).append(finding)
        if rest and self.settle is not None and (since.old_paths or since.deleted):
            settle = self.settle
            kept += since.fresh(rest, lambda: settle(result))
        result.elsewhere = len(result.findings) - len(kept)
        result.findings = sorted(kept, key=lambda finding: finding.order)

    # -- the settings ------------------------------------------------------------------------

    def _file_ignores(self, result: Result, ignores: FileIgnores) -> list[Finding]:
        settings = result.project.settings
        source = settings.source
        if source is None or settings.select or settings.ignore:
            return []
        if not self.covers(settings.root / source.name):
            return []  # files that the globs speak of may not have been given
        from cfglint.settings import line_of

        try:
            text = source.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            return []
        document = self._document(source, text)
        prefix = ("tool", "cfglint") if source.name == "pyproject.toml" else ()
        given = [d for d in result.project.documents if d.given]
        own: list[Finding] = []
        for glob, rule, why in ignores.stale(given):
            if not settings.origins.get(f"per-file-ignores.{glob}", "").startswith(f"{source}:"):
                continue  # it is written in a file that this one extends
            line = line_of(text.replace("\r\n", "\n"), (*prefix, "per-file-ignores", glob))
            span = document.source.line_span(line)
            if self.since is None or self.since.touches(document, span):
                words = f"per-file-ignores: {glob!r} ignores {rule}: {why}"
                own += _ask(result, "check_file_ignores", document, span, words)
        return own

    def _document(self, file: Path, text: str) -> Document:
        return Document(report_path(file, self.base), file, SourceText(text))


def _head(document: Document, line: int) -> Span:
    """Of an entry's line, what names the file and the rule."""
    start, end = document.source.line_span(line)
    text = document.source.text
    start += len(text[start:end]) - len(text[start:end].lstrip())
    head = text.find(', "severity"', start, end)
    return Span(start, head if head > 0 else end)


def _ask(result: Result, hook: str, *args: Any) -> Iterator[Finding]:
    """The findings of the rules that have a hook of this name and are on."""
    for module in result.modules:
        ask = module.hook(hook)
        if ask is not None:
            yield from ask(*args)
