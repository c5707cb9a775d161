"""What identifies a finding while the lines around it move: its rule and the words it stands on.

The line's number and the message are no part of it (a message may name another line). Secrets in
the line are masked before they are hashed: a short password cannot be tried out from a report.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from cfglint.masking import secrets
from cfglint.rule import Finding

LONGEST = 2_000  # characters of a line that count


def path_under(root: Path, file: Path) -> str:
    """A file's path relative to a folder, with forward slashes."""
    return os.path.relpath(os.path.abspath(file), root).replace(os.sep, "/")


def of_words(finding: Finding) -> str:
    """16 hexadecimal digits: the rule, the text of its line and the words it underlines."""
    source = finding.document.source
    line = source.line_of(finding.span.start)
    end = min(finding.span.end, line.end)
    text = _bare(source.text[line.start : min(line.end, line.start + LONGEST)])
    words = _bare(source.text[finding.span.start : min(end, finding.span.start + LONGEST)])
    return _digest(finding.rule.code, text, words)


def numbered(findings: Iterable[Finding], root: Path) -> list[str]:
    """A fingerprint for each finding, unique in the run: path, words, and a number among equals."""
    seen: Counter[str] = Counter()
    result = []
    for finding in findings:
        path = path_under(root, finding.document.file)
        one = _digest(path, of_words(finding))
        seen[one] += 1
        result.append(one if seen[one] == 1 else _digest(one, str(seen[one])))
    return result


def _digest(*parts: str) -> str:
    text = "\0".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.sha256(text).hexdigest()[:16]


def _bare(text: str) -> str:
    """The text with secrets out and blanks evened."""
    parts = []
    at = 0
    for span in secrets(text):
        parts += [text[at : span.start], "***"]
        at = span.end
    return " ".join("".join([*parts, text[at:]]).split())
