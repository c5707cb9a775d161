"""Lines of a shell text that were meant to go on and do not (SYN007).

What a backslash, a blank and a comment do differs by where they stand: in a command they end it, in
an array they become items of it, and inside quotes only whoever reads the string could tell.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterator
from typing import Any

from cfglint.model.document import Problem
from cfglint.model.fragment import Fragment
from cfglint.text import Span

# A backslash that a blank follows, so that it continues nothing.
_BLANK_AFTER = re.compile(r"(?<![\\])\\[ \t]+(?=\r?\n|\r)")
# A blank that a backslash makes part of a word, in front of an option or (alone) of a program.
_JOINED = re.compile(
    r"(?<=[^\s\\])\\[ \t](?=--[A-Za-z])|(?<=[ \t])\\[ \t](?=--?[A-Za-z]|[\w./-]+\.py\b)"
)
# A comment inside a continued command: everything behind it is another command.
_COMMENT_AFTER = re.compile(r"(?<!\\)\\([ \t]+(#[^\r\n]*))(\r\n|\n|\r)")
# The end of a line that continues, or was meant to.
_GOES_ON = re.compile(r"[ \t]*[^#\s].*\\[ \t\r]*(?:#.*)?$")
_COMMENT_IN = re.compile(r"\\(?:\r\n|\n|\r)([ \t]*#[^\r\n]*)(?:\r\n|\n|\r)")
_COMMENTS = re.compile(r"(?:[ \t]*(?:#[^\r\n]*)?(?:\r\n|\n|\r))*")
# Empty lines inside a continued command end it as well.
_EMPTY_IN = re.compile(r"\\\r?\n(?<!\\\\\n)(?<!\\\\\r\n)(?=[ \t]*\r?\n)")
# A line that begins with a long option, or is indented and begins with any option or an override of
# Hydra's (no shell takes `data.path=x` for an assignment), below one that ends without a backslash.
_OPTION_LINE = re.compile(
    r"\n(?<![\\&|;()]\n)[ \t]*(?:(?<=[ \t])|(?=--))"
    r"(?P<option>--?[A-Za-z][\w-]*|\+{0,2}[A-Za-z_]\w*(?:\.\w+)+(?==))"
)
# A slash for the backslash at a line's end; behind an option it may be the option's value.
_SLASH = re.compile(r"(?<!\S)/[ \t\r]*$")
_OPTION_IN_FRONT = re.compile(
    r"\s-(?!-(?:standalone|use[-_]\w+|multi[-_]gpu|no[-_]python)\s)[^\s=]*\s+/[ \t\r]*$"
)
# Two words with no blank on either side of the line break between them.
_GLUED = re.compile(
    r"\\\n(?<=[^\s\\;&|()]\\\n)(?=(?P<next>--?[A-Za-z][\w-]*|[A-Za-z_][\w./-]*\.py\b))"
)
_FIRST = re.compile(r"\s*(\S+)")
_ENDS = frozenset("\\&|;()\r\n\v\f")  # what ends a line so that the next is meant to stand alone
_LAUNCH = re.compile(
    r"torchrun|torch\.distributed|accelerate\s+launch|deepspeed|llamafactory|lmf\b"
)
_PRINTS = re.compile(r"\s*(?:echo|printf)\s")
_FOLLOWS = re.compile(
    r"[ \t]*(?:--?[A-Za-z]|[\w./-]+\.(?:py|ya?ml|json)\b|-m[ \t]"
    r"|[\"']?(?:\+{1,2}|~)?[A-Za-z_]\w*(?:\.\w+)+=|[\"']?\+{1,2}\w+=)"
)
_ARGUMENT = re.compile(r"[ \t]*(?:-|[\"']?(?:\+{1,2}|~)?\w+(?:\.\w+)+=)")
_BREAKS = re.compile(r"[\r\n]*")
# The image, which stands behind the options of docker, and docker's command in front.
_IMAGE = re.compile(
    r"[ \t]*\"?(?:\$\{?\w*(?:(?i:IMAGE|IMG))\w*\}?|[\w-]+(?:\.[\w-]+)+(?::\d+)?/[\w./-]+"
    r"|[a-z0-9][\w.-]*(?:/[\w.-]+)*:[\w.-]+)"
)
_DOCKER = re.compile(r"\b(?:docker|podman)[ \t]+(?:container[ \t]+)?(?:run|create)\b")


def broken_continuations(fragment: Fragment, returns: bool = True) -> Iterator[Problem]:
    """The places where what follows a backslash cuts a command in two, or joins a list. `returns`:
    the carriage returns of a file are among them."""
    text = fragment.text
    where = _Places(text)
    yield from _backslashes_missing(fragment, where)
    if "\\" not in text:
        return
    if returns and "\\\r\n" in text and os.name != "nt" and fragment.offsets is None:
        yield from _returns(fragment, where)
    yield from _glued(fragment, where)
    if "\\ " in text or "\\\t" in text:
        yield from _blanks(fragment, where)
        yield from _joined(fragment, where)
        yield from _comments_behind(fragment, where)
    yield from _comments_between(fragment, where)
    if "\\\n" in text or "\\\r" in text:
        yield from _empty_between(fragment, where)


class _Places:
    """What surrounds a place of the text; the grammar is asked only where it matters."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._find: Callable[[int], str] | None = None
        self._documents: dict[tuple[int, int], _Places] = {}

    def __call__(self, at: int) -> str:
        if self._find is None:
            from cfglint.syntax.bash import surroundings

            self._find = surroundings(self.text)
        return self._find(at)

    def within(self, at: int) -> str:
        """What surrounds a place; in a here-document, as the shell that reads it sees it."""
        from cfglint.syntax.bash import here_document

        place = self(at)
        body = here_document(self.text, at) if place == "heredoc" else None
        if body is None:
            return place
        if body not in self._documents:
            self._documents[body] = _Places(self.text[slice(*body)])
        return self._documents[body].within(at - body[0])


