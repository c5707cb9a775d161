"""The options of a launcher: which words of a command line are its own, and what they say.

The tables are data, derived from the launchers' argparse parsers (schemas/derive/launchers.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from cfglint import schemas
from cfglint.model.values import Alternatives, Computed, Literal, Unknown, Value
from cfglint.record import dataclass, field
from cfglint.syntax.shell_words import ShellWord


@dataclass(frozen=True, slots=True)
class Option:
    """One option. `takes`: "value", "none" or "optional"; `env` is a variable that stands in."""

    dest: str
    names: tuple[str, ...]
    takes: str = "value"
    env: str = ""
    type: str = ""
    choices: tuple[str, ...] = ()
    default: object = None
    since: str = ""
    until: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """The options of a launcher by spelling. `versions` are those the table was derived from."""

    launcher: str
    package: str
    versions: tuple[str, ...]
    options: tuple[Option, ...]
    abbreviations: bool
    spellings: dict[str, Option]
    names: dict[str, str]  # spelling -> argparse name
    valued: frozenset[str]  # the argparse names of options that take a value

    def find(self, text: str) -> tuple[Option | None, bool]:
        """The option that a word's `--name` means, and whether it is ambiguous."""
        option = self.spellings.get(text)
        if option or not self.abbreviations or not text.startswith("--"):
            return option, False
        found = {o.dest: o for name, o in self.spellings.items() if name.startswith(text)}
        if len(found) == 1:
            return next(iter(found.values())), False
        return None, len(found) > 1

    def dest(self, spelling: str) -> str | None:
        """The argparse name that a spelling means, None for none."""
        option, _ = self.find(spelling)
        return option.dest if option else None

    def takes(self, dest: str) -> tuple[str, tuple[str, ...]]:
        """The type ("int", "float" or "") and the choices of an option's value."""
        option = self._named(dest)
        return (option.type, option.choices) if option else ("", ())

    def unknown_in(self, dest: str) -> tuple[str, str]:
        """The last version before an option came and the first after it went, of those that the
        table was derived from; "" where there is none."""
        option, known = self._named(dest), self.versions
        if option is None:
            return "", ""
        came = known.index(option.since) if option.since in known else 0
        went = known.index(option.until) + 1 if option.until in known else len(known)
        return known[came - 1] if came else "", known[went] if went < len(known) else ""

    def _named(self, dest: str) -> Option | None:
        return next((o for o in self.options if o.dest == dest), None)


@cache
def _data() -> dict[str, dict[str, object]]:
    data: dict[str, dict[str, object]] = schemas.read("launchers")
    return data


@cache
def table(launcher: str) -> Table:
    """The option table of a launcher."""
    entry = _data()[launcher]
    rows = entry["options"]
    assert isinstance(rows, list)
    options = [
        Option(
            row["dest"],
            tuple(row["names"]),
            row["takes"],
            row.get("env", ""),
            row.get("type", ""),
            tuple(map(str, row.get("choices", ()))),
            row.get("default"),
            row.get("since", ""),
            row.get("until", ""),
        )
        for row in rows
    ]
    parent = entry.get("extends")
    if isinstance(parent, str):
        options += table(parent).options
    spellings: dict[str, Option] = {}
    for option in options:
        for name in option.names:
            spellings[name] = option
            if entry["dashes"] and name.startswith("--"):
                spellings["--" + name[2:].replace("_", "-")] = option
    versions = entry["versions"]
    assert isinstance(versions, list)
    return Table(
        launcher,
        str(entry["package"]),
        tuple(versions),
        tuple(options),
        bool(entry["abbreviations"]),
        spellings,
        {name: option.dest for name, option in spellings.items()},
        frozenset(option.dest for option in options if option.takes != "none"),
    )


@dataclass(slots=True)
class Given:
    """An option as a command gives it: the word that names it, the (piece of a) word that is its
    value, and whether both are one word (`--name=value`)."""

    option: Option
    word: ShellWord
    value: ShellWord | None = None
    joined: bool = False
    before: ShellWord | None = None  # the word in front of it


