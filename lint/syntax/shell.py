"""Shell text through tree-sitter-bash: commands and assignments in order, with their context.

The tree is walked once for its statements; words are read when somebody asks for them. What a
variable holds at some place is `cfglint.commands.variables`' question.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from cfglint.model.fragment import Fragment
from cfglint.model.values import Literal
from cfglint.record import dataclass, field
from cfglint.syntax import simple_words
from cfglint.syntax.bash import root
from cfglint.syntax.shell_context import Context
from cfglint.syntax.shell_nested import Known, Nested, Straight
from cfglint.syntax.shell_scanner import Scanner
from cfglint.syntax.shell_split import exec_word, split
from cfglint.syntax.shell_words import Part, ShellWord
from cfglint.text import Span

if TYPE_CHECKING:
    from cfglint.model.document import Document
    from cfglint.model.launch import Setting

__all__ = [
    "Assignment",
    "Command",
    "Context",
    "Redirect",
    "Script",
    "ShellWord",
    "exec_word",
    "parse",
    "split",
]


@dataclass(eq=False, slots=True)
class Redirect:
    """A redirection: its sign, its target, and a here-document's text and whether it is quoted."""

    sign: str
    target: ShellWord | None = None
    body: Fragment | None = None
    literal: bool = False


class Assignment:
    """`NAME=value`. `word` is None where the value is not a word (an array, `read`, unset).

    `how`: "plain", "export", "prefix" (of one command), "local", "for", "read", "unset".
    """

    __slots__ = (
        "append",
        "context",
        "end",
        "given",
        "how",
        "name",
        "script",
        "setting",
        "start",
        "value_start",
    )

    def __init__(
        self,
        name: str,
        given: ShellWord | None,
        start: int,
        end: int,
        context: Context,
        how: str = "plain",
        append: bool = False,
        script: Script | None = None,
        value_start: int = 0,
        setting: Setting | None = None,
    ) -> None:
        self.name = name
        self.given = given
        self.start = start
        self.end = end
        self.context = context
        self.how = how
        self.append = append
        self.script = script
        self.value_start = value_start
        self.setting = setting

    @property
    def gives_value(self) -> bool:
        """Whether it says what the variable holds; `export NAME` does not."""
        return self.setting is not None or self.given is not None or self.script is not None

    @property
    def word(self) -> ShellWord | None:
        """The value as a word."""
        if self.given is None and self.script is not None:
            self.given = self.script.word_at(self.value_start, self.end)
        return self.given


class Command:
    """A simple command. Offsets are indices of the script's text.

    `line_start` is where the statement that holds it begins, `statement_end` where it ends with
    its redirections.
    """

    def __init__(
        self,
        script: Script,
        node: Any,
        context: Context,
        start: int,
        end: int,
        line_start: int,
        statement_end: int,
        redirects: tuple[Redirect, ...] = (),
    ) -> None:
        self.script = script
        self.node = node
        self.context = context
        self.start = start
        self.end = end
        self.line_start = line_start
        self.statement_end = statement_end
        self.redirects = redirects

    @property
    def raw(self) -> str:
        """The command as it is written, without its redirections."""
        return self.script.fragment.text[self.start : self.end]

    @cached_property
    def name(self) -> str:
        """The command's name as it is written, "" where there is none."""
        plain = _PLAIN_NAME.match(self.script.fragment.text, self.start, self.end)
        if plain is not None:
            return plain.group()
        children = self.node.children
        named = next((c for c in children if c.type == "command_name"), None)
        return "" if named is None else self.script.word(named).raw

    @property
    def background(self) -> bool:
        """Whether the script goes on while it runs."""
        return self.context.inside("job") is not None

    def read(self) -> Iterator[ShellWord]:
        """The command's words, its name first, one by one; redirections left out."""
        found = simple_words.ranges(self.script.fragment.text, self.start, self.end)
        if found is None and self.node.has_error:
            from cfglint.syntax import misread_words

            found = misread_words.ranges(self.script.fragment.text, self.start, self.end)
        if found is None:
            return self.read_nodes()
        return (self.script.word_at(low, high) for low, high in found)

    def read_nodes(self) -> Iterator[ShellWord]:
        """The same, as the nodes of the grammar have it."""
        pending: ShellWord | None = None
        for child in self.node.children:
            kind = child.type
            if kind in _NO_WORDS:
                continue
            word = self.script.word(child.children[0] if kind == "command_name" else child)
            if pending is not None and pending.end == word.start:
                # The grammar cuts some words in two although nothing stands between.
                word = self.script.word_at(pending.start, word.end)
            elif pending is not None:
                yield pending
            pending = word
        if pending is not None:
            yield pending

    @cached_property
    def words(self) -> tuple[ShellWord, ...]:
        """The command's words, its name first; redirections left out."""
        return tuple(self.read())

    @cached_property
    def assignments(self) -> tuple[Assignment, ...]:
        """The assignments before its name."""
        found: list[Assignment] = []
        for child in self.node.children:
            if child.type != "variable_assignment":
                break
            assignment = self.script.assignment(child, self.context, "prefix")
            if assignment is not None:
                found.append(assignment)
        return tuple(found)

    @property
    def span(self) -> Span:
        return self.script.fragment.span(self.start, self.end)