def _backslashes_missing(fragment: Fragment, where: _Places) -> Iterator[Problem]:
    text = fragment.text
    ends: set[int] = set()
    for match in _OPTION_LINE.finditer(text):
        at, end = match.start("option"), match.start()
        last = len(text[text.rfind("\n", 0, end) + 1 : end].rstrip())
        end -= text[end - 1 : end] == "\r"
        line = text.rfind("\n", 0, end) + 1
        if not last or text[line + last - 1] in _ENDS:
            continue
        if _in_comment(text, end) or _GOES_ON.match(text, line, end):
            continue
        head = text[_first_line(text, end, ends) : end]
        if not _LAUNCH.search(head) or where(at) != "start":
            continue
        ends.add(end)
        detail = _repair(fragment, end, Span(end, end), insert=" \\")
        span = fragment.span(at, match.end())
        detail |= {
            "title": "end the line above with a backslash",
            "help": "End the line above with a backslash.",
        }
        message = (
            f"{match['option']} is taken for a command: the line above ends without a backslash"
        )
        slash = _SLASH.search(text, line, end)
        if slash is not None and not _OPTION_IN_FRONT.search(text, line, end):
            span = fragment.span(slash.start(), slash.start() + 1)
            detail |= _repair(fragment, end, Span(slash.start(), end), insert="\\")
            detail |= {"title": "write a backslash", "help": "Write a backslash."}
            message = "a slash ends the line, where a backslash was meant"
        yield Problem("SYN007", message, span, detail)


def _returns(fragment: Fragment, where: _Places) -> Iterator[Problem]:
    """The first line of a launch that a backslash and the line break of Windows end: bash takes
    the carriage return for a character like any other."""
    text = fragment.text
    for match in re.finditer(r"(?<!\\)\\\r\n", text):
        at = match.start()
        if _in_comment(text, at) or not _FOLLOWS.match(text, match.end()):
            continue
        if not _LAUNCH.search(text, _first_line(text, at), at) or where(at) in ("array", "string"):
            continue
        returns = (one.start() for one in re.finditer(r"\r\n", text))
        detail = _repair(fragment, at, Span(at + 1, at + 2)) | {
            "edits": [fragment.edit(one, one + 1, "") for one in returns],
            "title": "end the lines of the file as Linux does",
            "help": "Save the file with line breaks of Linux (dos2unix).",
        }
        message = "a carriage return follows the backslash, so the command ends here"
        yield Problem("SYN007", message, fragment.span(at, at + 1), detail)
        return


