"""One run over paths: settings, files, documents, project. Also runs over texts not yet written."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from cfglint.engine import run
from cfglint.files import discovery, loading
from cfglint.jobs.linking import linked
from cfglint.model.document import Document
from cfglint.record import dataclass, field
from cfglint.result import Result
from cfglint.settings import Settings

if TYPE_CHECKING:
    from cfglint.fixing.fixer import Fixed


@dataclass(slots=True)
class Session:
    """What is to be linted. `base` is the working directory that report paths are relative to."""

    settings: Settings
    files: list[Path]
    base: Path
    root: Path
    stdin: dict[str, bytes] = field(default_factory=dict)  # absolute path -> text from elsewhere
    on_file: Callable[[], None] | None = None  # called when a file has been read

    def lint(self, overrides: Mapping[str, bytes] | None = None) -> Result:
        """Lint the files; `overrides` (report path -> bytes) stand in for what is on disk."""
        contents = dict(self.stdin)
        for path, data in (overrides or {}).items():
            contents[os.path.abspath(self.base / path)] = data

        def load(file: Path, given: bool) -> Document | None:
            kind = self._kind(file)
            absolute = os.path.abspath(file) if contents else ""
            data = contents.get(absolute)
            if data is not None:
                path = loading.report_path(file, self.base)
                nameless, limit = absolute in self.stdin, self.settings.max_file_size
                if len(data) > limit:
                    return loading.oversized(data, path, file, given, limit, nameless=nameless)
                return loading.from_bytes(data, path, file, given, kind, nameless=nameless)
            return loading.load(file, self.base, given, self.settings.max_file_size, kind)

        documents = []
        for file in self.files:
            document = load(file, True)
            if document is not None:
                documents.append(document)
            if self.on_file is not None:
                self.on_file()
        return run(linked(documents, self.settings, self.root, load))

    def write(self, fixed: Fixed) -> list[str]:
        """Write the new texts: files that one fix touches together, or none of them.

        Returns why files were not written, one message for each group of files. What was not
        written is taken out of `fixed`: it was not fixed.
        """
        from cfglint.fixing.writing import Change, WriteError, replace_all

        documents = {d.path: d for d in fixed.before.project.documents}
        problems = []
        for group in fixed.groups():
            changes = []
            for path in group:
                source = documents[path].source
                old = source.encode(source.text)
                changes.append(Change(documents[path].file, old, fixed.texts[path]))
            try:
                replace_all(changes, self.root)
            except WriteError as problem:
                problems.append(str(problem))
                fixed.take_back(group)
        return problems

    def _kind(self, file: Path) -> str | None:
        if not self.settings.kinds:
            return None
        path = os.path.relpath(os.path.abspath(file), self.settings.root).replace(os.sep, "/")
        for glob, kind in self.settings.kinds.items():
            if discovery.matches(path, (glob,)):
                return kind
        return None


def project_root(base: Path, files: list[Path]) -> Path:
    """The folder nothing outside of which is read: the repository of the working directory where it
    holds all files, else that of the files' common folder; without one the working directory (but
    never a whole machine), else the common folder."""
    top = _repository(base)
    # A relative path without ".." lies below the working directory, whatever else it holds.
    inside = all(not (os.path.isabs(text) or ".." in text) for text in map(str, files))
    if top is not None and (inside or _holds(top, files)):
        return top
    if not files:
        return base
    common = Path(os.path.commonpath({os.path.dirname(os.path.abspath(base / f)) for f in files}))
    own = _repository(common)
    if own is not None:
        return own
    machine = base.parent == base
    return base if not machine and (inside or _holds(base, files)) else common


def _holds(top: Path, files: list[Path]) -> bool:
    return all(discovery.is_below(os.path.abspath(f), top) for f in files)


def _repository(folder: Path) -> Path | None:
    return next((f for f in [folder, *folder.parents] if os.path.exists(f / ".git")), None)
