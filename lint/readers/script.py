"""Shell scripts: the launches in them, and continued lines that break off."""

from __future__ import annotations

import re

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
                {"remove": Span(match.start() + 1, match.end()), "how": "blank"},
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
        document.problems.append(
            Problem(
                "SYN007",
                "a comment line stands inside a continued command, which ends there",
                Span(match.start(1) + len(match[1]) - len(match[1].lstrip()), match.end(1)),
                {"remove": whole, "how": "comment"},
            )
        )


def _in_comment(head: str) -> bool:
    return head.lstrip().startswith("#")