def _glued(fragment: Fragment, where: _Places) -> Iterator[Problem]:
    text = fragment.text
    for match in _GLUED.finditer(text):
        at = match.start()
        if _in_comment(text, at) or where(at) in ("array", "string"):
            continue
        if not _LAUNCH.search(text, _first_line(text, at), at):
            continue
        last = text[text.rfind("\n", 0, at) + 1 : at].split()[-1]
        yield Problem(
            "SYN007",
            f"{last} and {match['next']} become one word: no blank stands between them",
            fragment.span(at, at + 1),
            _repair(fragment, at, Span(at, at), insert=" ")
            | {
                "title": "put a blank in front of the backslash",
                "cause": "A backslash takes the line break away, and puts nothing in its place.",
                "help": "Put a blank in front of the backslash.",
            },
        )


def _blanks(fragment: Fragment, where: _Places) -> Iterator[Problem]:
    text = fragment.text
    for match in _BLANK_AFTER.finditer(text):
        following = _BREAKS.match(text, match.end()).end()  # type: ignore[union-attr]
        if _in_comment(text, match.start()) or not _follows(text, match.start(), following):
            continue
        place = where.within(match.start())
        if place == "string":
            continue
        message = "a blank follows the backslash, so the command ends here"
        if place == "array":
            message = "a blank follows the backslash: it becomes an item of the list"
        span = fragment.span(match.start(), match.end())
        remove = Span(match.start() + 1, match.end())
        detail = _repair(fragment, match.start(), remove) | _in_list(place, "' '")
        yield Problem("SYN007", message, span, detail)


def _joined(fragment: Fragment, where: _Places) -> Iterator[Problem]:
    """The commands of launches in which a backslash in the middle of a line joins words."""
    text, past = fragment.text, 0
    for match in _JOINED.finditer(text):
        at = match.start()
        if at < past or _in_comment(text, at) or where(at):
            continue
        start = _first_line(text, at)
        if not _LAUNCH.search(text, start, at) or _PRINTS.match(text, start):
            continue
        until = _until(text, match.end())
        joined = [m.start() for m in _JOINED.finditer(text, at, until) if not where(m.start())]
        past, fixed = at, ""
        for one in joined:
            fixed += text[past:one] + ("" if text[one - 1] in " \t" else " ")
            past = one + 2
        edits = [fragment.edit(at, past, fixed)]
        span = fragment.span(at, past)
        if span.end - span.start != past - at:  # the lines of a folded block end there
            edits = [fragment.edit(one - (text[one - 1] in " \t"), one + 1, "") for one in joined]
        word = text[match.end() : until].split(maxsplit=1)[0]
        cause = f'The program is given " {word}", with the blank.'
        if text[at - 1] not in " \t":
            cause = f"{word} is not read as an option: it is part of the word in front."
        detail = {
            "edits": edits,
            "cause": cause,
            "title": "take the backslash out",
            "help": "A backslash continues a line only at its end.",
        }
        message = "a blank behind the backslash, so it belongs to the word"
        yield Problem("SYN007", message, fragment.span(at, at + 1), detail)


def _comments_behind(fragment: Fragment, where: _Places) -> Iterator[Problem]:
    text = fragment.text
    for match in _COMMENT_AFTER.finditer(text):
        if _in_comment(text, match.start()) or not _follows(text, match.start(), match.end()):
            continue
        place = where.within(match.start())
        if place == "string":
            continue
        span = fragment.span(match.start(), match.end(2))
        if place == "array":
            # A comment ends an item by itself there: only the backslash is too much.
            edits = [fragment.edit(match.start(), match.start(2), "")]
            detail = {"edits": edits} | _in_list(place, repr(" " + match[2].split()[0]))
            detail |= {"title": "remove the backslash", "help": "Remove the backslash."}
            message = "a comment follows the backslash: its words become items of the list"
            yield Problem("SYN007", message, span, detail)
            continue
        comment = match[2] + match[3]
        yield Problem(
            "SYN007",
            "a comment follows the backslash, so the command ends here",
            span,
            _repair(fragment, match.start(), Span(*match.span(1)), comment),
        )


def _comments_between(fragment: Fragment, where: _Places) -> Iterator[Problem]:
    text = fragment.text
    for match in _COMMENT_IN.finditer(text):
        comments = _COMMENTS.match(text, match.end())
        assert comments
        if _in_comment(text, match.start()):
            continue
        if not _follows(text, match.start(), comments.end()):
            continue
        if where.within(match.start()) in ("array", "string"):  # a list may hold comments
            continue
        whole = Span(match.start(1), comments.end())
        lines = text[whole.start : whole.end]
        yield Problem(
            "SYN007",
            "a comment line stands inside a continued command, which ends there",
            fragment.span(match.start(1) + len(match[1]) - len(match[1].lstrip()), match.end(1)),
            _repair(fragment, match.start(), whole, lines),
        )


