"""Makefiles and justfiles: the commands of their recipes, each line in a shell of its own.

make replaces `$(NAME)` and `${NAME}` and turns `$$` into `$`; just replaces `{{NAME}}` and leaves
the rest to the shell. Sources: GNU make manual (recipes, variables), just manual.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial

from cfglint.commands import may_launch, may_launch_in
from cfglint.commands.scope import Scope
from cfglint.commands.texts import ShellText
from cfglint.model.document import Document
from cfglint.model.edit import Edit
from cfglint.model.fragment import Fragment
from cfglint.model.launch import Setting
from cfglint.model.readings import OneLetter
from cfglint.model.values import Literal, Unknown, Value, Variable
from cfglint.readers import make_env_files, make_variables
from cfglint.syntax.shell_nested import Known, Nested
from cfglint.syntax.shell_words import Part
from cfglint.text import Span

_MAKE_USE = re.compile(
    r"\$\$|\$\((?P<round>[\w.-]+)\)|\$\{(?P<curly>[\w.-]+)\}|\$(?P<letter>[A-Za-z_])|\$[(@<^*?%+]|\$\{"
)
_MORE = re.compile(r"\w+")
_COMMENT = re.compile(r"(?:^|[\s;&|(])#")  # behind it make's variables reach no command
_HEAD = re.compile(r"^[^\s#][^\n]*:", re.M)
_JUST_USE = re.compile(r"\{\{[ \t]*(?P<round>[\w-]+)[ \t]*\}\}|\{\{.*?\}\}")
# What make makes of its functions is not seen.
_FUNCTION = re.compile(r"(?<!\$)\$[({](?![\w.-]+[)}])")
_OTHER_SHELL = re.compile(
    r"(?m)^\.ONESHELL|^[ ]*(?:export[ ]+)?SHELL[ \t]*:*=(?![ \t]*(?:/\S*/)?(?:ba|da|k)?sh\b)"
    r"|^set[ ]+(?:windows-)?shell[ ]*:=[ ]*\[['\"](?!(?:/\S*/)?(?:ba|da)?sh['\"])"
)
_LEADING = re.compile(r"[ \t]*[@+-]*[ \t]*")


def read(document: Document) -> None:
    """Make the launches of every recipe line that holds a launcher."""
    document.shell_texts = partial(_texts, document)
    if may_launch(document.source.text):
        for line in _texts(document, may_launch_in(document.source.text)):
            line.read()


def _texts(document: Document, wanted: Callable[[str], bool]) -> Iterator[ShellText]:
    """The recipe lines that a test lets through."""
    text = document.source.text
    just = document.kind == "justfile"
    common = make_variables.variables(document, just)
    specific = make_variables.of_targets(document, common) if not just else {}
    one_shell = _OTHER_SHELL.search(text) is None
    files = tuple(make_env_files.references(document))
    for start, end in recipes(text, just):
        if wanted(text[start:end]):
            heads = list(_HEAD.finditer(text, 0, start))
            variables = dict(common)
            for target in heads[-1].group().split(":")[0].split() if heads and specific else ():
                variables.update(specific.get(target, {}))
            line, known = _line(document, start, end, variables, just)
            number = document.source.position(start)[0]
            exported = {n: s for n, s in variables.items() if s.origin == "env"}
            scope = Scope(
                document, exported, evaluated="node", label=f"line {number}", env_files=files
            )
            group = str(heads[-1].start() if heads else 0)
            shown = one_shell and _is_whole(text[start:end], known, just)
            whole = shown and not _continues(text, start)
            yield ShellText(line, scope, known, group=group, whole=whole)


def _is_whole(raw: str, known: Known, just: bool) -> bool:
    """Whether every quote that a shell gets of a recipe line can be seen in it."""
    values = (part.value for part in known.values())
    literal = (value.text for value in values if isinstance(value, Literal))
    odd = any(text.count(quote) % 2 for text in literal for quote in "'\"")
    return not odd and (just or _FUNCTION.search(raw) is None)


def _continues(text: str, start: int) -> bool:
    """Whether the line before goes on here: a piece of a variable's value, no recipe's line."""
    return text[:start].rstrip("\r\n").endswith("\\")


def recipes(text: str, just: bool) -> Iterator[tuple[int, int]]:
    """The ranges of recipe lines, continuations joined; a script of just is one range."""
    at, script = 0, -1
    lines = list(re.finditer(r"[^\r\n]*(?:\r\n|\r|\n|$)", text))
    while at < len(lines):
        line = lines[at].group()
        indented = line[:1] == "\t" or (just and line[:1] == " ")
        if script >= 0 and not indented and line.strip():
            yield script, lines[at].start()
            script = -1
        if not indented or not line.strip():
            at += 1
            continue
        if just and line.lstrip().startswith("#!") and script < 0:
            script = lines[at].start()
        first = at
        while (
            script < 0 and lines[at].group().rstrip("\r\n").endswith("\\") and at + 1 < len(lines)
        ):
            at += 1
        if script < 0:
            yield lines[first].start(), lines[at].start() + len(lines[at].group().rstrip("\r\n"))
        at += 1
    if script >= 0:
        yield script, len(text)


class Recipe(Nested):
    """A recipe line. A dollar sign that is written back is doubled for make."""

    __slots__ = ("just",)

    def __init__(
        self, parent: Fragment, text: str, ranges: list[tuple[int, int]], just: bool
    ) -> None:
        super().__init__(parent, text, ranges)
        self.just = just

    def edit(self, start: int, end: int, new: str) -> Edit | None:
        return super().edit(start, end, new if self.just else new.replace("$", "$$"))


def _line(
    document: Document, start: int, end: int, variables: dict[str, Setting], just: bool
) -> tuple[Recipe, Known]:
    """What the shell gets of a recipe line, and what make or just put into it."""
    source = document.source.text
    head = _LEADING.match(source, start, end)
    start = head.end() if head else start
    raw = source[start:end]
    parent = Fragment(document.path, raw, start)
    text = ""
    ranges: list[tuple[int, int]] = []
    known: Known = {}
    at = 0
    for match in (_JUST_USE if just else _MAKE_USE).finditer(raw):
        text += raw[at : match.start()]
        ranges += [(i, i + 1) for i in range(at, match.start())]
        at = match.end()
        if match.group() == "$$":
            text += "$"
            ranges.append(match.span())
            continue
        groups = match.groupdict()
        letter = groups.get("letter") or ""
        name = groups.get("round") or groups.get("curly") or letter
        setting = variables.get(name)
        value: Value = Variable(name) if name else Unknown(match.group())
        sources = (setting,) if setting else ()
        if setting is not None:
            value = setting.value
        elif letter and (more := _MORE.match(raw, at)):  # `$NAME` is $(N) and AME
            value = Literal("")
            whole = Span(start + match.start(), start + more.end())
            meant = OneLetter(whole, letter + more.group())
            meant.is_set = meant.name in variables
            if may_launch(raw) and not _COMMENT.search(raw, 0, match.start()):
                document.one_letter[whole.start] = meant
        # What make puts in stands as a variable for the shell's grammar, which knows no `{{`.
        shown = "${" + re.sub(r"\W", "_", name or "make") + "}"
        begin = len(text)
        text += shown
        ranges += [match.span()] * len(shown)
        known[begin] = Part(value, begin, len(text), known=True, sources=sources)
    text += raw[at:]
    ranges += [(i, i + 1) for i in range(at, len(raw))]
    return Recipe(parent, text, ranges, just), known