@dataclass(slots=True)
class Parsed:
    """A launcher's command line.

    `rest` begins with the program. `unknown` are words like options that the launcher does not
    have, `opaque` words whose text is not known where an option or the program could stand.
    """

    given: list[Given] = field(default_factory=list)
    rest: Sequence[ShellWord] = ()
    unknown: list[ShellWord] = field(default_factory=list)
    opaque: list[ShellWord] = field(default_factory=list)
    missing: list[Given] = field(default_factory=list)  # options whose value is not there

    def __iter__(self) -> Iterator[Given]:
        return iter(self.given)


def read_options(
    words: Sequence[ShellWord], options: Table, before: ShellWord | None = None
) -> Parsed:
    """Read the launcher's options at the head of `words`, as argparse does."""
    parsed = Parsed()
    at = 0
    while words[at : at + 1]:
        word = words[at]
        text = word.text
        name = word.prefix().split("=", 1)[0]
        if text is None and not word.prefix().startswith("-"):
            if is_opaque(word):
                # It may hold options, the program, or nothing: what follows still tells.
                parsed.opaque.append(word)
                before, at = word, at + 1
                continue
            break
        if not name.startswith("-") or name == "-" or name[1:2].isdigit():
            break
        if name == "--":
            at += 1
            break
        at = _option(words, at, name, options, parsed, before)
        before = words[at - 1]
    parsed.rest = words[at:]
    return parsed


_ONE_WORD = re.compile(r"[^\s*?\[-][^\s*?\[]*")
_WHICH = re.compile(r"(?:\$\(|`)\s*(?:which|command\s+-v|type\s+-[pP])\s")


def is_opaque(word: ShellWord) -> bool:
    """Whether a word is one expansion that may become any number of words, or none."""
    if len(word.parts) != 1 or word.text is not None or not word.shell:
        return False
    if _WHICH.match(word.raw) or _is_one_word(word.parts[0].value, word.raw):
        return False
    return not word.parts[0].quote or word.raw.endswith(('[@]}"', '$@"'))


def _is_one_word(value: Value, raw: str) -> bool:
    """Whether an expansion becomes one word, whichever it is."""
    if isinstance(value, Alternatives):
        return all(isinstance(v, Literal) and _ONE_WORD.fullmatch(v.text) for v in value.options)
    if isinstance(value, Unknown) and value.text.startswith("${#"):  # a count
        return True
    return isinstance(value, Computed) or raw.startswith(("$((", "$["))


def _option(
    words: Sequence[ShellWord],
    at: int,
    name: str,
    options: Table,
    parsed: Parsed,
    before: ShellWord | None,
) -> int:
    word = words[at]
    option, _ = options.find(name)
    short = not name.startswith("--")
    if option is None and short and len(name) > 2 and f"-{name}" not in options.spellings:
        option = options.spellings.get(name[:2])
        if option and option.takes != "none":  # -Hhostfile
            parsed.given.append(Given(option, word, word.cut(2), True, before))
            return at + 1
    if option is None:
        parsed.unknown.append(word)
        # Whether the next word is its value is not known. A value is likelier than a program.
        following = words[at + 1] if words[at + 1 : at + 2] else None
        plain = following is not None and not following.prefix().startswith("-")
        looks_like_program = plain and (following.text or "").endswith((".py", ".sh"))  # type: ignore[union-attr]
        return at + (2 if plain and "=" not in word.raw and not looks_like_program else 1)
    given = Given(option, word, before=before)
    sign = word.find("=")
    if sign == len(name) and (sign > 0):
        given.value, given.joined = word.cut(sign + 1), True
        parsed.given.append(given)
        return at + 1
    if option.takes == "none":
        parsed.given.append(given)
        return at + 1
    following = words[at + 1] if words[at + 1 : at + 2] else None
    missing = following is None or _looks_like_option(following)
    if missing:
        if option.takes == "value":
            parsed.missing.append(given)
        else:
            parsed.given.append(given)
        return at + 1
    given.value = following
    parsed.given.append(given)
    return at + 2


def _looks_like_option(word: ShellWord) -> bool:
    """What argparse takes for an option and not for the value of the one before: a dash begins it,
    no digit follows that, and no blank is inside (`--launcher_args "-p 22"`)."""
    prefix = word.prefix()
    return len(prefix) > 1 and prefix[0] == "-" and not prefix[1].isdigit() and " " not in prefix
