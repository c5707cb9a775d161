"""Whether a branch is taken in one call of a function, where the call's arguments decide it.

Only plain tests are decided: `[ "$2" -gt 1 ]`, `[[ -n $1 ]]`, `case "$1" in`.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Callable
from typing import TYPE_CHECKING

from cfglint.commands.variables import Reach, Variables
from cfglint.model.fragment import Fragment
from cfglint.model.values import Literal, Variable, literal, parse_int
from cfglint.syntax.shell_split import split

if TYPE_CHECKING:
    from cfglint.syntax.shell import Command, Context
    from cfglint.syntax.shell_words import ShellWord

_NUMBERS: dict[str, Callable[[int, int], bool]] = {
    "-eq": int.__eq__, "-ne": int.__ne__, "-gt": int.__gt__, "-ge": int.__ge__,
    "-lt": int.__lt__, "-le": int.__le__,
}  # fmt: skip


def reached(command: Command, variables: Variables) -> bool:
    """Whether nothing shows that a command is not reached with these variables."""
    for context in command.context.chain():
        if context.kind == "function":
            break
        if context.kind == "branch" and not _may_be_taken(command, context, variables):
            return False
        if context.kind == "after":
            test, _, sign = context.condition.rpartition(" ")
            if sign in ("&&", "||") and _holds(command, context, test, variables) is (sign == "||"):
                return False
    return True


def _may_be_taken(command: Command, context: Context, variables: Variables) -> bool:
    patterns = command.script.patterns.get(context.group)
    if patterns is None:
        verdict = _holds(command, context, context.condition, variables)
        return verdict is None or verdict is (context.branch == 0)
    words = split(Fragment("", context.condition), command.script.document)
    text = _text(words[0], command, context, variables) if words and len(words) == 1 else None
    if text is None or any("$" in p or "`" in p for p in patterns[: context.branch + 1]):
        return True
    taken = next((i for i, pattern in enumerate(patterns) if _matches(text, pattern)), None)
    return taken == context.branch


def _matches(text: str, pattern: str) -> bool:
    each = (one.strip().strip("'\"") for one in pattern.lstrip("(").split("|"))
    return any(fnmatch.fnmatchcase(text, one) for one in each)


def _holds(command: Command, context: Context, test: str, variables: Variables) -> bool | None:
    """What a test comes to, None where it is not plain or not known."""
    words = split(Fragment("", test.strip()), command.script.document)
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
        text = _text(inner[1], command, context, variables)
        verdict = None if text is None else (text == "") is (plain[0] == "-z")
    elif len(inner) == 3:
        one, other = (_text(inner[i], command, context, variables) for i in (0, 2))
        if one is None or other is None:
            return None
        if plain[1] in ("=", "==", "!="):
            if first == "[[" and any(sign in plain[2] for sign in "*?["):
                return None
            verdict = (one == other) is (plain[1] != "!=")
        elif plain[1] in _NUMBERS:
            a, b = parse_int(one), parse_int(other)
            verdict = _NUMBERS[plain[1]](a, b) if a is not None and b is not None else None
    return None if verdict is None else verdict is wanted


def _text(word: ShellWord, command: Command, context: Context, variables: Variables) -> str | None:
    """The text of a word of a test, None where it is not known."""
    outside = context.parent or context
    given = variables.arguments(command.start, outside)
    text = ""
    for part in Reach(variables, command.start, outside).word(word).parts:
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
