"""#SBATCH lines that Slurm does not read as they are meant.

Sources: sbatch(1) (directives count up to the first command, and no shell expands them); facts on
Slurm (the sign of a long option takes no blanks).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from cfglint.model.document import Document
from cfglint.model.edit import Edit, Fix
from cfglint.model.readings import Batch
from cfglint.model.setting import Setting
from cfglint.record import dataclass
from cfglint.rule import repair
from cfglint.text import Span

# A sign with blanks and a value behind it; nothing but a comment there is a form to fill in.
_BLANKS = re.compile(r"(?:[ \t]+=[ \t]*|=[ \t]+)(?=[^\s#-])")


@dataclass(frozen=True, slots=True)
class Misplaced:
    """A directive with another meaning than it seems to have.

    `why`: "late" (below the first command, where it is a comment: the whole line), "literal" (a
    variable in it is not expanded), "blanks" (around its sign).
    """

    why: str
    setting: Setting
    span: Span
    fix: Fix | None = None


def misplaced(document: Document) -> Iterator[Misplaced]:
    """Such directives of each batch script that a file is or submits, of a late line the first."""
    for batch in document.batches.values():
        yield from _of_batch(document, batch)


def _of_batch(document: Document, batch: Batch) -> Iterator[Misplaced]:
    source = document.source
    late: set[int] = set()
    given = Counter(setting.key for setting in batch.directives)
    for setting in batch.directives:
        key = setting.key_span or setting.span
        line = source.line_of(key.start)
        if key.start > batch.body:
            if line.start not in late:
                late.add(line.start)
                only = given[setting.key] == 1
                fix = _moved(document, line, batch.body) if only else None
                yield Misplaced("late", setting, line, fix)
            continue
        filled_in = "template" in document.path.lower()
        if batch.is_literal and "$" in (setting.text or "") and not filled_in:
            yield Misplaced("literal", setting, setting.span)
        blanks = _BLANKS.match(source.text, key.end)
        if blanks:
            end = key.end + len(blanks.group())
            plain = Edit(document.path, Span(key.end, end), "=")
            fix = repair("take the blanks out", plain, safe=True)
            yield Misplaced("blanks", setting, Span(key.start, end), fix)


def _moved(document: Document, line: Span, body: int) -> Fix | None:
    """The repair that makes a late directive count, for an option that stands nowhere else: of two
    values the last one would hold. None where Slurm would take a variable by its name."""
    source = document.source
    if "$" in source.slice(line).partition("#SBATCH")[2].partition(" #")[0]:
        return None
    return repair(
        "move it above the first command",
        Edit(document.path, Span(line.start, source.line_end_after(line.start)), ""),
        Edit(document.path, Span(body, body), source.slice(line) + source.newline),
        safe=True,
    )
