"""#SBATCH lines that Slurm does not read as they are meant, and scripts that sbatch refuses.

Sources: sbatch(1) (directives count up to the first command, and no shell expands them); facts on
Slurm (the sign of a long option takes no blanks); Slurm, src/sbatch (`has_shebang`,
`contains_dos_linebreak`: a script begins with `#!` and has no line breaks of DOS; directives begin
with `#SBATCH`, in capitals).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from cfglint.model.document import Document
from cfglint.model.edit import Edit, Fix
from cfglint.model.readings import Batch
from cfglint.record import dataclass
from cfglint.rule import repair
from cfglint.text import Span

# A sign with blanks and a value behind it; nothing but a comment there is a form to fill in.
_BLANKS = re.compile(r"(?:[ \t]+=[ \t]*|=[ \t]+)(?=[^\s#-])")


# A comment that was meant for a directive: `#SBATCh --nodes=2`, `#SBACTH ...`. One that was taken
# out of use by a letter, a second `#` or a blank is none.
_MISSPELT = re.compile(r"^#(?!SBATCH\b)(?P<word>[A-Za-z]{5,7})[ \t]+--?[A-Za-z]", re.M)
_WORD = "SBATCH"


@dataclass(frozen=True, slots=True)
class Misplaced:
    """A directive with another meaning than it seems to have, or what sbatch refuses in a script.

    `why`: "late" (below the first command, where it is a comment: the whole line), "literal" (a
    variable in it is not expanded), "blanks" (around its sign), "misspelt" (a comment), "first"
    (the script does not begin with `#!`), "returns" (its lines end as those of DOS do). `key` is
    the option or word, `text` its value.
    """

    why: str
    key: str
    text: str
    span: Span
    fix: Fix | None = None


def misplaced(document: Document) -> Iterator[Misplaced]:
    """Such directives of each batch script that a file is or submits, of a late line the first."""
    for batch in document.batches.values():
        yield from _of_batch(document, batch)
    if document.kind == "slurm":
        yield from _misspelt(document)
        yield from _refused(document)


def _misspelt(document: Document) -> Iterator[Misplaced]:
    text = document.source.text
    body = document.batches[0].body if 0 in document.batches else len(text)
    for match in _MISSPELT.finditer(text, 0, body):
        word = match["word"]
        if word.islower() or not _is_meant(word.upper()):
            continue
        span = Span(*match.span("word"))
        fix = repair(f"write #{_WORD}", Edit(document.path, span, _WORD), safe=True)
        yield Misplaced("misspelt", f"#{word}", "", Span(span.start - 1, span.end), fix)


def _is_meant(word: str) -> bool:
    """Whether a word is `SBATCH` but for its case, two letters that changed places, or one that is
    missing or doubled."""
    if sorted(word) == sorted(_WORD):
        return True
    short, long = sorted((word, _WORD), key=len)
    cuts = (at for at in range(len(long)) if long[:at] + long[at + 1 :] == short)
    return any(long is _WORD or long[at] in (long[at - 1], long[at + 1 : at + 2]) for at in cuts)


def _refused(document: Document) -> Iterator[Misplaced]:
    source, text = document.source, document.source.text
    if "\r\n" in text:
        ends = (at.start() for at in re.finditer(r"\r\n", text))
        edits = [Edit(document.path, Span(at, at + 1), "") for at in ends]
        fix = repair("end the lines as Linux does", *edits, safe=True)
        yield Misplaced("returns", "", "", source.line_of(0), fix)
    elif document.launches and not text.startswith("#!"):
        rest = text.lstrip()
        blanks = Span(0, len(text) - len(rest)) if rest.startswith("#!") else Span(0, 0)
        first = "" if blanks.end else f"#!/bin/bash{source.newline}"
        fix = repair("begin with #!", Edit(document.path, blanks, first), safe=True)
        yield Misplaced("first", "", "", source.line_of(0), fix)


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
                yield Misplaced(
                    "late", key=setting.key, text=setting.text or "", span=line, fix=fix
                )
            continue
        filled_in = "template" in document.path.lower()
        if batch.is_literal and "$" in (setting.text or "") and not filled_in:
            yield Misplaced("literal", setting.key, setting.text or "", setting.span)
        blanks = _BLANKS.match(source.text, key.end)
        if blanks:
            end = key.end + len(blanks.group())
            plain = Edit(document.path, Span(key.end, end), "=")
            fix = repair("take the blanks out", plain, safe=True)
            yield Misplaced("blanks", setting.key, "", Span(key.start, end), fix)


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
