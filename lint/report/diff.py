"""What --diff shows: a unified diff of every file that --fix would change."""

from __future__ import annotations

import difflib

from cfglint.report.model import Report
from cfglint.result import Result
from cfglint.text import decode
from cfglint.wording import visible


def unified(report: Report, before: Result, texts: dict[str, bytes]) -> str:
    """The diff, secrets masked; empty when nothing would change."""
    documents = {d.path: d for d in before.project.documents}
    parts: list[str] = []
    for path in sorted(texts):
        report.masker.learn(documents[path].source.text)
        old = documents[path].source.text.splitlines(keepends=True)
        new = decode(texts[path]).text.splitlines(keepends=True)
        for line in difflib.unified_diff(old, new, f"a/{path}", f"b/{path}"):
            shown = report.masker.mask(line.rstrip("\r\n"))
            parts.append(visible(shown) + "\n")
            if not line.endswith(("\n", "\r")):
                parts.append("\\ No newline at end of file\n")
    return "".join(parts)
