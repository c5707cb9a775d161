"""Words of a command into the model: settings, endpoints, programs, launches."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import overload

from cfglint.commands.options import Given
from cfglint.commands.sbatch import on_each_node
from cfglint.commands.scope import Scope
from cfglint.model.edit import Edit, Fixed, Place
from cfglint.model.launch import ConfigRef, Launch, Program, Setting, Word
from cfglint.model.values import Literal, Value
from cfglint.record import replace
from cfglint.syntax.shell_words import ShellWord, combined
from cfglint.syntax.shell_write import WordPlace, adjoin
from cfglint.text import Span


class FlagPlace:
    """An option and its value on a command line: writes the value, removes both."""

    __slots__ = ("end", "given", "place")

    def __init__(self, given: Given, place: Place) -> None:
        self.given = given
        self.place = place

    def write(self, value: Value) -> Edit | None:
        return self.place.write(value)

    def part(self, option: str) -> Edit | None:
        """The edit that puts a blank in front of an option glued to the value; None where no shell
        splits the text."""
        word = self.given.value or self.given.word
        at = word.fragment.text.find(option, word.start, word.end)
        if at < 0 or not word.shell or word.fragment.item is not None:
            return None
        return word.fragment.edit(at, at, " ")

    def rename(self, name: str) -> Edit | None:
        """The edit that spells the option in another way, None where it is not written out."""
        word = self.given.word
        key = word.raw.partition("=")[0]
        if word.fragment.text[word.start : word.start + len(key)] != key or key[:1] != "-":
            return None
        return word.fragment.edit(word.start, word.start + len(key), name)

    def remove(self) -> Edit | None:
        given = self.given
        last = given.word if given.joined or given.value is None else given.value
        before = given.before
        fragment = given.word.fragment
        if before is None:
            return None
        if before.fragment is not fragment:
            item = fragment.item
            return item.remove(last.fragment.item) if item is not None else None
        if last.fragment is not fragment:
            return None
        if before is given.word or not adjoin(before, given.word):
            return None
        if given.value is last and not adjoin(given.word, last):
            return None
        return fragment.edit(before.end, last.end, "")


def origin_word(word: ShellWord) -> tuple[ShellWord, Setting | None]:
    """The word that holds what `word` says: the assignment it expands, if it is one expansion."""
    source: Setting | None = None
    for _ in range(20):
        if len(word.parts) != 1 or len(word.parts[0].sources) != 1 or word.parts[0].partial:
            break
        source = word.parts[0].sources[0]
        if not isinstance(source.place, WordPlace):
            break
        word = source.place.word
    return word, source


def value_of(word: ShellWord) -> Value:
    """The value of a (resolved) word."""
    if word.literal is not None:
        return word.parts[0].value
    return combined(word.parts, word.raw)


def model_word(word: ShellWord, before: ShellWord | None = None) -> Word:
    """The model's form of a resolved word. `before` is the word in front of it."""
    made: tuple[Word, ShellWord | None] | None = word.__dict__.get("_model")
    if made is not None and made[1] is before:
        return made[0]  # a command's words and its program's arguments are the same ones
    place = WordPlace(word, before)
    if word.literal is not None:
        model = Word(word.parts[0].value, word.literal, word.span, place)
    else:
        sources = tuple(s for part in word.parts for s in part.sources)
        model = Word(value_of(word), word.raw, word.span, place, sources, word.quoted)
    word.__dict__["_model"] = (model, before)
    return model


class ModelWords(Sequence[Word]):
    """The model's form of words that stand one behind the other, made as far as somebody looks."""

    __slots__ = ("_before", "_made", "_more")

    def __init__(self, words: Sequence[ShellWord], before: ShellWord | None = None) -> None:
        self._more = iter(words)
        self._before = before
        self._made: list[Word] = []

    def _reach(self, count: int | None) -> list[Word]:
        made = self._made
        while count is None or len(made) < count:
            word = next(self._more, None)
            if word is None:
                break
            made.append(model_word(word, self._before))
            self._before = word
        return made

    @overload
    def __getitem__(self, index: int) -> Word: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Word]: ...
    def __getitem__(self, index: int | slice) -> Word | Sequence[Word]:
        if isinstance(index, int):
            return self._reach(index + 1 if index >= 0 else None)[index]
        stop = index.stop if index.stop is None or index.stop >= 0 else None
        return self._reach(stop)[index]

    def __bool__(self) -> bool:
        return bool(self._reach(1))

    def __len__(self) -> int:
        return len(self._reach(None))

    def __iter__(self) -> Iterator[Word]:
        at, made = 0, self._made
        while at < len(made) or at < len(self._reach(at + 1)):
            yield made[at]
            at += 1


def setting(
    name: str,
    word: ShellWord,
    key: str,
    key_span: Span | None = None,
    origin: str = "flag",
    given: Given | None = None,
) -> Setting:
    """The setting that a (piece of a) resolved word gives."""
    _, source = origin_word(word)
    if source is None:
        place: Place = WordPlace(word)
        span, used_at = word.span, None
        document = word.document
    else:
        place, span, used_at = source.place, source.span, word.span
        document = source.document
        origin = "shell" if origin == "flag" else origin
    if given is not None:
        place = FlagPlace(given, place)
    value = value_of(word)
    branches: tuple[Setting, ...] = ()
    if source is not None and source.branches and value == source.value:
        branches = tuple(
            replace(b, name=name, key=key, key_span=key_span, used_at=used_at, origin=origin)
            for b in source.branches
        )
    return Setting(
        name, value, document, span, key, key_span, used_at, origin, place, word.raw, branches
    )  # fmt: skip


