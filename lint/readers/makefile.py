"""Makefiles and justfiles: the commands of their recipes, each line in a shell of its own.

make replaces `$(NAME)` and `${NAME}` and turns `$$` into `$`; just replaces `{{NAME}}` and leaves
the rest to the shell. Sources: GNU make manual (recipes, variables), just manual.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from cfglint.commands import may_launch, may_launch_in
from cfglint.commands.scope import Scope
from cfglint.commands.texts import ShellText
from cfglint.model.document import Document
from cfglint.model.edit import Edit
from cfglint.model.fragment import Fragment
from cfglint.model.launch import Setting
from cfglint.model.readings import OneLetter
from cfglint.model.values import Alternatives, Literal, Unknown, Value, Variable
from cfglint.readers import make_env_files, make_lines, make_variables
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
# A shell that a justfile names, and that is none of the usual.
_OTHER_SHELL = re.compile(
    r"^set[ ]+(?:windows-)?shell[ ]*:=[ ]*\[['\"](?!(?:/\S*/)?(?:ba|da)?sh['\"])", re.M
)
# make's directive that one shell runs a whole recipe, and the shells that it can be.
_ONE_SHELL = re.compile(r"^\.ONESHELL[ \t]*:", re.M)
_SHELL = re.compile(r"(?:^|[/\s])(?:ba|da|z|k|a)?sh\b")
_SEVERAL = re.compile(r"[\s$|&;<>()'\"`]")
_MAX_DEPTH = 6
_MAX_SIZE = 20_000  # code points of a line, behind which variables are filled in no more
_LEADING = re.compile(r"[ \t]*[@+-]*[ \t]*")


def read(document: Document) -> None:
    """Make the launches of every recipe line that holds a launcher."""
    document.shell_texts = partial(_texts, document)
    if may_launch(document.source.text):
        for line in _texts(document, may_launch_in(document.source.text)):
            line.read()
        if document.kind == "makefile" and _ONE_SHELL.search(document.source.text) is None:
            make_lines.tell(document, recipes(document.source.text, just=False))


def _texts(document: Document, wanted: Callable[[str], bool]) -> Iterator[ShellText]:
    """The recipe lines, or recipes that one shell runs, that a test lets through."""
    text = document.source.text
    just = document.kind == "justfile"
    common = make_variables.variables(document, just)
    specific = make_variables.of_targets(document, common) if not just else {}
    plain = not just or _OTHER_SHELL.search(text) is None
    files = tuple(make_env_files.references(document))
    shell = common.get("SHELL")
    if not just and shell is not None and not _SHELL.search(shell.text or "sh"):
        return
    whole = not just and _ONE_SHELL.search(text) is not None
    uses = _JUST_USE if just else _MAKE_USE
    known = [s for table in (common, *specific.values()) for s in table.values()]
    launching = any(wanted(document.source.slice(setting.span)) for setting in known)
    heads = list(_HEAD.finditer(text))
    begins = [head.start() for head in heads]
    for start, end in recipes(text, just, whole):
        line = text[start:end]
        if wanted(line) or (launching and uses.search(line)):
            head = bisect_left(begins, start) - 1
            variables = dict(common)
            targets = heads[head].group().split(":")[0].split() if head >= 0 else ()
            for target in targets if specific else ():
                variables.update(specific.get(target, {}))
            recipe, parts = _Expansion(document, variables, just).line(start, end)
            number = document.source.position(start)[0]
            exported = {n: s for n, s in variables.items() if s.origin == "env"}
            label = "" if _is_script(text, start, just, whole) else f"line {number}"
            scope = Scope(document, exported, evaluated="node", label=label, env_files=files)
            group = str(begins[head] if head >= 0 else 0)
            shown = plain and _is_whole(line, parts, just) and not _continues(text, start)
            yield ShellText(recipe, scope, parts, group=group, whole=shown)


def _is_whole(raw: str, known: Known, just: bool) -> bool:
    """Whether every quote that a shell gets of a recipe line can be seen in it."""
    values = (part.value for part in known.values())
    literal = (value.text for value in values if isinstance(value, Literal))
    odd = any(text.count(quote) % 2 for text in literal for quote in "'\"")
    return not odd and (just or _FUNCTION.search(raw) is None)


def _continues(text: str, start: int) -> bool:
    """Whether the line before goes on here: a piece of a variable's value, no recipe's line."""
    return text[:start].rstrip("\r\n").endswith("\\")


def _is_script(text: str, start: int, just: bool, whole: bool) -> bool:
    """Whether one shell runs a whole recipe."""
    return whole or (just and text[start:].lstrip().startswith("#!"))


def recipes(text: str, just: bool, whole: bool = False) -> Iterator[tuple[int, int]]:
    """The ranges of recipe lines, continuations joined; a script of just is one range, and so is
    every recipe with `whole` (make's .ONESHELL)."""
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
        if script < 0 and (whole or (just and line.lstrip().startswith("#!"))):
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


class _Expansion:
    """What the shell gets of a recipe: the text, where each of its code points stands in the file,
    and the parts that make or just put in.

    A value of one word stays a part with the variable behind it. One of several words becomes part
    of the text, as make has it: the shell splits it, and its words stand where it is set.
    """

    def __init__(self, document: Document, variables: Mapping[str, Setting], just: bool) -> None:
        self.document = document
        self.source = document.source.text
        self.variables = variables
        self.just = just
        self.pieces: list[str] = []
        self.size = 0
        self.ranges: list[tuple[int, int]] = []
        self.known: Known = {}

    def line(self, start: int, end: int) -> tuple[Recipe, Known]:
        """The text of a recipe's line, or of a recipe that is a script."""
        is_script = "\n" in self.source[start:end].rstrip("\\\r\n")
        head = _LEADING.match(self.source, start, end)
        indent = (_indent(self.source, start) if self.just else "\t") if is_script else ""
        self._take(head.end() if head else start, end, indent)
        whole = Fragment(self.document.path, self.source)
        return Recipe(whole, "".join(self.pieces), self.ranges, self.just), self.known

    def _take(self, start: int, end: int, indent: str = "", depth: int = 0) -> None:
        """Add a range of the file. `indent` is what each line of it leaves out."""
        at = start
        for match in (_JUST_USE if self.just else _MAKE_USE).finditer(self.source, start, end):
            self._copy(at, match.start(), indent, depth)
            at = match.end()
            if match.group() == "$$":
                self._add("$", match.span())
                continue
            groups = match.groupdict()
            letter = groups.get("letter") or ""
            name = groups.get("round") or groups.get("curly") or letter
            setting = self.variables.get(name)
            if setting is not None and depth < _MAX_DEPTH and self._is_text(setting):
                self._take(setting.span.start, setting.span.end, "", depth + 1)
            else:
                self._put(match, name, setting, letter, end)
        self._copy(at, end, indent, depth)

    def _copy(self, start: int, end: int, indent: str, depth: int) -> None:
        at = start
        if depth:  # make has joined the lines of a variable's value
            for match in make_variables.JOIN.finditer(self.source, start, end):
                self._as_it_is(at, match.start())
                self._add(" ", match.span())
                at = match.end()
        elif indent:
            for match in re.compile(rf"(?<=\n){indent}").finditer(self.source, start, end):
                self._as_it_is(at, match.start())
                at = match.end()
        self._as_it_is(at, end)

    def _as_it_is(self, start: int, end: int) -> None:
        self.pieces.append(self.source[start:end])
        self.size += end - start
        self.ranges += [(i, i + 1) for i in range(start, end)]

    def _add(self, text: str, span: tuple[int, int]) -> None:
        self.pieces.append(text)
        self.size += len(text)
        self.ranges += [span] * len(text)

    def _is_text(self, setting: Setting) -> bool:
        """Whether a variable holds more than one plain word, which nothing but the file sets."""
        place = setting.place
        if not isinstance(place, make_variables.MakePlace) or place.default or place.adds:
            return False
        value = self.document.source.slice(setting.span)
        return self.size < _MAX_SIZE and _SEVERAL.search(value) is not None

    def _put(
        self, match: re.Match[str], name: str, setting: Setting | None, letter: str, end: int
    ) -> None:
        """Add what stands for the value of a variable."""
        value: Value = Variable(name) if name else Unknown(match.group())
        sources = (setting,) if setting else ()
        if setting is not None:
            value = Unknown(match.group()) if _is_several(setting.value) else setting.value
        elif letter and (more := _MORE.match(self.source, match.end(), end)):
            value = Literal("")  # `$NAME` is $(N) and AME
            whole = Span(match.start(), more.end())
            meant = OneLetter(whole, letter + more.group())
            meant.is_set = meant.name in self.variables
            start = self.source.rfind("\n", 0, match.start()) + 1
            raw = self.source[start:end]
            if may_launch(raw) and not _COMMENT.search(raw, 0, match.start() - start):
                self.document.one_letter[whole.start] = meant
        # What make puts in stands as a variable for the shell's grammar, which knows no `{{`.
        shown, begin = "${" + re.sub(r"\W", "_", name or "make") + "}", self.size
        self._add(shown, match.span())
        self.known[begin] = Part(value, begin, self.size, known=True, sources=sources)


def _is_several(value: Value) -> bool:
    """Whether a value that something else may replace is more than one word."""
    if isinstance(value, Alternatives):
        return any(map(_is_several, value.options))
    text = value.default if isinstance(value, Variable) else value
    return isinstance(text, Literal) and " " in text.text.strip()


def _indent(source: str, start: int) -> str:
    """The blanks in front of a recipe's first line."""
    end = start
    while source[end : end + 1] in (" ", "\t"):
        end += 1
    return source[start:end]