# Children of a command that are no words of it.
_NO_WORDS = frozenset(
    ("variable_assignment", "herestring_redirect", "comment", "file_redirect", "ERROR")
)
# A first word that nothing is expanded in, and that is no assignment.
_PLAIN_NAME = re.compile(r"[\w./+:-]+(?=[ \t\r\n]|\Z)")
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)(\+?)=")
_EXPANDED = re.compile(r"\$\{?[#!]?([A-Za-z_]\w*)")
_GOES_ON = re.compile(r"\w")
_IN_NAME = re.compile(r"[\w-]")
_WIDE = re.compile(r"[^\x00-\x7f]")


@dataclass(eq=False)
class Script:
    """A parsed shell text: `commands` and `assignments` in the order of the text.

    `functions` gives the range of each function's body. `errors` are the places where the grammar
    did not fit, as ranges of the text.
    """

    fragment: Fragment
    document: Document
    known: Known
    commands: list[Command] = field(default_factory=list)
    assignments: list[Assignment] = field(default_factory=list)
    functions: dict[str, Context] = field(default_factory=dict)
    errors: list[tuple[int, int]] = field(default_factory=list)
    branches: dict[int, int] = field(default_factory=dict)  # group -> number of its branches
    patterns: dict[int, list[str]] = field(default_factory=dict)  # group -> those of its branches
    exits: set[tuple[int, int]] = field(default_factory=set)  # branches that end the script
    allexport: int | None = None  # where `set -a` stands
    root: Context = field(default_factory=lambda: Context("file"))
    hidden: tuple[int, str] | None = None  # where `export $(...)` sets what is not seen
    gap: tuple[int, str] | None = None  # the first place of that kind, sourced files included

    def __post_init__(self) -> None:
        text = self.fragment.text
        # Behind which bytes of the parser's text a code point index lags, and by how much.
        self._bytes: list[int] = []
        self._lags: list[int] = [0]
        if not text.isascii():
            lag = 0
            for match in _WIDE.finditer(text):
                size = len(match.group().encode("utf-8", "surrogatepass"))
                self._bytes.append(match.start() + lag + size)
                lag += size - 1
                self._lags.append(lag)
        self._scanner = Scanner(text, self.known)
        self._arrays: dict[Assignment, list[ShellWord] | None] = {}

    def index(self, byte: int) -> int:
        """The code point index of a byte offset of the parser."""
        if not self._bytes:
            return byte
        return byte - self._lags[bisect_right(self._bytes, byte)]

    def word(self, node: Any) -> ShellWord:
        """The word of a node."""
        start, end = node.start_byte, node.end_byte
        if self._bytes:
            start, end = self.index(start), self.index(end)
        text = self.fragment.text
        while start < end and text[start] in " \t":  # the grammar counts blanks before `${` in
            start += 1
        return self.word_at(start, end)

    def word_at(self, start: int, end: int) -> ShellWord:
        """The word between two indices of the text."""
        literal = self._scanner.literal(start, end)
        if literal is None:
            parts = self._scanner.word(start, end)
            return ShellWord(self.fragment, self.document, parts, start, end)
        whole = (Part(Literal(literal), start, end),)
        return ShellWord(self.fragment, self.document, whole, start, end, literal=literal)

    def mentions(self, name: str) -> bool:
        """Whether the text expands a variable anywhere."""
        return name in self._mentioned

    @cached_property
    def has_jobs(self) -> bool:
        """Whether anything in it runs while the script goes on."""
        return any(command.background for command in self.commands)

    @cached_property
    def times(self) -> Counter[str]:
        """How often commands of each name stand in it."""
        return Counter(command.name for command in self.commands)

    @cached_property
    def waits(self) -> tuple[Command, ...]:
        """The `wait` commands, and the calls of functions that wait."""
        own = [c for c in self.commands if c.name == "wait"]
        names = {n for n, body in self.functions.items() if any(c.context is body for c in own)}
        return tuple(c for c in self.commands if c.name == "wait" or c.name in names)

    def waits_in(self, context: Context) -> Sequence[int]:
        """Where the `wait` commands of one context begin, in order."""
        return self._waits_of.get(id(context), ())

    @cached_property
    def _waits_of(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for command in sorted(self.waits, key=lambda command: command.start):
            found.setdefault(id(command.context), []).append(command.start)
        return found

    @cached_property
    def _mentioned(self) -> frozenset[str]:
        return frozenset(_EXPANDED.findall(self.fragment.text))

    @cached_property
    def moves(self) -> list[Command]:
        """The commands that go to another folder."""
        return [c for c in self.commands if c.name in ("cd", "pushd", "popd")]

    def may_make(self, path: str, before: int) -> bool:
        """Whether a file may be made here before an index."""
        if any(c.start < before and c.name == "git" for c in self.commands):
            return True
        name = path.rsplit("/", 1)[-1]
        text = self.fragment.text
        if not name or text.count(name) < 2:
            return not name
        named, at = 0, text.find(name)
        while at >= 0 and named < 2:
            end = at + len(name)
            # `--hostfile hostfile` names it once
            named += not _GOES_ON.match(text, end) and (at == 0 or not _IN_NAME.match(text, at - 1))
            at = text.find(name, end)
        return named > 1

    def document_word(self, low: int, high: int, literal: bool) -> ShellWord:
        """The text of a here-document as one word; `literal` where nothing is expanded in it."""
        if literal:
            value = Literal(self.fragment.text[low:high])
            parts: tuple[Part, ...] = (Part(value, low, high),)
        else:
            parts = self._scanner.document(low, high)
        return ShellWord(self.fragment, self.document, parts, low, high)

    def array(self, assignment: Assignment) -> list[ShellWord] | None:
        """The words of `NAME=(...)`, None where it is not written so."""
        if assignment not in self._arrays:
            self._arrays[assignment] = self._array(assignment)
        return self._arrays[assignment]

    def _array(self, assignment: Assignment) -> list[ShellWord] | None:
        text = self.fragment.text
        start = text.find("(", assignment.start, assignment.end)
        if assignment.word is not None or start < 0 or text[assignment.end - 1] != ")":
            return None
        body = piece(self.fragment, start + 1, assignment.end - 1)
        # Comments and line breaks are blanks there; what an array holds is split like a command.
        flat = re.sub(r"(?m)(?<!\S)#.*$", lambda m: " " * len(m[0]), body.text)
        body.text = re.sub(r"\\?\r?\n", lambda m: " " * len(m[0]), flat)
        words = split(body, self.document, command=False)
        return None if words is None else list(words)

    def assignment(self, node: Any, context: Context, how: str) -> Assignment | None:
        """The assignment of a node, None for an array element's."""
        start, end = self.index(node.start_byte), self.index(node.end_byte)
        match = _ASSIGNMENT.match(self.fragment.text, start)
        if not match:
            return None
        name, plus = match.groups()
        array = self.fragment.text.startswith("(", match.end())
        script = None if array else self
        return Assignment(name, None, start, end, context, how, bool(plus), script, match.end())


def piece(fragment: Fragment, low: int, high: int) -> Fragment:
    """A range of a fragment as a fragment of its own."""
    return Nested(fragment, fragment.text[low:high], Straight(low, high))


def parse(fragment: Fragment, document: Document, known: Known | None = None) -> Script:
    """The commands and assignments of a shell text. `known` are parts expanded before it ran."""
    script = Script(fragment, document, known or {})
    from cfglint.syntax.shell_tree import Walker

    try:
        Walker(script).block(root(fragment.text).named_children, script.root)
    except RecursionError:
        # Nothing that people write nests so deeply. What was seen until then counts.
        script.errors.append((0, len(fragment.text)))
    return script
