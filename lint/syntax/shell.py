"""Shell text through tree-sitter-bash: commands and assignments in order, with their context.

The tree is walked once for its statements; words are read when somebody asks for them. What a
variable holds at some place is `cfglint.commands.variables`' question.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from cfglint.fragment import Fragment
from cfglint.syntax.shell_nested import Known
from cfglint.syntax.shell_words import Scanner, ShellWord, exec_word, split
from cfglint.text import Span

if TYPE_CHECKING:
    from cfglint.document import Document

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
class Context:
    """What surrounds a command: "file", "branch" of an if or case, "loop", "subshell", "function",
    "pipe" (a part of a pipeline), "after" (right of && or ||).

    `group` tells the if or case statement a branch belongs to, `branch` which one it is;
    `exhaustive` that one of its branches is always taken. `name` is a function's or a loop's
    variable. `condition` is the text that decides (of the whole if, the case word, the left side).
    """

    kind: str
    parent: Context | None = None
    group: int = 0
    branch: int = 0
    exhaustive: bool = False
    name: str = ""
    condition: str = ""
    values: tuple[ShellWord, ...] = ()
    background: bool = False

    def chain(self) -> Iterator[Context]:
        """This context and those around it, innermost first."""
        context: Context | None = self
        while context is not None:
            yield context
            context = context.parent

    def inside(self, kind: str) -> Context | None:
        """The innermost surrounding context of a kind."""
        return next((c for c in self.chain() if c.kind == kind), None)


@dataclass(eq=False, slots=True)
class Redirect:
    """A redirection: its sign, its target, and a here-document's text and whether it is quoted."""

    sign: str
    target: ShellWord | None = None
    body: Fragment | None = None
    literal: bool = False


@dataclass(eq=False, slots=True)
class Assignment:
    """`NAME=value`. `word` is None where the value is not a word (an array, `read`, unset).

    `how`: "plain", "export", "prefix" (of one command), "local", "for", "read", "unset".
    """

    name: str
    word: ShellWord | None
    start: int
    end: int
    context: Context
    how: str = "plain"
    append: bool = False


@dataclass(eq=False)
class Command:
    """A simple command. Offsets are indices of the script's text."""

    script: Script
    node: Any
    context: Context
    start: int
    end: int
    line_start: int  # where the statement that holds it begins
    background: bool = False
    redirects: tuple[Redirect, ...] = ()

    @cached_property
    def _pieces(self) -> tuple[tuple[ShellWord, ...], tuple[Assignment, ...]]:
        words: list[ShellWord] = []
        prefix: list[Assignment] = []
        for child in self.node.children:
            kind = child.type
            if kind == "variable_assignment":
                assignment = self.script.assignment(child, self.context, "prefix")
                if assignment:
                    prefix.append(assignment)
            elif kind == "command_name":
                words.append(self.script.word(child.children[0] if child.children else child))
            elif kind not in ("herestring_redirect", "comment", "file_redirect", "ERROR"):
                words.append(self.script.word(child))
        return _rejoined(words), tuple(prefix)

    @property
    def words(self) -> tuple[ShellWord, ...]:
        """The command's words, its name first; redirections left out."""
        return self._pieces[0]

    @property
    def assignments(self) -> tuple[Assignment, ...]:
        """The assignments before its name."""
        return self._pieces[1]

    @property
    def span(self) -> Span:
        return self.script.fragment.span(self.start, self.end)


def _rejoined(words: list[ShellWord]) -> tuple[ShellWord, ...]:
    """Words that the grammar cut in two although nothing stands between them."""
    joined: list[ShellWord] = []
    for word in words:
        if joined and joined[-1].end == word.start:
            last = joined.pop()
            scanner = Scanner(word.fragment.text)
            parts = scanner.word(last.start, word.end)
            word = ShellWord(word.fragment, word.document, parts, last.start, word.end)
        joined.append(word)
    return tuple(joined)


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
    allexport: int | None = None  # where `set -a` stands
    _points: list[int] | None = None

    def __post_init__(self) -> None:
        text = self.fragment.text
        if not text.isascii():
            self._points = list(accumulate((len(c.encode()) for c in text), initial=0))
        self._scanner = Scanner(text, self.known)

    def index(self, byte: int) -> int:
        """The code point index of a byte offset of the parser."""
        return byte if self._points is None else bisect_right(self._points, byte) - 1

    def word(self, node: Any) -> ShellWord:
        """The word of a node."""
        start, end = self.index(node.start_byte), self.index(node.end_byte)
        text = self.fragment.text
        while start < end and text[start] in " \t":  # the grammar counts blanks before `${` in
            start += 1
        return self.word_at(start, end)

    def word_at(self, start: int, end: int) -> ShellWord:
        """The word between two indices of the text."""
        parts = self._scanner.word(start, end)
        return ShellWord(self.fragment, self.document, parts, start, end)

    def array(self, assignment: Assignment) -> list[ShellWord] | None:
        """The words of `NAME=(...)`, None where it is not written so."""
        text = self.fragment.text
        start = text.find("(", assignment.start, assignment.end)
        if assignment.word is not None or start < 0 or text[assignment.end - 1] != ")":
            return None
        body = _piece(self.fragment, start + 1, assignment.end - 1)
        # Comments and line breaks are blanks there; what an array holds is split like a command.
        flat = re.sub(r"(?m)(?<!\S)#.*$", lambda m: " " * len(m[0]), body.text)
        body.text = re.sub(r"\\?\r?\n", lambda m: " " * len(m[0]), flat)
        words = split(body, self.document)
        return None if words is None else list(words)

    def assignment(self, node: Any, context: Context, how: str) -> Assignment | None:
        """The assignment of a node, None for an array element's."""
        start, end = self.index(node.start_byte), self.index(node.end_byte)
        match = re.compile(r"([A-Za-z_]\w*)(\+?)=").match(self.fragment.text, start)
        if not match:
            return None
        word = None
        if self.fragment.text[match.end() : match.end() + 1] != "(":
            word = self.word_at(match.end(), end)
        return Assignment(match[1], word, start, end, context, how, bool(match[2]))


