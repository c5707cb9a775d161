"""Whether a branch is taken, where a call's arguments or plain values decide it.

Only plain tests are decided: `[ "$2" -gt 1 ]`, `[[ -n $1 ]]`, `[[ $GPUS != *","* ]]`,
`case "$1" in`.
"""

from __future__ import annotations

import fnmatch
import glob
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from cfglint.commands.variables import Reach, Variables
from cfglint.model.fragment import Fragment
from cfglint.model.values import Literal, Variable, literal, parse_int
from cfglint.patterns import lazy
from cfglint.syntax.shell_split import split

if TYPE_CHECKING:
    from cfglint.syntax.shell import Command, Context, Script
    from cfglint.syntax.shell_words import ShellWord

_NUMBERS: dict[str, Callable[[int, int], bool]] = {
    "-eq": int.__eq__, "-ne": int.__ne__, "-gt": int.__gt__, "-ge": int.__ge__,
    "-lt": int.__lt__, "-le": int.__le__,
}  # fmt: skip

_SIGNS = {"==": "-eq", "!=": "-ne", ">": "-gt", ">=": "-ge", "<": "-lt", "<=": "-le"}
_ARITHMETIC = lazy(
    r"\(\(\s*(?:\$\{?(?=\w)|(?!\d))(?P<name>\w+)\}?\s*(?P<sign>[=!<>]=|[<>])\s*(?P<number>\d+)\s*\)\)"
)


def reached(command: Command, variables: Variables) -> bool:
    """Whether nothing shows that a command is not reached with these variables."""
    at = command.start
    return all(
        _may_be_taken(command.script, at, around, variables) for around in _within(command.context)
    )


def led_elsewhere(name: str, at: int, context: Context, variables: Variables) -> bool:
    """Whether a test of a variable lets only another value than the one it has in front of the test
    come to a place: `GPUS=0; if [[ $GPUS == *,* ]]; then ...`."""
    tested = re.compile(rf"(?:\$\{{?|\(\(\s*){name}\b")
    return any(
        tested.search(around.condition)
        and not _may_be_taken(variables.script, at, around, variables)
        for around in _within(context)
    )


def _within(context: Context) -> Iterator[Context]:
    """What surrounds a place and hangs on a test, up to the function it is in."""
    for around in context.chain():
        if around.kind == "function":
            return
        if around.condition and around.kind in ("branch", "after"):
            yield around


def _may_be_taken(script: Script, at: int, context: Context, variables: Variables) -> bool:
    outside = context.parent or context
    reach = Reach(variables, at, outside)
    if context.kind == "after":
        test, _, sign = context.condition.rpartition(" ")
        return sign not in ("&&", "||") or _holds(script, test, reach) is not (sign == "||")
    patterns = script.patterns.get(context.group)
    if patterns is None:
        verdict = _holds(script, context.condition, reach)
        return verdict is None or verdict is (context.branch == 0)
    words = split(Fragment("", context.condition), script.document)
    text = _text(words[0], reach) if words and len(words) == 1 else None
    if text is None or any("$" in p or "`" in p for p in patterns[: context.branch + 1]):
        return True
    taken = next((i for i, pattern in enumerate(patterns) if _matches(text, pattern)), None)
    return taken == context.branch


def _matches(text: str, pattern: str) -> bool:
    each = (one.strip().strip("'\"") for one in pattern.lstrip("(").split("|"))
    return any(fnmatch.fnmatchcase(text, one) for one in each)


def _holds(script: Script, test: str, reach: Reach) -> bool | None:
    """What a test comes to, None where it is not plain or not known."""
    compared = _ARITHMETIC.fullmatch(test.strip())
    if compared:
        test = f"[ ${compared['name']} {_SIGNS[compared['sign']]} {compared['number']} ]"
    words = split(Fragment("", test.strip()), script.document)
    if words is None or len(words) < 3:
        return None
    first, last = words[0].raw, words[-1].raw
    inner = list(words[1:-1])
    if first == "test":
        inner = list(words[1:])
    elif (first, last) not in (("[", "]"), ("[[", "]]")):
        return None
    wanted = True
    while inner and inner[0].raw == "!":
        wanted, inner = not wanted, inner[1:]
    plain = [word.raw for word in inner]
    verdict: bool | None = None
    if len(inner) == 2 and plain[0] in ("-z", "-n"):
        text = _text(inner[1], reach)
        verdict = None if text is None else (text == "") is (plain[0] == "-z")
    elif len(inner) == 3:
        one = _text(inner[0], reach)
        if plain[1] in ("=", "==", "!="):
            found = _equal(one, inner[2], reach, first == "[[")
            verdict = None if found is None else found is (plain[1] != "!=")
        elif plain[1] in _NUMBERS:
            a, b = (None if x is None else parse_int(x) for x in (one, _text(inner[2], reach)))
            verdict = _NUMBERS[plain[1]](a, b) if a is not None and b is not None else None
    return None if verdict is None else verdict is wanted


def _equal(text: str | None, word: ShellWord, reach: Reach, is_pattern: bool) -> bool | None:
    """Whether a text is a word of a test, or fits it where it is a pattern."""
    other = _text(word, reach)
    if text is None or other is None:
        return None
    pattern = [(p.value.text if isinstance(p.value, Literal) else "", p.quote) for p in word.parts]
    bare = "".join(piece for piece, quote in pattern if not quote)
    if not is_pattern or not any(sign in bare for sign in "*?["):
        return text == other
    if "[" in bare or "(" in bare or "$" in word.raw or "\\" in word.raw:
        return None
    shell = "".join(glob.escape(piece) if quote else piece for piece, quote in pattern)
    return fnmatch.fnmatchcase(text, shell)


def _text(word: ShellWord, reach: Reach) -> str | None:
    """The text of a word of a test, None where it is not known."""
    given = reach.variables.arguments(reach.at, reach.context)
    text = ""
    for part in reach.word(word).parts:
        value = part.value
        if isinstance(value, Variable) and value.name.isdigit() and given is not None:
            if not len(given) < int(value.name):
                return None
            value = value.default or Literal("")  # the call gives no such argument
        found = literal(value)
        if found is None:
            return None
        text += found
    return text