def flag_setting(name: str, given: Given) -> Setting:
    """The setting of an option; one without a value is "true"."""
    key = given.option.names[0]
    key_word = given.word.cut(0, given.word.find("=")) if given.joined else given.word
    if given.joined and not key.startswith("--"):
        key_word = given.word
    key = key_word.raw
    if given.value is None:
        place = FlagPlace(given, Fixed("it takes no value"))
        return Setting(
            name, Literal("true"), given.word.document, given.word.span, key, given.word.span,
            None, "flag", place,
        )  # fmt: skip
    return setting(name, given.value, key, key_word.span, given=given)


def endpoint(whole: Setting, word: ShellWord) -> dict[str, Setting]:
    """The address and port of `host:port` or `[v6]:port`, each with a span and place of its own."""
    inner, source = origin_word(word)
    used_at = word.span if source is not None else None
    if source is not None and not isinstance(source.place, WordPlace):
        # Another file's syntax, which cannot be cut here.
        return split_value(whole)
    colon = inner.find(":", last=True)
    text = inner.text
    parts: dict[str, Setting] = {}
    if text is not None and "]" in text:
        colon = text.rfind(":") if text.rfind(":") > text.rfind("]") else -1
    address = inner.cut(0, colon) if colon >= 0 else inner
    pieces = [("endpoint_addr", address)]
    if colon >= 0:
        pieces.append(("endpoint_port", inner.cut(colon + 1)))
    for name, piece in pieces:
        found = setting(name, piece, whole.key, whole.key_span, whole.origin)
        found.used_at = found.used_at or used_at
        parts[name] = found
    return parts


def split_value(whole: Setting) -> dict[str, Setting]:
    """The address and port of an endpoint that another syntax than the shell's holds."""
    text = whole.text
    if text is None:
        return {}
    match = re.fullmatch(r"(\[[^\]]*\]|[^:]*|.*)(?::([^:\]]*))?", text)
    parts: dict[str, Setting] = {}
    host, _, port = text.rpartition(":") if match and ":" in text else (text, "", "")
    if "]" in port:
        host, port = text, ""
    for name, piece in (("endpoint_addr", host), ("endpoint_port", port)):
        if piece:
            parts[name] = Setting(
                name, Literal(piece), whole.document, whole.span, whole.key, whole.key_span,
                whole.used_at, whole.origin,
            )  # fmt: skip
    return parts


def env_setting(name: str, variable: Setting) -> Setting:
    """A model setting that an environment variable gives."""
    return Setting(
        name, variable.value, variable.document, variable.span, variable.key or variable.name,
        variable.key_span, variable.used_at, "env", variable.place, branches=variable.branches,
    )  # fmt: skip


def take_env(launch: Launch, names: Mapping[str, str]) -> None:
    """Settings from the environment, where no option gave them."""
    for variable, name in names.items():
        if variable in launch.env and name not in launch.settings:
            launch.settings[name] = env_setting(name, launch.env[variable])


def take_flags(launch: Launch, parsed: Iterable[Given], names: Mapping[str, str]) -> None:
    """Settings from options; the last one of a name wins, as in argparse."""
    for given in parsed:
        name = names.get(given.option.dest)
        if name:
            launch.settings[name] = flag_setting(name, given)
            if name == "rdzv_endpoint" and given.value is not None:
                launch.settings.update(endpoint(launch.settings[name], given.value))


def program(
    words: Sequence[ShellWord], is_module: bool = False, before: ShellWord | None = None
) -> Program | None:
    """What a launcher starts: its first own word and the arguments after it."""
    if not words:
        return None
    first = words[0]
    args = ModelWords(words[1:], first)
    text = first.text
    if is_module:
        kind = "module"
    elif text is None:
        kind = "unknown"
    else:
        kind = "script" if text.endswith((".py", ".sh")) else "command"
    word = model_word(first, before)
    return Program(kind, first.raw if text is None else text, first.span, args, word)


def config_ref(role: str, word: ShellWord) -> ConfigRef | None:
    """A reference to the file that a word names, None where the name is not known."""
    text = word.text
    if not text:
        return None
    source, found = origin_word(word)
    return ConfigRef(role, text, found.span if found else source.span)


def new_launch(launcher: str, words: Sequence[ShellWord], scope: Scope, head: int = 1) -> Launch:
    """A launch of a command whose first `head` words name the launcher."""
    start = words[0].span
    span = Span(start.start, max(words[head - 1].span.end, start.end))
    each = on_each_node(scope.allocation, own=False)
    launch = Launch(
        scope.document, span, launcher, env=scope.env, network=scope.network,
        container=scope.container, evaluated=scope.evaluated, complete=scope.complete,
        why_incomplete=scope.why, argv=ModelWords(words),
        background=scope.background, label=scope.label, wrappers=scope.wrappers,
        tasks=scope.tasks, nodes=scope.nodes, env_writer=scope.env_writer,
        host=scope.host, detached=scope.detached, configs=list(scope.env_files),
        allocated=scope.allocation.get("allocated") or scope.allocation.get("nodes"),
        many=scope.many,
        step_tasks=each.number if each is not None else None,
    )  # fmt: skip
    if scope.tasks_per_node is not None:
        launch.settings["tasks_per_node"] = scope.tasks_per_node
    for name in ("gpus_per_node", "gpus_per_task", "ranks"):
        if name in scope.allocation:
            launch.settings[name] = scope.allocation[name]
    named = dict.fromkeys(word.document for word in words[:head])
    launch.parts = [document for document in named if document is not scope.document]
    return launch
