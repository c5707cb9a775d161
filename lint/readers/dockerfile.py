"""Dockerfiles: what the image of each final stage starts, and the environment it starts in.

The network, the shared memory and more of the environment come from whoever runs the image, so its
launches are incomplete. Sources: Dockerfile reference (ARG and ENV scopes, CMD and ENTRYPOINT
together), BuildKit `dockerfile2llb`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import partial

from cfglint.commands import command_launches, shell_launches, unshelled
from cfglint.commands.build import model_word, take_env
from cfglint.commands.mounts import Mounts, copied
from cfglint.commands.programs import COMMON_ENV
from cfglint.commands.scope import Scope
from cfglint.model.document import Document, Problem
from cfglint.model.edit import Edit
from cfglint.model.fragment import Fragment, Item
from cfglint.model.launch import Container, Launch, Network, Setting
from cfglint.model.values import Literal, Value, Variable
from cfglint.record import dataclass, field, replace
from cfglint.syntax import interpolation
from cfglint.syntax.dockerfile import Dockerfile, Instruction, Stage, parse
from cfglint.syntax.dockerfile_lists import wrong_lists
from cfglint.syntax.dockerfile_words import Pair, Token
from cfglint.syntax.shell_split import exec_word
from cfglint.syntax.shell_words import ShellWord
from cfglint.syntax.unsplit import unsplit
from cfglint.text import LINE_BREAK, Span

INCOMPLETE = "whoever runs the image may add variables and options"


def read(document: Document) -> None:
    """Make the launches of a Dockerfile's final stages."""
    document.tree = file = parse(document.source)
    for problem in file.problems:
        document.problems.append(replace(problem, code="SYN008"))
    for wrong in wrong_lists(file):
        message = "this list is no JSON: Docker takes it for a shell's command"
        edit = Edit(document.path, wrong.span, wrong.meant) if wrong.meant else None
        detail = {"program": wrong.program, "edits": [edit] if edit else None}
        document.problems.append(Problem("SYN008", message, wrong.span, detail))
    if not file.stages:
        return
    for stage in file.targets:
        image = build(document, file, stage)
        box = image.container(document)
        box.place = image.mounts.place
        scope = Scope(
            document,
            image.env,
            network=Network("unknown"),
            container=box,
            complete=False,
            why=INCOMPLETE,
            scripts=document.scripts,
            env_writer=partial(add_env, document, stage),
        )
        found = image.launches(scope) or image.environment(scope)
        image.mounts.find(found)
        for launch in found:
            launch.mentions = partial(_mentions, document.source.text)
            document.launches.append(launch)
        # What an image starts in its CMD's place may be a shell's script for its entrypoint.
        whole = unsplit(exec_words(document, image.entrypoint) or [])
        if whole is not None:
            document.unsplit.append(model_word(whole))


def _mentions(text: str, name: str) -> bool:
    """Whether anything in a Dockerfile, an EXPOSE or a RUN as well, uses a variable."""
    return re.search(rf"\$\{{?[#!]?{re.escape(name)}\b", text) is not None


@dataclass(slots=True)
class Image:
    """What a stage leaves behind: variables, and the instructions that say what it starts."""

    document: Document
    stage: Stage
    base: str  # the name of the image that the first stage below starts from
    env: dict[str, Setting] = field(default_factory=dict)
    args: dict[str, Value] = field(default_factory=dict)
    entrypoint: Instruction | None = None
    command: Instruction | None = None
    mounts: Mounts = field(default_factory=Mounts)
    written: dict[str, Span | None] = field(default_factory=dict)  # by heredocs

    def container(self, document: Document) -> Container:
        """The container that the image becomes."""
        at = self.command or self.entrypoint or self.stage.start
        name = self.stage.name or document.path
        return Container("dockerfile", name, at.token_span(at.keyword), self.base, False)

    def launches(self, scope: Scope, arguments: Sequence[ShellWord] | None = None) -> list[Launch]:
        """What the image starts. `arguments` replace its CMD."""
        if self.written and scope.document is self.document:
            from cfglint.readers.dockerfile_scripts import bodies

            files = bodies(self.document, self.written, self.mounts.workdir)
            scope = replace(scope, written=files)
        words = exec_words(self.document, self.entrypoint)
        if self.entrypoint is not None and words is None:
            return shell_launches(shell_fragment(self.document, self.entrypoint), scope)
        if arguments is not None:
            return command_launches(*unshelled.take([*(words or ()), *arguments], scope))
        more = exec_words(self.document, self.command)
        if self.command is not None and more is None:
            return shell_launches(shell_fragment(self.document, self.command), scope)
        both = [*(words or ()), *(more or ())]
        return command_launches(*unshelled.take(both, scope))

    def environment(self, scope: Scope) -> list[Launch]:
        """A launch that stands for the variables of an image whose program is not seen."""
        if not self.env or scope.container is None:
            return []
        launch = Launch(
            self.document, scope.container.span, "env", env=dict(self.env), network=scope.network,
            container=scope.container, evaluated="node", complete=False,
            why_incomplete="the program is not seen", env_writer=scope.env_writer,
        )  # fmt: skip
        take_env(launch, COMMON_ENV)
        return [launch]


