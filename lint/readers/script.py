"""Shell scripts: the launches in them, and continued lines that break off."""

from __future__ import annotations

import re
from typing import Any

from cfglint.commands import may_launch, sources
from cfglint.commands.scope import Scope
from cfglint.commands.scripts import script_launches
from cfglint.document import Document, Problem
from cfglint.fragment import Fragment
from cfglint.launch import ConfigRef
from cfglint.syntax.shell import Script, parse
from cfglint.text import Span

# A backslash that a blank follows, so that it continues nothing.
_BLANK_AFTER = re.compile(r"(?<![\\])\\[ \t]+(?=\r?\n|\r)")
# A comment inside a continued command: everything behind it is another command.
_COMMENT_AFTER = re.compile(r"(?<!\\)\\([ \t]+(#[^\r\n]*))(\r\n|\n|\r)")
# The end of a line that continues, or was meant to.
_GOES_ON = re.compile(r"[ \t]*[^#\s].*\\[ \t\r]*(?:#.*)?$")
_COMMENT_IN = re.compile(r"\\(?:\r\n|\n|\r)([ \t]*#[^\r\n]*)(?:\r\n|\n|\r)")
_FOLLOWS = re.compile(r"[ \t]*(?:--?[A-Za-z]|[\w./-]+\.(?:py|ya?ml|json)\b|-m[ \t])")
_PROGRAM_FILE = re.compile(r"^[\w./-]+\.(?:sh|bash|slurm|sbatch)$")


def read(document: Document) -> None:
    """Fill a script's launches. A script that names no launcher has none and is not parsed."""
    read_with(document, Scope(document))


def read_with(document: Document, scope: Scope) -> None:
    """Fill the launches of a script whose commands run in `scope`."""
    text = document.source.text
    if not may_launch(text):
        return
    broken_continuations(document)
    script = parse(Fragment(document.path, text), document)
    document.tree = script
    document.facts["scope"] = scope
    document.links.extend(sources.references(script))
    document.launches = script_launches(script, scope)
    document.links.extend(_started_scripts(script))


def link(document: Document) -> None:
    """Read the launches again with the files that the script sources (their links are resolved)."""
    script, scope = document.tree, document.facts.get("scope")
    if isinstance(script, Script) and isinstance(scope, Scope):
        sources.join(script, document.links)
        document.launches = script_launches(script, scope)


def _started_scripts(script: Script) -> list[ConfigRef]:
    """The scripts that a script starts or sources."""
    found: list[ConfigRef] = []
    if ".sh" not in script.fragment.text and "sbatch" not in script.fragment.text:
        return found
    for command in script.commands:
        if ".sh" not in command.raw and "sbatch" not in command.raw:
            continue
        for word in command.words:
            text = word.text
            if text is not None and _PROGRAM_FILE.match(text):
                found.append(ConfigRef("script", text, word.span))
    return found


def broken_continuations(document: Document) -> None:
    """SYN007: what follows a backslash cuts a command in two."""
    text = document.source.text
    if "\\" not in text:
        return
    blank = "\\ " in text or "\\\t" in text
    for match in _BLANK_AFTER.finditer(text) if blank else ():
        line = document.source.line_of(match.start())
        head = text[line.start : match.start()]
        following = text[match.end() :].lstrip("\r\n")
        if _in_comment(head) or not _FOLLOWS.match(following):
            continue
        span = Span(match.start(), match.end())
        document.problems.append(
            Problem(
                "SYN007",
                "a blank follows the backslash, so the command ends here",
                span,
                _repair(text, match.start(), Span(match.start() + 1, match.end())),
            )
        )
    for match in _COMMENT_AFTER.finditer(text) if blank else ():
        line = document.source.line_of(match.start())
        head = text[line.start : match.start()]
        if _in_comment(head) or not _FOLLOWS.match(text, match.end()):
            continue
        document.problems.append(
            Problem(
                "SYN007",
                "a comment follows the backslash, so the command ends here",
                Span(match.start(), match.end(2)),
                _repair(text, match.start(), Span(*match.span(1)), match[2] + match[3]),
            )
        )
    for match in _COMMENT_IN.finditer(text):
        end = match.end()
        comments = re.compile(r"(?:[ \t]*#[^\r\n]*(?:\r\n|\n|\r))*").match(text, end)
        assert comments
        line = document.source.line_of(match.start())
        if _in_comment(text[line.start : match.start()]):
            continue
        if not _FOLLOWS.match(text, comments.end()):
            continue
        whole = Span(match.start(1), comments.end())
        lines = text[whole.start : whole.end]
        document.problems.append(
            Problem(
                "SYN007",
                "a comment line stands inside a continued command, which ends there",
                Span(match.start(1) + len(match[1]) - len(match[1].lstrip()), match.end(1)),
                _repair(text, match.start(), whole, lines),
            )
        )


def _repair(text: str, at: int, remove: Span, comment: str = "") -> dict[str, Any]:
    """What goes (`remove`) and, of a comment, what stands above the command (at `above`) instead.

    `until` is where the command ends that then goes on: its words are read anew.
    """
    start = line = text.rfind("\n", 0, at) + 1
    while line:
        end, line = line - 1, text.rfind("\n", 0, line - 1) + 1
        if _GOES_ON.match(text, line, end):
            start = line
        elif not text[line:end].lstrip().startswith("#"):
            break
    until = remove.end
    while until < len(text):
        line, end = until, text.find("\n", until + 1)
        until = end if end >= 0 else len(text)
        if not _GOES_ON.match(text, line + (text[line] == "\n"), until):
            break
    indent = re.compile(r"[ \t]*").match(text, start)
    assert indent
    moved = "".join(indent[0] + one.lstrip(" \t") for one in comment.splitlines(keepends=True))
    return {"remove": remove, "until": until, "above": start, "comment": moved}


def _in_comment(head: str) -> bool:
    return head.lstrip().startswith("#")
