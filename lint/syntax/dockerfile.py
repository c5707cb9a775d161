"""Dockerfiles: directives, instructions, heredocs and stages, each piece with its place.

Line-shaped like BuildKit's own parser: an instruction is one logical line, its continuations
joined, comment and blank lines inside them left out. Nothing is expanded here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple, overload

from cfglint.model.document import Problem
from cfglint.model.fragment import Fragment
from cfglint.record import dataclass, field
from cfglint.syntax.dockerfile_words import (
    Pair,
    Token,
    blanks_end,
    json_words,
    pair_of,
    split_words,
)
from cfglint.text import SourceText, Span

_INSTRUCTION = re.compile(
    "ADD|ARG|CMD|COPY|ENTRYPOINT|ENV|EXPOSE|FROM|HEALTHCHECK|LABEL|MAINTAINER|ONBUILD|RUN|SHELL"
    "|STOPSIGNAL|USER|VOLUME|WORKDIR"
)
_DIRECTIVE = re.compile(r"#[ \t]*([A-Za-z][A-Za-z0-9]*)[ \t]*=[ \t]*(.+?)[ \t]*$")
_HEREDOC = re.compile(r"[0-9]*<<(-?)([^<]*)$")


class Piece(NamedTuple):
    """Lines of the file. `kind`: "directive", "comment", "blank" or "instruction"."""

    kind: str
    start: int
    end: int


class Heredoc(NamedTuple):
    """`<<NAME`: `body` is the range in the file of the lines before the terminator."""

    name: str
    body: Span
    quoted: bool
    strip_tabs: bool
    terminated: bool


@dataclass(slots=True)
class Instruction:
    """One instruction.

    `text` is the logical line with `offsets` into the file (None: contiguous from `base`), `start`
    where its arguments begin in it, behind the keyword and the flags. `lines` is all of it in the
    file, heredoc bodies and the last line break included.
    """

    name: str
    text: str
    base: int
    offsets: Sequence[int] | None
    keyword: Token
    flags: list[Token]
    start: int
    escape: str
    lines: Span
    heredocs: list[Heredoc] = field(default_factory=list)
    inner: Instruction | None = None  # what ONBUILD keeps for later

    @property
    def arguments(self) -> str:
        """What stands behind the keyword and the flags."""
        return self.text[self.start :]

    def span(self, start: int, end: int) -> Span:
        """The file's span of a range of the text."""
        return self.fragment("").span(start, end)

    def token_span(self, token: Token) -> Span:
        """Where a token stands in the file."""
        return self.span(token.start, token.end)

    def fragment(self, path: str, start: int = 0, end: int | None = None) -> Fragment:
        """A range of the logical line as a fragment of the file at `path`."""
        end = len(self.text) if end is None else end
        if self.offsets is None:
            return Fragment(path, self.text[start:end], self.base + start)
        return Fragment(path, self.text[start:end], offsets=self.offsets[start : end + 1])

    def flag(self, name: str) -> str | None:
        """The value of `--name=value`, "" for a bare `--name`, None where it is not there."""
        for token in self.flags:
            key, _, value = token.text[2:].partition("=")
            if key == name:
                return value
        return None

    def words(self) -> list[Token]:
        """The arguments split at blanks outside quotes."""
        return split_words(self.text, self.start, self.escape)

    def pairs(self) -> list[Pair]:
        """The names and values of an ENV or ARG; none where they are malformed."""
        words = self.words()
        if self.name == "ARG":
            return [pair_of(word) for word in words]
        if words and "=" not in words[0].text:
            name = words[0]
            start = blanks_end(self.text, name.end)
            value = Token(self.text[start:].rstrip(), start, len(self.text.rstrip()))
            return [Pair(name, value, spaced=True)] if value.text else []
        return [pair_of(word) for word in words if "=" in word.text[1:]]

    def json(self) -> list[Token] | None:
        """The words of the JSON form, None for the shell form. Ranges include the quotes."""
        return json_words(self.text, self.start)


@dataclass(slots=True)
class Stage:
    """A FROM and what follows it. `parent` is the stage that its base names."""

    index: int
    start: Instruction
    base: Token
    name: str = ""
    parent: Stage | None = None
    instructions: list[Instruction] = field(default_factory=list)


