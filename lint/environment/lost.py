"""Variables that end with the shell which exports them: a recipe's line, a notebook's `!`, a step.

make and just start a shell for each line of a recipe, Jupyter for each `!` and `%%bash`, GitHub for
each step. Sources: GNU make manual "Recipe Execution", just manual, IPython's `!`, GitHub Actions
on GITHUB_ENV.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from cfglint.commands import may_launch
from cfglint.commands.texts import ShellText, every
from cfglint.commands.variables import Variables
from cfglint.model.document import Document
from cfglint.model.edit import Edit
from cfglint.model.launch import Launch, Setting
from cfglint.patterns import lazy
from cfglint.record import dataclass
from cfglint.syntax.shell_nested import Nested
from cfglint.text import Span

# A shell that does nothing else.
_ALONE = lazy(r"\s*(?:export[ \t]+[A-Za-z_]\w*=[^\n;&|<>`(]*(?:\n\s*|$))+")
_ONE_SHELL = lazy(r"^\.ONESHELL[ \t]*:", re.M)
_NEXT = lazy(r"[ \t]*(?:\r\n|\n|\r)[ \t]*[^@+\-#\s]")


@dataclass(frozen=True, slots=True)
class Lost:
    """A variable that a shell before exports, and a launch that was meant to get it. `edit` hands
    it on, None where that takes more than one."""

    setting: Setting
    launch: Launch
    edit: Edit | None


def lost_exports(document: Document) -> Iterator[Lost]:
    """The variables that no launch of a document gets, since their shell has ended by then."""
    source = document.source.text
    if document.shell_texts is None or document.kind in ("script", "slurm"):
        return
    if "export" not in source or _ONE_SHELL.search(source):
        return
    before: dict[str, list[tuple[Setting, ShellText]]] = defaultdict(list)
    for text in document.shell_texts(every):
        raw = text.fragment.text
        if _ALONE.fullmatch(raw):
            script = text.parsed()
            variables = Variables(script, {})
            given = (a for a in script.assignments if a.how == "export" and a.gives_value)
            before[text.group] += [(variables.setting(a), text) for a in given]
        elif before[text.group] and may_launch(raw):
            for launch in text.launches():
                for setting, where in before[text.group]:
                    if (setting.key or setting.name) not in launch.env:
                        yield Lost(setting, launch, _handed_on(document, where))
            before[text.group] = []


def _handed_on(document: Document, text: ShellText) -> Edit | None:
    """What lets the next shell have the variables of a line."""
    fragment = text.fragment
    raw = fragment.text
    if not isinstance(fragment, Nested) or "\n" in raw.strip() or not fragment.ranges:
        return None
    low, high = fragment.ranges[0][0], fragment.ranges[-1][1]
    if document.kind == "notebook":
        words = raw.split()
        at = raw.index("export")
        if len(words) != 2 or fragment.parent.text[low - 1 : low] != "!" or low < 1:
            return None
        return fragment.parent.edit(low - 1, low + at + len("export"), "%env")
    if document.kind in ("makefile", "justfile"):
        end = fragment.parent.span(low, high).end
        follows = _NEXT.match(document.source.text, end)
        return Edit(document.path, Span(end, end), " && \\") if follows else None
    return None
