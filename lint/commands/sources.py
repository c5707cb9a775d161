"""Files that a script sources: their variables become its own."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cfglint.commands.variables import Reach, Variables
from cfglint.model.document import Document
from cfglint.model.fragment import Fragment
from cfglint.model.launch import ConfigRef, Setting
from cfglint.record import replace
from cfglint.syntax.shell import Assignment, Command, Script, parse
from cfglint.syntax.shell_nested import inner

ROLE = "sourced"
_KINDS = ("script", "slurm", "dotenv")
_MAX_SIZE = 200_000
# Files that set up a shell, a virtual environment or a toolkit, and no job.
_SETUP = re.compile(
    r"(?:^|/)(?:activate|conda\.sh|mamba\.sh|\.?bashrc|\.bash_profile|\.?profile|\.zshrc|bash\.sh"
    r"|modules?\.sh|lmod\.sh|setvars\.sh|init\.sh|.*/bin/activate|functions|parse_options\.sh)$"
)
_MAY_SOURCE = re.compile(r"source|\.|[A-Za-z_]\w*=")
_HERE = re.compile(
    r"^\"?(?:\$\{?[A-Z_]*(?:DIR|HOME|ROOT|PATH)\}?|\$\(.*dirname.*\))/([\w./-]+)\"?$"
)


def references(script: Script) -> list[ConfigRef]:
    """The files that a script sources, as links. What cannot be named leaves a gap."""
    found: list[ConfigRef] = []
    whole = script.fragment.text
    if "source" not in whole and ". " not in whole and ".\t" not in whole:
        return found
    for command in script.commands:
        if not _MAY_SOURCE.match(whole, command.start):
            continue
        path = _path(command)
        if path is None:
            continue
        text = path or command.words[1].raw
        if _SETUP.search(text.strip("\"'")) or "activate" in text:
            continue
        own = _written(script, command)
        if own is not None:
            _adopt(script, command, own)
            continue
        _leave_gap(script, command.start, text)
        if path:
            found.append(ConfigRef(ROLE, path, command.words[1].span))
    return found


def _path(command: Command) -> str | None:
    """The path that a source command names, "" where it is not known, None for other commands."""
    if command.name not in ("source", ".") or len(command.words) < 2:
        return None
    word = command.words[1]
    if word.text is not None:
        return word.text
    # `source "$(dirname "$0")/env.sh"`, `. $SCRIPT_DIR/env.sh`: most likely beside this file.
    match = _HERE.match(word.raw)
    return match[1] if match else ""


def _leave_gap(script: Script, start: int, text: str) -> None:
    if script.gap is None or start < script.gap[0]:
        script.gap = (start, text)


def join(script: Script, links: Sequence[ConfigRef]) -> None:
    """Put the assignments of sourced files that were found into a script."""
    named = {r.span: r.document for r in links if r.role == ROLE}
    script.gap = script.hidden
    for command in script.commands:
        path = _path(command)
        if path is None:
            continue
        document = named.get(command.words[1].span)
        if document is not None and document.kind in _KINDS:
            _take(script, command, document)
        elif _written(script, command) is not None:
            continue  # its assignments are there already
        elif not _SETUP.search((path or command.words[1].raw).strip("\"'")):
            _leave_gap(script, command.start, path or command.words[1].raw)
    script.assignments.sort(key=lambda assignment: assignment.start)


def _take(script: Script, command: Command, document: Document) -> None:
    text = document.source.text
    if len(text) > _MAX_SIZE:
        _leave_gap(script, command.start, document.path)
        return
    other = document.tree if isinstance(document.tree, Script) else None
    _adopt(script, command, other or parse(Fragment(document.path, text), document))


def _written(script: Script, command: Command) -> Script | None:
    """The sourced file, where the script itself has written it by a here-document before."""
    if "<<" not in script.fragment.text:
        return None
    from cfglint.commands.written import Files

    variables = Variables(script, {})
    word = Reach(variables, command.start, command.context).word(command.words[1])
    bodies = Files(script).bodies(word, command.start, command.context, variables)
    if len(bodies) != 1:
        return None
    fragment, known = inner(bodies[0], lambda part: part)
    return parse(fragment, script.document, known)


def _adopt(script: Script, command: Command, other: Script) -> None:
    """Make what a sourced file leaves its variables at the script's own from a command on."""
    variables = Variables(other, {})
    end = len(other.fragment.text) + 1
    everything = script.allexport is not None and script.allexport <= command.start
    for name in variables.by_name:
        found = variables.holds(name, end, other.root)
        if found is None:
            continue
        exported = everything or variables.is_exported(name, end, other.root)
        how = "export" if exported else "plain"
        setting: Setting = replace(found, used_at=None)
        script.assignments.append(
            Assignment(
                name, None, command.start, command.end, command.context, how, setting=setting
            )
        )
    if other.gap is not None:
        _leave_gap(script, command.start, other.gap[1])
