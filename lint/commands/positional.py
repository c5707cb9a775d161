"""The positional parameters of a shell text: `set -- a b` gives them, `shift` takes them away."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cfglint.commands.options import is_opaque
from cfglint.model.flow import exclusive
from cfglint.syntax.shell import Command, Context
from cfglint.syntax.shell_words import ShellWord

Words = list[ShellWord]


def given(command: Command) -> Sequence[ShellWord] | None:
    """What a `set` makes of them, None where it leaves them alone (`set -e`)."""
    words = command.words[1:]
    at = 0
    while at < len(words):
        text = words[at].text or words[at].prefix()
        if text == "--":
            return words[at + 1 :]
        if text[:1] not in ("-", "+"):
            return words[at:]
        if text == "-":
            return words[at + 1 :] or None
        at += 2 if text.endswith("o") else 1
    return None


def left(
    first: Words | None,
    changes: Sequence[Command],
    at: int,
    context: Context,
    expanded: Callable[[Command], Words],
) -> Words | None:
    """What is left at an index of the text of those a script or function starts with (None: not
    known), behind the `set` and `shift` commands of it; None where that is not known."""
    base = None
    for command in changes:
        if command.start < at and command.name == "set" and given(command) is not None:
            base = command if command.context.relation(context) == "sure" else base
    words = expanded(base) if base is not None else first
    for command in changes:
        if base is not None and command.start <= base.start:
            continue
        if exclusive(command.context, context) or (
            command.name == "set" and given(command) is None
        ):
            continue
        relation = command.context.relation(context)
        loop = command.context.inside("loop")
        again = (
            loop is not None
            and loop in context.chain()
            and (base is None or loop not in base.context.chain())
        )
        if relation == "apart" or (command.start >= at and not again):
            continue
        text = command.words[1].text if command.words[1:2] else "1"
        count = int(text) if text and text.isdigit() else None
        if words is None or again or command.name == "set" or count is None or relation != "sure":
            return None
        if any(map(is_opaque, words[:count])):
            return None  # it may be several, or none
        words = words[count:]
    return words
