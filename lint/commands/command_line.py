"""A launcher's own part of a command line: its program, its options, and how they are written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise, takewhile

from cfglint.commands.build import flag_setting, model_word, program
from cfglint.commands.options import Given, Parsed, Table
from cfglint.model.commandline import CommandLine, glued
from cfglint.model.edit import Edit
from cfglint.model.launch import Launch, Setting
from cfglint.syntax.shell_words import ShellWord
from cfglint.syntax.shell_write import adjoin


def read_command(
    launch: Launch,
    parsed: Parsed,
    options: Table,
    words: Sequence[ShellWord],
    head: ShellWord,
    spellings: Mapping[str, str],
    is_module: bool,
) -> None:
    """The program, the options as the model shows them, and how options are added.

    `head` is the last word of the launcher's name, `spellings` the option that writes each setting.
    What could not be seen of the options makes the launch incomplete.
    """
    launch.program = program(parsed.rest, is_module, _last_own(parsed, head))
    if parsed.opaque:
        launch.complete = False
        launch.why_incomplete = f"{parsed.opaque[0].raw} may hold options"
    elif not parsed.rest:
        launch.complete = False
        launch.why_incomplete = "no program is seen"
    elif any(g.value is not None and glued(options.names, g.value.raw) for g in parsed.given):
        launch.complete = False
        launch.why_incomplete = "an option is lost in the value of another"
    writer = _Writer(parsed, options, words, head, spellings)
    launch.setting_writer = writer.write
    launch.command = CommandLine(
        options.launcher,
        GivenSettings(parsed.given),
        tuple(model_word(_name_of(w)) for w in parsed.unknown),
        tuple(model_word(g.word) for g in parsed.missing),
        bool(parsed.opaque),
        options.names,
        options.valued,
        options.dest,
        writer.follows,
        options.takes,
        options.unknown_in,
        writer.replace,
        writer.insert,
    )


class _Writer:
    """Writes options into one command, in the way in which its own ones are written."""

    __slots__ = ("head", "in_one_text", "options", "parsed", "spellings", "words")

    def __init__(
        self,
        parsed: Parsed,
        options: Table,
        words: Sequence[ShellWord],
        head: ShellWord,
        spellings: Mapping[str, str],
    ) -> None:
        self.parsed = parsed
        self.options = options
        self.words = words
        self.head = head
        self.spellings = spellings
        # A list's items (exec form) are texts of their own, between which only the list can write.
        self.in_one_text = head.shell or bool(words[1:2] and words[1].fragment is words[0].fragment)

    def insert(self, *texts: str) -> Edit | None:
        """Puts words right behind the launcher's name."""
        fragment = self.head.fragment
        if self.in_one_text:
            return fragment.edit(self.head.end, self.head.end, f" {' '.join(texts)}")
        return fragment.item.insert_behind(texts) if fragment.item is not None else None

    def replace(self, text: str) -> Edit | None:
        """Puts a text in place of the launcher, its options and the program's name."""
        rest = self.parsed.rest
        first, end = self.words[0], rest[0] if rest else self.head
        if not self.in_one_text or end.fragment is not first.fragment:
            return None
        own = takewhile(lambda word: word is not end, self.words)
        if not all(adjoin(one, other) for one, other in pairwise([*own, end])):
            return None
        return first.fragment.edit(first.start, end.end, text)

    def write(self, name: str, value: str) -> Edit | None:
        """Adds the option that gives a setting."""
        flag = self.spellings.get(name)
        if flag is None:
            return None
        dashed = any("-" in g.word.raw.split("=")[0][2:] for g in self.parsed)
        if dashed and self.options.launcher != "deepspeed":
            flag = "--" + flag[2:].replace("_", "-")
        if value == "true":
            return self.insert(flag)
        joined = any(g.joined for g in self.parsed)
        return self.insert(f"{flag}={value}") if joined else self.insert(flag, value)

    def follows(self, dests: frozenset[str]) -> bool:
        """Whether any of these options is spelt in the text behind the program."""
        if not self.parsed.rest:
            return False
        behind = self.parsed.rest[0]
        spelling = _spelling(dests)
        if self.in_one_text:
            return spelling.search(behind.fragment.text, behind.end) is not None
        return any(spelling.search(word.fragment.text) for word in self.parsed.rest[1:])


@cache
def _spelling(dests: frozenset[str]) -> re.Pattern[str]:
    """What finds any of these options in a text, with dashes or underscores."""
    names = (re.escape(dest).replace("_", "[_-]") for dest in sorted(dests))
    return re.compile(rf"--(?:{'|'.join(names)})\b")


def _name_of(word: ShellWord) -> ShellWord:
    """The part of a word before `=`."""
    sign = word.find("=")
    return word.cut(0, sign) if sign > 0 else word


class GivenSettings(Mapping[str, Setting]):
    """The settings of options by their argparse names, made when somebody asks."""

    __slots__ = ("_given", "_made")

    def __init__(self, given: Iterable[Given]) -> None:
        self._given = {one.option.dest: one for one in given}
        self._made: dict[str, Setting] = {}

    def __getitem__(self, name: str) -> Setting:
        if name not in self._made:
            self._made[name] = flag_setting(name, self._given[name])
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._given

    def __iter__(self) -> Iterator[str]:
        return iter(self._given)

    def __len__(self) -> int:
        return len(self._given)


def _last_own(parsed: Parsed, head: ShellWord) -> ShellWord:
    """The launcher's last own word, behind which the program stands."""
    own = [head, *parsed.unknown, *parsed.opaque]
    for given in (*parsed.given, *parsed.missing):
        own.append(given.word if given.joined or given.value is None else given.value)
    same = [w for w in own if w.fragment is head.fragment]
    limit = parsed.rest[0].start if parsed.rest else 1 << 60
    return max((w for w in same if w.end <= limit), key=lambda w: w.end, default=head)