def build(
    document: Document,
    file: Dockerfile,
    stage: Stage,
    args: Mapping[str, Value] | None = None,
    context: str = "",
) -> Image:
    """Follow a stage's instructions and those of the stages below. `args` are build arguments,
    `context` is the folder from which files are copied."""
    return _Builder(document, file, args or {}, context).stage(stage)


class _Builder:
    def __init__(
        self, document: Document, file: Dockerfile, args: Mapping[str, Value], context: str
    ) -> None:
        self.document = document
        self.context = context
        self.escape = file.escape
        self.given = args
        self.globals: dict[str, Value] = {}
        for instruction in file.head:
            if instruction.name == "ARG":
                self._arg(instruction, self.globals, self.globals.get)

    def stage(self, wanted: Stage) -> Image:
        chain = [wanted]
        while (below := chain[-1].parent) is not None:
            chain.append(below)
        lowest = chain[-1].base.text
        parts = interpolation.resolved(
            interpolation.docker_word(lowest, self.escape), self.globals.get
        )
        image = Image(self.document, wanted, interpolation.filled(parts) or lowest)
        for stage in reversed(chain):
            self._run(stage, image)
        return image

    def _run(self, stage: Stage, image: Image) -> None:
        own_command = False
        for instruction in stage.instructions:
            copied(image.mounts, instruction, self.context)
            if instruction.heredocs:
                from cfglint.readers.dockerfile_scripts import scripts

                image.written |= scripts(self.document, instruction, image.mounts.workdir)
            if instruction.name == "ARG":
                self._arg(
                    instruction, image.args, lambda name: self._lookup(image.env, image.args, name)
                )
            elif instruction.name == "ENV":
                self._env(instruction, image)
            elif instruction.name == "CMD":
                image.command, own_command = instruction, True
            elif instruction.name == "ENTRYPOINT":
                image.entrypoint = instruction
                if not own_command:
                    image.command = None  # the one of the base does not outlive a new entrypoint

    @staticmethod
    def _lookup(env: Mapping[str, Setting], args: Mapping[str, Value], name: str) -> Value | None:
        setting = env.get(name)  # ENV beats ARG
        return setting.value if setting else args.get(name)

    def _arg(
        self, instruction: Instruction, args: dict[str, Value], lookup: interpolation.Lookup
    ) -> None:
        for pair in instruction.pairs():
            name = pair.name.text
            if name in self.given:
                args[name] = self.given[name]
            elif pair.value is not None:
                args[name] = Variable(name, self._value(pair.value, lookup), ":-")
            else:
                args[name] = self.globals.get(name, Variable(name))

    def _env(self, instruction: Instruction, image: Image) -> None:
        before = dict(image.env)  # one instruction sees the variables as they were before it
        for pair in instruction.pairs():
            if pair.value is None:
                continue
            value = self._value(pair.value, lambda name: self._lookup(before, image.args, name))
            span = instruction.token_span(pair.value)
            key = instruction.token_span(pair.name)
            place = EnvPlace(self.document, instruction, pair)
            name = pair.name.text
            image.env[name] = Setting(
                name, value, self.document, span, name, key, origin="env", place=place
            )

    def _value(self, token: Token, lookup: interpolation.Lookup) -> Value:
        parts = interpolation.docker_word(token.text, self.escape)
        return interpolation.joined(interpolation.resolved(parts, lookup), token.text)


