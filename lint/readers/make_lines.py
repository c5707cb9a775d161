"""Lines of a Makefile's recipe that were meant to go on and do not (SYN007).

make takes the dashes in front of a line for its sign to go on after errors, so that an option on a
line of its own is run without them, and what then fails is ignored. Source: GNU make manual,
"Errors in Recipes".
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from cfglint.commands import may_launch
from cfglint.model.document import Document, Problem
from cfglint.model.edit import Edit
from cfglint.text import Span

_OPTION = re.compile(r"[ \t]*--(?P<name>[A-Za-z][\w-]*)")
_COMMENT = re.compile(r"(?:^|\s)#")
_ENDS = ("\\", "&", "|", ";", "(", ")")


def tell(document: Document, lines: Iterable[tuple[int, int]]) -> None:
    """Add the lines that begin with an option, below a launch, to a document's problems."""
    text = document.source.text
    launch: tuple[int, int] | None = None
    for start, end in lines:
        option = _OPTION.match(text, start, end)
        if (
            option is not None
            and launch is not None
            and not text[launch[1] : start].strip(" \t\r\n")
        ):
            at = launch[1]
            if text.count("\n", at, start) == 1:
                document.problems.append(_problem(document, option, at))
            launch = None
            continue
        line = text[start:end]
        ended = line.rstrip().endswith(_ENDS) or _COMMENT.search(line)
        launch = (start, end) if may_launch(line) and not ended else None


def _problem(document: Document, option: re.Match[str], at: int) -> Problem:
    name = option["name"]
    detail = {
        "title": "end the line above with a backslash",
        "help": "End the line above with a backslash.",
        "cause": f'make runs "{name}" without the dashes, which are its sign to ignore errors, and '
        "goes on when it is not found.",
        "edits": [Edit(document.path, Span(at, at), " \\")],
    }
    message = f"--{name} is taken for a command: the line above ends without a backslash"
    return Problem("SYN007", message, Span(option.start("name") - 2, option.end()), detail)