_DECLARATIONS = {"export": "export", "local": "local", "declare": "plain", "typeset": "plain"}
_LOOPS = ("for_statement", "while_statement", "c_style_for_statement")


class _Walker:
    def __init__(self, script: Script) -> None:
        self.script = script
        self.text = script.fragment.text

    def block(self, nodes: list[Any], context: Context, background: bool, line: int = -1) -> None:
        for i, node in enumerate(nodes):
            if node.is_named:
                following = nodes[i + 1].type if i + 1 < len(nodes) else ""
                self.statement(node, context, background or following == "&", line)

    def statement(
        self,
        node: Any,
        context: Context,
        background: bool,
        line: int = -1,
        redirects: tuple[Redirect, ...] = (),
    ) -> None:
        kind = node.type
        script = self.script
        start = script.index(node.start_byte)
        line = start if line < 0 else line
        if kind == "command":
            end = script.index(node.end_byte)
            command = Command(script, node, context, start, end, line, background, redirects)
            script.commands.append(command)
            self._reads(command)
        elif kind in ("variable_assignment", "variable_assignments"):
            for child in node.children if kind[-1] == "s" else [node]:
                self._assign(child, context, "plain")
        elif kind == "declaration_command":
            self._declaration(node, context)
        elif kind == "unset_command":
            for child in node.children[1:]:
                if child.type in ("variable_name", "word"):
                    name = script.word(child).raw
                    where = (script.index(child.start_byte), script.index(child.end_byte))
                    script.assignments.append(Assignment(name, None, *where, context, "unset"))
        elif kind == "redirected_statement":
            self._redirected(node, context, background, line, redirects)
        elif kind == "pipeline":
            for child in node.named_children:
                self.statement(child, Context("pipe", context), background, line, redirects)
        elif kind == "list":
            left, *rest = node.named_children
            self.statement(left, context, background, line)
            condition = self._raw(left)
            sign = node.children[1].type if len(node.children) > 1 else ""
            for child in rest:
                after = Context("after", context, condition=f"{condition} {sign}")
                self.statement(child, after, background, line)
        elif kind in ("if_statement", "case_statement"):
            self._branches(node, context, background)
        elif kind in _LOOPS:
            self._loop(node, context, background)
        elif kind == "subshell":
            inside = Context("subshell", context, background=background)
            self.block(node.children, inside, background)
        elif kind == "function_definition":
            name = self._raw(node.child_by_field_name("name"))
            inside = Context("function", context, name=name)
            script.functions[name] = inside
            body = node.child_by_field_name("body")
            if body is not None:
                self.statement(body, inside, background)
        elif kind in ("compound_statement", "do_group", "program"):
            self.block(node.children, context, background)
        elif kind == "negated_command":
            self.block(node.children, context, background, line)
        elif kind == "ERROR":
            script.errors.append((start, script.index(node.end_byte)))
            self.block(node.children, context, background)

    def _raw(self, node: Any) -> str:
        return self.text[self.script.index(node.start_byte) : self.script.index(node.end_byte)]

    def _assign(self, node: Any, context: Context, how: str) -> None:
        if node.type == "variable_assignment":
            assignment = self.script.assignment(node, context, how)
            if assignment:
                self.script.assignments.append(assignment)

    def _declaration(self, node: Any, context: Context) -> None:
        how = _DECLARATIONS.get(node.children[0].type, "plain")
        for child in node.children[1:]:
            if child.type == "word" and self._raw(child).startswith("-x"):
                how = "export"
            elif child.type == "variable_assignment":
                self._assign(child, context, how)
            elif child.type == "variable_name" and how == "export":
                start, end = self.script.index(child.start_byte), self.script.index(child.end_byte)
                self.script.assignments.append(
                    Assignment(self.text[start:end], None, start, end, context, "export")
                )

    def _reads(self, command: Command) -> None:
        """Commands that set variables: read, mapfile, getopts, printf -v."""
        name = self._raw(command.node.children[0])
        if name in ("read", "mapfile", "readarray", "getopts"):
            for word in command.words[1:]:
                text = word.text or ""
                if re.fullmatch(r"[A-Za-z_]\w*", text):
                    self.script.assignments.append(
                        Assignment(text, None, word.start, word.end, command.context, "read")
                    )
        elif name == ":":
            for word in command.words[1:]:
                match = re.fullmatch(r'"?\$\{(\w+):?=.*\}"?', word.raw, re.S)
                if match:
                    self.script.assignments.append(
                        Assignment(match[1], word, word.start, word.end, command.context)
                    )
        elif name == "set" and any(w.text in ("-a", "allexport") for w in command.words[1:]):
            self.script.allexport = min(command.end, self.script.allexport or command.end)

    def _redirected(
        self,
        node: Any,
        context: Context,
        background: bool,
        line: int,
        redirects: tuple[Redirect, ...],
    ) -> None:
        body = None
        found = list(redirects)
        piped: list[Any] = []
        for child in node.children:
            if child.type == "heredoc_redirect":
                found.append(self._heredoc(child))
                piped += [c for c in child.named_children if c.type in ("pipeline", "list")]
            elif child.type in ("file_redirect", "herestring_redirect"):
                sign = next((c.type for c in child.children if not c.is_named), "")
                target = child.child_by_field_name("destination")
                if target is None and child.named_children:
                    target = child.named_children[-1]
                found.append(Redirect(sign, self.script.word(target) if target else None))
            elif body is None:
                body = child
        if body is not None:
            inner = Context("pipe", context) if piped else context
            self.statement(body, inner, background, line, tuple(found))
        for child in piped:
            self.statement(child, context, background, line, tuple(found[-1:]))

    def _heredoc(self, node: Any) -> Redirect:
        body = next((c for c in node.children if c.type == "heredoc_body"), None)
        start = next((c for c in node.children if c.type == "heredoc_start"), None)
        literal = start is not None and self._raw(start)[:1] in ("'", '"', "\\")
        if body is None:
            return Redirect("<<", literal=literal)
        low, high = self.script.index(body.start_byte), self.script.index(body.end_byte)
        return Redirect("<<", body=_piece(self.script.fragment, low, high), literal=literal)

    def _branches(self, node: Any, context: Context, background: bool) -> None:
        group = node.start_byte + 1
        named = node.children
        if node.type == "case_statement":
            items = [c for c in named if c.type == "case_item"]
            default = any(self._raw(c).lstrip().startswith("*)") for c in items)
            condition = self._raw(node.child_by_field_name("value"))
            self.script.branches[group] = len(items)
            for number, item in enumerate(items):
                branch = Context("branch", context, group, number, default, condition=condition)
                self.block(item.children[1:], branch, background)
            return
        exhaustive = any(c.type == "else_clause" for c in named)
        condition = self._raw(node.child_by_field_name("condition"))
        for child in node.children_by_field_name("condition"):
            if child.is_named:
                self.statement(child, context, background)
        conditions = {c.id for c in node.children_by_field_name("condition")}
        branch = Context("branch", context, group, 0, exhaustive, condition=condition)
        number = 0
        main = [c for c in named if c.id not in conditions]
        self.block(
            [c for c in main if c.type not in ("elif_clause", "else_clause")], branch, background
        )
        clauses = [c for c in main if c.type in ("elif_clause", "else_clause")]
        self.script.branches[group] = 1 + len(clauses)
        for child in main:
            if child.type in ("elif_clause", "else_clause"):
                number += 1
                branch = Context("branch", context, group, number, exhaustive, condition=condition)
                self.block(child.children, branch, background)

    def _loop(self, node: Any, context: Context, background: bool) -> None:
        body = node.child_by_field_name("body")
        loop = Context("loop", context, background=background)
        if node.type == "for_statement":
            variable = node.child_by_field_name("variable")
            loop.name = self._raw(variable)
            loop.values = tuple(
                self.script.word(v) for v in node.children_by_field_name("value") if v.is_named
            )
            start, end = (self.script.index(b) for b in (variable.start_byte, variable.end_byte))
            self.script.assignments.append(Assignment(loop.name, None, start, end, loop, "for"))
        else:
            loop.condition = self.text[self.script.index(node.start_byte) :][:200].split("\n")[0]
            for child in node.children_by_field_name("condition"):
                if child.is_named:
                    self.statement(child, loop, background)
        if body is not None:
            self.statement(body, loop, background)


def _piece(fragment: Fragment, low: int, high: int) -> Fragment:
    """A range of a fragment as a fragment of its own."""
    from cfglint.syntax.shell_nested import Nested

    return Nested(fragment, fragment.text[low:high], [(i, i + 1) for i in range(low, high)])


@cache
def _parser() -> Any:
    import tree_sitter
    import tree_sitter_bash

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))


def parse(fragment: Fragment, document: Document, known: Known | None = None) -> Script:
    """The commands and assignments of a shell text. `known` are parts expanded before it ran."""
    script = Script(fragment, document, known or {})
    tree = _parser().parse(fragment.text.encode())
    _Walker(script).block(tree.root_node.children, Context("file"), False)
    return script
