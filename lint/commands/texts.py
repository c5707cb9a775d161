"""The texts of a file that a shell runs, each with what surrounds it."""

from __future__ import annotations

import re

from cfglint.commands.scope import Scope
from cfglint.model.fragment import Fragment
from cfglint.model.launch import Launch
from cfglint.record import dataclass, field
from cfglint.syntax.shell import Script, parse
from cfglint.syntax.shell_nested import Known
from cfglint.syntax.unclosed import unclosed

_SEPARATOR = re.compile(r"[;&|]|(?<!\\)\r?\n")


@dataclass(slots=True)
class ShellText:
    """A whole script, a recipe's line, a workflow's step, a notebook's command.

    `known` are parts of it that something else than the shell replaces. `folder`: where it runs,
    relative to the repository; "" where the file does not say. `group`: what is run one after the
    other, each text in a shell of its own (a recipe, a job).
    """

    fragment: Fragment
    scope: Scope
    known: Known = field(default_factory=dict)
    folder: str = ""
    group: str = ""
    whole: bool = True  # no quotes come into it that are not seen

    def read(self) -> None:
        """Add the launches that stand in it to its document's."""
        found = self.launches()
        open_at = unclosed(self.fragment) if self.whole else None
        if open_at is not None:
            self.scope.document.problems.append(open_at[1])
            found = before_open(found, self.fragment.text, open_at[0])
        self.scope.document.launches += found

    def launches(self) -> list[Launch]:
        """The launches that stand in it."""
        from cfglint.commands import shell_launches

        return shell_launches(self.fragment, self.scope, self.known)

    def parsed(self) -> Script:
        """Its commands."""
        return parse(self.fragment, self.scope.document, self.known)


def before_open(launches: list[Launch], text: str, at: int) -> list[Launch]:
    """The launches that a shell comes to in a text whose quote at an index is never closed: it
    stops at the command with the quote."""
    ended = [x for x in launches if x.flow and x.flow[-1].end < at]
    return [x for x in ended if _SEPARATOR.search(text, x.flow[-1].end, at)]


def every(text: str) -> bool:
    """The test that lets all texts through."""
    return True