def _empty_between(fragment: Fragment, where: _Places) -> Iterator[Problem]:
    text = fragment.text
    for match in _EMPTY_IN.finditer(text):
        at = match.start()
        lines = _COMMENTS.match(text, match.end())
        assert lines
        if _in_comment(text, at) or not _follows(text, at, lines.end()):
            continue
        if not _begins_inside(text, _first_line(text, at), at, lines.end()):
            continue
        if where.within(at) in ("array", "string"):
            continue
        last = 2 if lines[0].endswith("\r\n") else 1
        detail = _repair(fragment, at, Span(at + 1, lines.end() - last), lines[0])
        detail |= {"title": "take the empty line out", "help": "Take the empty line out."}
        message = "an empty line follows the backslash, so the command ends here"
        yield Problem("SYN007", message, fragment.span(at, at + 1), detail)


def _begins_inside(text: str, first: int, at: int, following: int) -> bool:
    """Whether a line belongs to the command from `first` to `at`: it begins with an option or an
    override, or is indented and names what may be its program, where it has none yet."""

    def indent(line: int) -> int:
        return len(text[line : line + 80]) - len(text[line : line + 80].lstrip(" \t"))

    if _ARGUMENT.match(text, following):
        return True
    return indent(following) > indent(first) and ".py" not in text[first:at]


def _follows(text: str, at: int, following: int) -> bool:
    """Whether what stands at a place was meant to go on with the command whose line ends at `at`:
    options, a program's file, the image of docker's options."""
    if _FOLLOWS.match(text, following):
        return True
    return bool(_IMAGE.match(text, following) and _DOCKER.search(text, _first_line(text, at), at))


def _in_list(place: str, item: str) -> dict[str, Any]:
    """What happens instead where a list goes on."""
    if place != "array":
        return {}
    return {"cause": f"The program is given {item} among its arguments and refuses it."}


def _repair(
    fragment: Fragment, at: int, remove: Span, comment: str = "", insert: str = ""
) -> dict[str, Any]:
    """The edits that let a command go on: `remove` goes, `insert` comes, and of a comment, what
    stands above the command instead; with what is said of them.

    The words up to where the command then ends are written anew: what is said of them before
    speaks of something else.
    """
    text = fragment.text
    start = _first_line(text, at)
    until = _until(text, remove.end)
    indent = re.compile(r"[ \t]*").match(text, start)
    assert indent
    comments = (one.lstrip(" \t") for one in comment.splitlines(keepends=True))
    moved = "".join(indent[0] + one for one in comments if one.strip())
    span = fragment.span(remove.start, until)
    if span.end - span.start != until - remove.start:  # lines that the file indents
        edits = [fragment.edit(remove.start, remove.end, insert)]
    else:
        edits = [fragment.edit(remove.start, until, insert + text[remove.end : until])]
    detail: dict[str, Any] = {"edits": edits, "title": "remove the blank"}
    if moved:
        edits.append(fragment.edit(start, start, moved))
        detail["title"] = "move the comment above the command"
        detail["help"] = "Move the comment above the command."
    first = _FIRST.match(text, remove.end)
    if first is not None:
        said = f"{first[1]}: command not found"
        detail["cause"] = f'The rest is run as another command: "{said}".'
    return detail


def _until(text: str, at: int) -> int:
    """Where the command ends that goes on behind a place."""
    until = at
    while until < len(text):
        line, end = until, text.find("\n", until + 1)
        until = end if end >= 0 else len(text)
        if not _GOES_ON.match(text, line + (text[line] == "\n"), until):
            break
    return until


def _first_line(text: str, at: int, ends: Collection[int] = ()) -> int:
    """Where the continued command begins that reaches to a place; lines that end at one of `ends`
    were meant to go on, too."""
    start = line = text.rfind("\n", 0, at) + 1
    while line:
        end, line = line - 1, text.rfind("\n", 0, line - 1) + 1
        if end in ends or _GOES_ON.match(text, line, end):
            start = line
        elif not text[line:end].lstrip().startswith("#"):
            break
    return start


def _in_comment(text: str, at: int) -> bool:
    """Whether the line of a place is a comment from its start."""
    line = max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1
    return text[line:at].lstrip().startswith("#")