@dataclass(slots=True)
class Dockerfile:
    """A whole file. `head` is what stands before the first FROM (global ARGs)."""

    source: SourceText
    escape: str
    directives: dict[str, str]
    pieces: list[Piece]
    instructions: list[Instruction]
    head: list[Instruction] = field(default_factory=list)
    stages: list[Stage] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def stage(self, wanted: str) -> Stage | None:
        """The stage of a name (in any case) or number."""
        for stage in reversed(self.stages):
            if stage.name and stage.name == wanted.lower():
                return stage
        index = int(wanted) if wanted.isascii() and wanted.isdigit() else -1
        return self.stages[index] if 0 <= index < len(self.stages) else None

    @property
    def targets(self) -> list[Stage]:
        """Stages that somebody can mean to run: the last, and those that no other stage uses."""
        used = {id(stage.parent) for stage in self.stages}
        for stage in self.stages:
            for each in stage.instructions:
                source = each.flag("from") if each.name in ("COPY", "ADD") else None
                used.add(id(self.stage(source)) if source else 0)
        return [s for s in self.stages if s is self.stages[-1] or id(s) not in used]


def parse(source: SourceText) -> Dockerfile:
    """The instructions of a Dockerfile. Never raises: what is odd stands in `problems`."""
    return _Scanner(source).run()


class _Offsets(Sequence[int]):
    """The file's offset of each code point of some joined ranges, and of the end. Few are asked
    for, so nothing is worked out before."""

    def __init__(self, chunks: list[tuple[int, int]]) -> None:
        self._chunks = chunks
        self._all: list[int] = []

    def _list(self) -> list[int]:
        if not self._all:
            self._all = [i for start, end in self._chunks for i in range(start, end)]
            self._all.append(self._chunks[-1][1])
        return self._all

    @overload
    def __getitem__(self, index: int) -> int: ...

    @overload
    def __getitem__(self, index: slice) -> list[int]: ...

    def __getitem__(self, index: int | slice) -> int | list[int]:
        return self._list()[index]

    def __len__(self) -> int:
        return len(self._list())


