"""The walk over tree-sitter-bash's tree that fills a script's commands and assignments."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from cfglint.syntax.shell import Assignment, Command, Context, Redirect, Script, piece
from cfglint.syntax.shell_nested import Nested
from cfglint.syntax.shell_words import ShellWord

_DECLARATIONS = {"export": "export", "local": "local", "declare": "plain", "typeset": "plain"}
_LOOPS = ("for_statement", "while_statement", "c_style_for_statement")
_HIDING = ("command_substitution", "simple_expansion", "expansion", "string", "concatenation")
_CLAUSES = ("elif_clause", "else_clause")
# What `&&` or `||` puts behind a here-document's sign.
_BEHIND = ("list", "command", "redirected_statement", "compound_statement", "subshell")
_JOB = re.compile(r"[ \t]*&(?!&)")
_FIRST = re.compile(r"[^\s;&|()<>]+")
_NAME = re.compile(r"[A-Za-z_]\w*")
# What arithmetic gives another value: `X++`, `--X`, `X += 1`.
_ARITHMETIC = re.compile(
    r"(?<![\w$])([A-Za-z_]\w*)\s*(?:\+\+|--|[-+*/%&|^]?=(?!=))|(?:\+\+|--)\s*([A-Za-z_]\w*)"
)
_ASSIGNS_DEFAULT = re.compile(r'"?\$\{(\w+):?=.*\}"?', re.S)


MAX_DEPTH = 100


def _job_before_document(node: Any) -> bool:
    """Whether `&` stands behind the sign of a redirected statement's here-document:
    `ssh host <<EOF &`."""
    heads = (c.children for c in node.children if c.type == "heredoc_redirect")
    return any(c.type == "ERROR" and c.text == b"&" for head in heads for c in head)


class Walker:
    """Walks statements; words stay unread until somebody asks for them."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.text = script.fragment.text
        self._end = 0  # where the redirected statement at hand ends
        self._writes_jobs = "sbatch" in self.text and ("<<" in self.text or "--wrap" in self.text)
        self._depth = 0

    def block(self, nodes: Sequence[Any], context: Context, line: int = -1) -> None:
        """Statements one after the other; one that `&` follows is a job of its own."""
        for node in nodes:
            kind = node.type
            if kind == "comment":
                continue
            end = self.script.index(node.end_byte)
            background = _JOB.match(self.text, end) is not None
            background = background or (
                kind == "redirected_statement" and _job_before_document(node)
            )
            inside = Context("job", context, end=end) if background else context
            self.statement(node, inside, line)

    def statement(
        self, node: Any, context: Context, line: int = -1, redirects: tuple[Redirect, ...] = ()
    ) -> None:
        """One statement. `line` is where the statement begins that holds it, -1 itself.

        What is nested deeper than in any script is left unread.
        """
        if self._depth < MAX_DEPTH:
            self._depth += 1
            self._statement(node, context, line, redirects)
            self._depth -= 1

    def _statement(
        self, node: Any, context: Context, line: int, redirects: tuple[Redirect, ...]
    ) -> None:
        kind = node.type
        start = self.script.index(node.start_byte)
        line = start if line < 0 else line
        if kind == "command":
            end = self.script.index(node.end_byte)
            stop = self._end if self._end > end else end
            command = Command(self.script, node, context, start, end, line, stop, redirects)
            self.script.commands.append(command)
            self._sets(command)
        elif kind == "variable_assignment":
            self._assign(node, context, "plain")
        elif kind == "variable_assignments":
            for child in node.children:
                self._assign(child, context, "plain")
        elif kind == "declaration_command":
            self._declaration(node, context)
        elif kind == "unset_command":
            for child in node.children[1:]:
                if child.type in ("variable_name", "word"):
                    self._mark(self._raw(child), child, context, "unset")
        elif kind == "redirected_statement":
            self._redirected(node, context, line, redirects)
        elif kind == "pipeline":
            for child in node.named_children:
                self.statement(child, Context("pipe", context), line, redirects)
        elif kind == "list":
            left, *rest = node.named_children
            self.statement(left, context, line)
            sign = node.children[1].type if len(node.children) > 1 else ""
            after = Context("after", context, condition=f"{self._raw(left)} {sign}")
            for child in rest:  # what is redirected behind a list is its last command
                self.statement(child, after, line, redirects if child is rest[-1] else ())
        elif kind == "if_statement":
            self._if(node, context)
        elif kind == "case_statement":
            self._case(node, context)
        elif kind in _LOOPS:
            self._loop(node, context)
        elif kind == "subshell":
            self.block(node.named_children, Context("subshell", context))
        elif kind == "function_definition":
            name = self._raw(node.child_by_field_name("name"))
            inside = Context("function", context, name=name)
            self.script.functions[name] = inside
            body = node.child_by_field_name("body")
            if body is not None:
                self.statement(body, inside)
        elif kind == "compound_statement" and self.text.startswith("((", start):
            self._counts(start, self.script.index(node.end_byte), context)
        elif kind in ("compound_statement", "do_group", "program", "negated_command"):
            self.block(node.named_children, context, line if kind == "negated_command" else -1)
        elif kind == "ERROR":
            self.script.errors.append((start, self.script.index(node.end_byte)))
            self.block(node.named_children, context)

    def _raw(self, node: Any) -> str:
        return self.text[self.script.index(node.start_byte) : self.script.index(node.end_byte)]

    def _assign(self, node: Any, context: Context, how: str) -> None:
        if node.type == "variable_assignment":
            assignment = self.script.assignment(node, context, how)
            if assignment:
                self.script.assignments.append(assignment)
            if not self._writes_jobs or "sbatch" not in (raw := self._raw(node)):
                return
            if "<<" in raw or "--wrap" in raw:
                self._submits(node, context)

    def _submits(self, node: Any, context: Context) -> None:
        """`JOB=$(sbatch --parsable <<EOF ...)`: the job is what counts, its number an aside."""
        for child in node.named_children:
            if child.type == "command_substitution":
                self.block(child.named_children, Context("subshell", context))
            elif child.type == "string":
                self._submits(child, context)

    def _counts(self, start: int, end: int, context: Context) -> None:
        """The variables that arithmetic changes."""
        for match in _ARITHMETIC.finditer(self.text, start, end):
            name = match[1] or match[2]
            self._append(Assignment(name, None, match.start(), match.end(), context, "plain"))

    def _mark(self, name: str, node: Any, context: Context, how: str) -> None:
        """A variable that something does without giving it a value that is seen."""
        start, end = self.script.index(node.start_byte), self.script.index(node.end_byte)
        self.script.assignments.append(Assignment(name, None, start, end, context, how))

    def _declaration(self, node: Any, context: Context) -> None:
        how = _DECLARATIONS.get(node.children[0].type, "plain")
        for child in node.children[1:]:
            if child.type == "word" and self._raw(child).startswith("-x"):
                how = "export"
            elif child.type == "variable_assignment":
                self._assign(child, context, how)
            elif child.type == "variable_name" and how == "export":
                self._mark(self._raw(child), child, context, "export")
            elif child.type in _HIDING and how == "export" and self.script.hidden is None:
                start = self.script.index(child.start_byte)
                self.script.hidden = self.script.gap = (start, self._raw(child))

    def _sets(self, command: Command) -> None:
        """Commands that set variables: read, mapfile, getopts, `: ${X:=1}`; and `set -a`."""
        first = _FIRST.match(self.text, command.start)
        name = first.group() if first else ""
        if "=" in name:
            name = command.name
        for opening, closing in (("$((", "))"), ("$[", "]")):
            at = self.text.find(opening, command.start, command.end)
            while at >= 0:
                end = self.text.find(closing, at, command.end)
                self._counts(at, end if end >= 0 else at, command.context)
                at = self.text.find(opening, at + 2, command.end)
        if name in ("read", "mapfile", "readarray", "getopts"):
            here = next((r for r in command.redirects if r.body is not None), None)
            for word in command.words[1:]:
                text = word.text or ""
                if _NAME.fullmatch(text):
                    body = self._document(here) if here and name == "read" else None
                    how = "plain" if body else "read"
                    self._append(Assignment(text, body, word.start, word.end, command.context, how))
        elif name in ("exit", "return"):
            branch = command.context.inside("branch")
            if branch is not None:
                self.script.exits.add((branch.group, branch.branch))
        elif name == ":":
            for word in command.words[1:]:
                match = _ASSIGNS_DEFAULT.fullmatch(word.raw)
                if match:
                    self._append(Assignment(match[1], word, word.start, word.end, command.context))
        elif name == "let":
            self._counts(first.end() if first else command.start, command.end, command.context)
        elif name == "set" and any(w.text in ("-a", "allexport") for w in command.words[1:]):
            self.script.allexport = min(command.end, self.script.allexport or command.end)

    def _document(self, redirect: Redirect) -> ShellWord | None:
        """A here-document as the word that `read -d ''` puts into a variable."""
        body = redirect.body
        if not isinstance(body, Nested) or not body.ranges:
            return None
        return self.script.document_word(body.ranges[0][0], body.ranges[-1][1], redirect.literal)

    def _append(self, assignment: Assignment) -> None:
        self.script.assignments.append(assignment)

    def _redirected(
        self, node: Any, context: Context, line: int, redirects: tuple[Redirect, ...]
    ) -> None:
        body = None
        found = list(redirects)
        piped: list[Any] = []
        behind: list[Any] = []
        for child in node.children:
            if child.type == "heredoc_redirect":
                inside = child.named_children
                found += [self._file_redirect(c) for c in inside if c.type == "file_redirect"]
                found.append(self._heredoc(child))
                piped += [c for c in inside if c.type == "pipeline"]
                behind += [c for c in inside if c.type in _BEHIND]
            elif child.type in ("file_redirect", "herestring_redirect"):
                found.append(self._file_redirect(child))
            elif body is None:
                body = child
        if body is not None:
            inner = Context("pipe", context) if piped else context
            self._end = self.script.index(node.end_byte) if body.type == "command" else 0
            self.statement(body, inner, line, tuple(found))
            self._end = 0
        for child in piped:
            self.statement(child, context, line, tuple(found[-1:]))
        for child in behind:
            self.statement(child, Context("after", context, condition="<< &&"), line)

    def _file_redirect(self, node: Any) -> Redirect:
        sign = next((c.type for c in node.children if not c.is_named), "")
        target = node.child_by_field_name("destination")
        if target is None and node.named_children:
            target = node.named_children[-1]
        return Redirect(sign, self.script.word(target) if target else None)

    def _heredoc(self, node: Any) -> Redirect:
        body = next((c for c in node.children if c.type == "heredoc_body"), None)
        start = next((c for c in node.children if c.type == "heredoc_start"), None)
        literal = start is not None and self._raw(start)[:1] in ("'", '"', "\\")
        if body is None:
            return Redirect("<<", literal=literal)
        low, high = self.script.index(body.start_byte), self.script.index(body.end_byte)
        return Redirect("<<", body=piece(self.script.fragment, low, high), literal=literal)

    def _case(self, node: Any, context: Context) -> None:
        group = node.start_byte + 1
        items = [c for c in node.children if c.type == "case_item"]
        default = any(self._raw(c).lstrip().startswith("*)") for c in items)
        condition = self._raw(node.child_by_field_name("value"))
        self.script.branches[group] = len(items)
        self.script.patterns[group] = [self._raw(item).partition(")")[0] for item in items]
        for number, item in enumerate(items):
            branch = Context("branch", context, group, number, default, condition=condition)
            self.block(item.named_children[1:], branch)

    def _if(self, node: Any, context: Context) -> None:
        group = node.start_byte + 1
        conditions = node.children_by_field_name("condition")
        for child in conditions:
            if child.is_named:
                self.statement(child, context)
        own = {c.id for c in conditions}
        rest = [c for c in node.named_children if c.id not in own]
        clauses = [c for c in rest if c.type in _CLAUSES]
        exhaustive = any(c.type == "else_clause" for c in clauses)
        self.script.branches[group] = 1 + len(clauses)
        bodies = [[c for c in rest if c.type not in _CLAUSES], *(c.named_children for c in clauses)]
        condition = self._raw(conditions[0]) if conditions else ""
        for number, body in enumerate(bodies):
            self.block(body, Context("branch", context, group, number, exhaustive, "", condition))

    def _loop(self, node: Any, context: Context) -> None:
        body = node.child_by_field_name("body")
        loop = Context("loop", context, end=self.script.index(node.end_byte))
        if node.type == "for_statement":
            variable = node.child_by_field_name("variable")
            loop.name = self._raw(variable)
            values: list[ShellWord] = [
                self.script.word(v) for v in node.children_by_field_name("value") if v.is_named
            ]
            loop.values = tuple(values)
            self._mark(loop.name, variable, loop, "for")
        else:
            loop.condition = self.text[self.script.index(node.start_byte) :][:200].split("\n")[0]
            for child in node.children_by_field_name("condition"):
                if child.is_named:
                    self.statement(child, loop)
        if body is not None:
            self.statement(body, loop)
