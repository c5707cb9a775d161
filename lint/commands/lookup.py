"""Expansions filled in by whoever knows the variables."""

from __future__ import annotations

from collections.abc import Mapping

from cfglint.commands import idioms
from cfglint.commands.environment import changed
from cfglint.commands.splitting import pieces, put_in, several
from cfglint.model.launch import Setting
from cfglint.model.values import Literal, Unknown, Value, Variable
from cfglint.syntax.shell_words import Part, ShellWord


def expand(value: Value, found: Setting | None, default: Value | None) -> Value:
    """What a variable reference says once it is known what the variable holds (None: not set)."""
    assert isinstance(value, Variable)
    if found is None or (value.operator and value.name.isdigit() and found.value == Literal("")):
        own = idioms.variable(value.name) if not value.operator else None
        return own or Variable(value.name, default, value.operator)
    holds = found.value
    if value.operator in (":-", ":=", "-", "="):
        if isinstance(holds, Literal):
            if holds.text == "" and value.operator[0] == ":" and default is not None:
                return default
            return holds
        if isinstance(holds, Variable) and holds.default is None and default is not None:
            return Variable(holds.name, default, value.operator)
        return holds
    if value.operator in (":+", "+"):
        if isinstance(holds, Literal) and holds.text and default is not None:
            return default
        return Unknown(f"${{{value.name}{value.operator}...}}")
    return holds


def resolve_part(part: Part, lookup: Lookup) -> Part:
    """A part of a word with its expansion resolved."""
    value = part.value
    if part.known or isinstance(value, Literal):
        return part
    sources: tuple[Setting, ...] = ()
    if isinstance(value, Variable):
        found = lookup(value.name)
        default = value.default
        if isinstance(default, Variable):
            default = resolve_part(Part(default, 0, 0), lookup).value
        elif isinstance(default, Unknown):
            default = _resolve_unknown(default, lookup)
        new = expand(value, found, default)
        if found is not None and (new is found.value or new == found.value):
            sources = (found,)
    elif isinstance(value, Unknown):
        new = _resolve_unknown(value, lookup)
    else:
        new = value
    return Part(new, part.start, part.end, part.quote, part.run, True, sources)


def _resolve_unknown(value: Unknown, lookup: Lookup) -> Value:
    if not value.text.startswith(("$(", "$[", "`")):
        return value

    def name(variable: str) -> Value | None:
        found = lookup(variable)
        return found.value if found is not None else None

    return idioms.computed(value.text, name)


class Lookup:
    """Answers what a variable holds; `None` where nothing is known to set it."""

    def __init__(self, env: Mapping[str, Setting]) -> None:
        self.env = env

    def __call__(self, name: str) -> Setting | None:
        return self.env.get(name)

    def word(self, word: ShellWord) -> ShellWord:
        """The word with its expansions resolved."""
        if word.literal is not None:
            return word
        for part in word.parts:
            if not (part.known or isinstance(part.value, Literal)):
                break
        else:
            return word
        if not word.shell and not word.variables:
            return word
        return word.of(tuple(resolve_part(p, self) for p in word.parts), word.start, word.end)

    def words(self, word: ShellWord) -> list[ShellWord]:
        """The words that a word becomes: an unquoted expansion is split at blanks."""
        if word.literal is not None:
            return [word]
        if len(word.parts) == 1 and word.parts[0].known and word.shell:
            return put_in(word)
        resolved = self.word(word)
        if resolved is word or len(resolved.parts) != 1 or not word.shell:
            return [resolved]
        part = resolved.parts[0]
        if part.quote or not part.sources or isinstance(word.parts[0].value, Literal):
            return [resolved]
        if part.value == Literal(""):
            return []
        assigned = several(part)
        if assigned is None:
            return [resolved]
        found = pieces(assigned)
        name, place = part.sources[0].key, part.sources[0].place
        if changed(self.env, name) and self.env[name].place is place:
            from cfglint.commands.wrapping import shared_word

            return [shared_word(piece) for piece in found]  # one host computed it for all
        return found