class _Scanner:
    def __init__(self, source: SourceText) -> None:
        self.text = source.text
        starts = source.line_starts
        ends = [*starts[1:], len(self.text)]
        # Start, end without the break, end with it. The last line may be empty: it is none.
        self.lines = [
            (start, start + len(self.text[start:end].rstrip("\r\n")), end)
            for start, end in zip(starts, ends, strict=True)
            if end > start
        ]
        self.file = Dockerfile(source, "\\", {}, [], [])

    def run(self) -> Dockerfile:
        at = 0
        in_directives = True
        while at < len(self.lines):
            start, stop, end = self.lines[at]
            line = self.text[start:stop].lstrip()
            if not line or line[0] == "#":
                directive = _DIRECTIVE.match(line) if in_directives else None
                kind = "directive" if directive else "comment" if line else "blank"
                in_directives = directive is not None
                if directive:
                    self._directive(directive[1].lower(), directive[2], Span(start, stop))
                self.file.pieces.append(Piece(kind, start, end))
                at += 1
            else:
                in_directives = False
                at = self._instruction(at)
        self._stages()
        return self.file

    def _directive(self, name: str, value: str, span: Span) -> None:
        if name == "escape":
            if value in ("\\", "`"):
                self.file.escape = value
            else:
                self._problem(f"the escape directive is {value!r}, it can be \\ or `", span)
        self.file.directives.setdefault(name, value)

    def _instruction(self, at: int) -> int:
        first = at
        escape = self.file.escape
        chunks: list[tuple[int, int]] = []
        while at < len(self.lines):
            start, stop, _ = self.lines[at]
            line = self.text[start:stop]
            blanks = len(line) - len(line.lstrip())
            at += 1
            if at - 1 > first and (blanks == len(line) or line[blanks] == "#"):
                continue  # a comment or blank line inside an instruction does not end it
            if at - 1 == first:
                start += blanks
            # An escape at the end continues the line, blanks behind it or not; two do not.
            bare = line.rstrip(" \t")
            cut = bare.endswith(escape) and not bare.endswith(escape * 2)
            chunks.append((start, max(start, stop - len(line) + len(bare) - 1) if cut else stop))
            if not cut:
                break
        instruction = self._build(chunks, Span(self.lines[first][0], self.lines[at - 1][2]))
        at = self._heredocs(instruction, at)
        instruction.lines = Span(instruction.lines.start, self.lines[at - 1][2])
        if instruction.inner:
            instruction.inner.lines = instruction.lines
        self.file.pieces.append(Piece("instruction", *instruction.lines))
        self.file.instructions.append(instruction)
        return at

    def _build(self, chunks: list[tuple[int, int]], lines: Span) -> Instruction:
        text = "".join(self.text[start:end] for start, end in chunks)
        offsets = _Offsets(chunks) if len(chunks) > 1 else None
        instruction = self._from_text(text, 0, chunks[0][0], offsets, lines)
        if not _INSTRUCTION.fullmatch(instruction.name):
            span = instruction.token_span(instruction.keyword)
            self._problem(f"unknown instruction: {instruction.keyword.text}", span)
        return instruction

    def _from_text(
        self,
        text: str,
        at: int,
        base: int,
        offsets: Sequence[int] | None,
        lines: Span,
        nested: bool = False,
    ) -> Instruction:
        at = blanks_end(text, at)
        end = at
        while end < len(text) and not text[end].isspace():
            end += 1
        keyword = Token(text[at:end], at, end)
        at = blanks_end(text, end)
        flags: list[Token] = []
        while text.startswith("--", at):
            word = split_words(text, at, self.file.escape, limit=1)[0]
            at = blanks_end(text, word.end)
            if word.text == "--":
                break
            flags.append(word)
        name = keyword.text.upper()
        escape = self.file.escape
        made = Instruction(name, text, base, offsets, keyword, flags, at, escape, lines)
        if name == "ONBUILD" and at < len(text) and not nested:  # the builder takes no second one
            made.inner = self._from_text(text, at, base, offsets, lines, nested=True)
        return made

    def _heredocs(self, instruction: Instruction, at: int) -> int:
        holder = instruction.inner or instruction
        if holder.name not in ("RUN", "COPY", "ADD") or "<<" not in holder.arguments:
            return at
        words = holder.words()
        for word, following in zip(words, [*words[1:], None], strict=True):
            sign = _HEREDOC.match(word.text)
            if sign is None:
                continue
            # The name may stand apart: `<< EOF`.
            written = sign[2] or (following.text if following and not sign[1] else "")
            name = re.sub(r"[\"'\\]", "", written)
            if not name:
                continue
            start = at
            terminated = False
            while at < len(self.lines) and not terminated:
                line = self.text[self.lines[at][0] : self.lines[at][1]]
                terminated = (line.lstrip("\t") if sign[1] else line) == name
                at += 1
            end = self.lines[at - 1][0 if terminated else 2]
            begin = self.lines[start][0] if start < len(self.lines) else end
            body = Span(begin, end)
            quoted = name != written
            holder.heredocs.append(Heredoc(name, body, quoted, sign[1] == "-", terminated))
            if not terminated:
                span = holder.token_span(word)
                self._problem(f"the heredoc {name} is never ended by a line {name}", span)
        return at

    def _stages(self) -> None:
        for instruction in self.file.instructions:
            if instruction.name == "FROM":
                words = instruction.words()
                if not words:
                    span = instruction.token_span(instruction.keyword)
                    self._problem("FROM names no image", span)
                    continue
                base = words[0]
                stage = Stage(len(self.file.stages), instruction, base)
                stage.parent = self.file.stage(base.text) if not base.text.isdigit() else None
                if len(words) >= 3 and words[1].text.lower() == "as":
                    stage.name = words[2].text.lower()
                self.file.stages.append(stage)
            elif self.file.stages:
                self.file.stages[-1].instructions.append(instruction)
            else:
                self.file.head.append(instruction)

    def _problem(self, message: str, span: Span) -> None:
        self.file.problems.append(Problem("", message, span))
