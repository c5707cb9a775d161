"""The texts of a file that a shell runs, each with what surrounds it."""

from __future__ import annotations

from cfglint.commands.scope import Scope
from cfglint.model.fragment import Fragment
from cfglint.model.launch import Launch
from cfglint.record import dataclass, field
from cfglint.syntax.shell import Script, parse
from cfglint.syntax.shell_nested import Known


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

    def launches(self) -> list[Launch]:
        """The launches that stand in it."""
        from cfglint.commands import shell_launches

        return shell_launches(self.fragment, self.scope, self.known)

    def parsed(self) -> Script:
        """Its commands."""
        return parse(self.fragment, self.scope.document, self.known)


def every(text: str) -> bool:
    """The test that lets all texts through."""
    return True
