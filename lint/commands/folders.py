"""The folder in which a command of a script runs, as far as its `cd` commands tell."""

from __future__ import annotations

import os
import posixpath
from typing import TYPE_CHECKING

from cfglint.model.flow import certain, exclusive
from cfglint.patterns import lazy

if TYPE_CHECKING:
    from cfglint.syntax.shell import Command, Script

_OWN_FOLDER = lazy(
    r"\"?\$\((?:cd[ \t]+(?:--[ \t]+)?\"?\$\()?[ \t]*dirname[ \t]+(?:--[ \t]+)?"
    r"\"?\$\{?(?:0|BASH_SOURCE(?:\[0\])?)\}?\"?[ \t]*\)(?P<inner>/[^\"$`)]*)?\"?"
    r"(?:[ \t]*&&[ \t]*pwd(?:[ \t]+-P)?[ \t]*\))?(?P<behind>/[^\"$`]*)?\"?"
)


def folder_of_call(command: Command, calls: tuple[Command, ...]) -> str | None:
    """The folder of the tree in which a command runs, "" for where its script is started, None
    where that is not known; `calls` are those of the function that it stands in, innermost first.
    """
    script = command.script
    if not script.moves:
        return ""
    folder: str | None = ""
    moves = script.moves
    if calls:
        body = command.context.inside("function")
        inside = [c for c in moves if body is not None and body in c.context.chain()]
        again = body is not None and sum(c.name == body.name for c in script.commands) > 1
        if len(calls) > 1 or body is None or (inside and again):
            return None
        outside = [c for c in moves if c not in inside]
        folder, _ = folder_of(script, calls[0], folder, outside)
        moves = inside
    folder, _ = folder_of(script, command, folder, moves)
    return None if folder is None or posixpath.isabs(folder) else folder


def folder_of(
    script: Script, command: Command, start: str | None, moves: list[Command] | None = None
) -> tuple[str | None, bool]:
    """The folder in which a command runs, and whether it is counted from the script's own. `moves`:
    the commands that go to another one, where not all of the script count."""
    folder, own = start, False
    for other in script.moves if moves is None else moves:
        if other.start >= command.start:
            break
        if exclusive(other.context, command.context):
            continue
        around = list(command.context.chain())
        inside = [c.kind for c in other.context.chain() if c not in around]
        if {"subshell", "pipe", "job"}.intersection(inside):
            continue
        word = other.words[1] if len(other.words) > 1 else None
        text = word.text if word is not None else None
        beside = _OWN_FOLDER.fullmatch(word.raw) if word is not None else None
        chained = other.line_start == command.line_start and set(inside) <= {"after"}
        sure = chained or certain(other.context, command.context)
        if not sure or other.name == "popd" or text == "-":
            folder, own = None, False
        elif beside is not None:
            behind = (beside["inner"] or "") + (beside["behind"] or "")
            folder, own = posixpath.normpath(f".{behind}"), True
        elif text is None or text.startswith("~") or (folder is None and not os.path.isabs(text)):
            folder, own = None, False
        else:
            folder = posixpath.normpath(posixpath.join(folder or "", text))
    return folder, own
