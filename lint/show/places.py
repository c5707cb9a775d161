"""Places as a reader of one picture wants them: the folder that all have in common is said once."""

from __future__ import annotations

from collections.abc import Iterable

from cfglint.model.document import Document
from cfglint.record import dataclass
from cfglint.report.model import Report


@dataclass(frozen=True, slots=True)
class Places:
    """How places are shown: `folder` ("" or "configs/a/") is left out of all of them."""

    report: Report
    folder: str = ""

    @classmethod
    def of(cls, report: Report, documents: Iterable[Document]) -> Places:
        """Places in these documents."""
        folders = [document.path.rpartition("/")[0].split("/") for document in documents]
        common: list[str] = []
        for parts in zip(*folders, strict=False):
            if len(set(parts)) > 1:
                break
            common.append(parts[0])
        folder = "/".join(common)
        return cls(report, f"{folder}/" if folder.strip("./") else "")

    def show(self, source: str) -> str:
        """A `path:line` without the common folder, fit for output."""
        return self.report.line_of(source.removeprefix(self.folder))

    def text(self, words: str) -> str:
        """Any other words, fit for output."""
        return self.report.line_of(words)