class EnvPlace:
    """The value of an ENV pair."""

    __slots__ = ("document", "instruction", "pair")

    def __init__(self, document: Document, instruction: Instruction, pair: Pair) -> None:
        self.document = document
        self.instruction = instruction
        self.pair = pair

    def write(self, value: Value) -> Edit | None:
        """A literal replaces the value; a default becomes a build argument in front of the ENV."""
        token = self.pair.value
        if token is None:
            return None
        span = self.instruction.token_span(token)
        if isinstance(value, Literal):
            return Edit(self.document.path, span, self._quoted(value.text, token.text))
        if not isinstance(value, Variable) or not isinstance(value.default, Literal):
            return None
        if value.operator not in ("", ":-", "-"):
            return None
        source = self.document.source
        line = source.line_of(self.instruction.lines.start)
        default = self._quoted(value.default.text, "")
        argument = f"ARG {value.name}={default}{source.newline}"
        kept = source.text[line.start : span.start]
        text = f"{argument}{kept}${{{value.name}}}"
        return Edit(self.document.path, Span(line.start, span.end), text)

    def remove(self) -> Edit | None:
        """Take the pair away, the whole instruction where it is the only one."""
        pairs = self.instruction.pairs()
        if len(pairs) == 1:
            lines = self.instruction.lines
            return Edit(self.document.path, lines, "")
        at = next(i for i, pair in enumerate(pairs) if pair == self.pair)
        pieces = [(p.name.start, (p.value or p.name).end) for p in pairs]
        source = self.document.source
        own = self.instruction.span(*pieces[at])
        if at + 1 < len(pairs):
            following = self.instruction.span(*pieces[at + 1]).start
            span = Span(own.start, following)
            line = source.line_of(own.start)
            if "#" in source.slice(span) and not source.text[line.start : own.start].strip():
                span = Span(line.start, source.line_end_after(own.end))
            return None if "#" in source.slice(span) else Edit(self.document.path, span, "")
        span = Span(self.instruction.span(*pieces[at - 1]).end, own.end)
        # The continuation before it ends here; comments between stand behind the instruction then.
        between = LINE_BREAK.split(source.slice(span))
        comments = [text for text in between if text.lstrip().startswith("#")]
        return Edit(self.document.path, span, "".join(source.newline + text for text in comments))

    def rename(self, name: str) -> Edit | None:
        return Edit(self.document.path, self.instruction.token_span(self.pair.name), name)

    def _quoted(self, text: str, old: str) -> str:
        quote = old[:1] if old[:1] in ("'", '"') and old[-1:] == old[:1] else ""
        escape = self.instruction.escape
        if quote == "'" and "'" not in text:
            return f"'{text}'"
        plain = not any(sign.isspace() or sign in "\"'$#" or sign == escape for sign in text)
        if not quote and text and plain:
            return text
        for sign in (escape, '"', "$"):
            text = text.replace(sign, escape + sign)
        return f'"{text}"'


def add_env(document: Document, stage: Stage, name: str, value: str) -> Edit | None:
    """The edit that sets a variable in a stage: an ENV behind its last one, or behind FROM."""
    last = stage.start
    for instruction in stage.instructions:
        if instruction.name == "ENV":
            last = instruction
    newline = document.source.newline
    at = last.lines.end
    text = f"ENV {name}={value}"
    if at and document.source.text[at - 1] in "\r\n":
        return Edit(document.path, Span(at, at), text + newline)
    return Edit(document.path, Span(at, at), newline + text)


def shell_fragment(document: Document, instruction: Instruction) -> Fragment:
    """The text that a shell gets of a shell-form instruction."""
    return instruction.fragment(document.path, instruction.start)


def exec_words(document: Document, instruction: Instruction | None) -> list[ShellWord] | None:
    """The words of a JSON form, None for the shell form or no instruction."""
    tokens = instruction.json() if instruction is not None else None
    if instruction is None or tokens is None:
        return None
    words = []
    for at, token in enumerate(tokens):
        fragment = _json_fragment(document, instruction, token)
        fragment.item = JsonItem(document, instruction, tokens, at)
        words.append(exec_word(fragment, document))
    return words


@dataclass(slots=True)
class JsonItem:
    """A string of an exec form."""

    document: Document
    instruction: Instruction
    tokens: Sequence[Token]
    at: int

    def remove(self, last: Item | None = None) -> Edit | None:
        to = last if isinstance(last, JsonItem) else self
        if not self.at or to.instruction is not self.instruction:
            return None
        span = self.instruction.span(self.tokens[self.at - 1].end, self.tokens[to.at].end)
        lines = LINE_BREAK.split(self.document.source.slice(span))
        if any(line.lstrip().startswith("#") for line in lines):
            return None  # a comment between two lines of the list
        return Edit(self.document.path, span, "")

    def insert_behind(self, texts: Sequence[str]) -> Edit | None:
        end = self.instruction.token_span(self.tokens[self.at]).end
        new = "".join(f", {json.dumps(text, ensure_ascii=False)}" for text in texts)
        return Edit(self.document.path, Span(end, end), new)


def _json_fragment(document: Document, instruction: Instruction, token: Token) -> Fragment:
    """The text of a JSON string, tied to its place."""
    inner = instruction.fragment(document.path, token.start + 1, token.end - 1)
    if "\\" not in inner.text:
        inner.encode = _json_text
        return inner
    text = ""
    offsets: list[int] = []
    at = 0
    while at < len(inner.text):
        width = 1 if inner.text[at] != "\\" else 6 if inner.text[at + 1] == "u" else 2
        piece = json.loads(f'"{inner.text[at : at + width]}"')
        if "\ud800" <= piece <= "\udfff":
            piece = "\ufffd"  # half of a pair of escapes; no option or address has one
        offsets += [inner.offset(at)] * len(piece)
        text += piece
        at += width
    offsets.append(inner.offset(at))
    return Fragment(document.path, text, offsets=offsets, encode=_json_text)


def _json_text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]
