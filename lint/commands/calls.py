"""Functions and scripts that are called with arguments: what `$1` is in one call of them.

A function's body is one launch for each call. What a call does not show (an argument behind `"$@"`,
what `shift` in a loop leaves) stays unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from cfglint.commands.build import setting
from cfglint.commands.flow import certain, exclusive
from cfglint.commands.options import is_opaque
from cfglint.commands.variables import Reach, Variables
from cfglint.launch import Setting
from cfglint.record import replace
from cfglint.syntax.shell import Assignment, Command, Context, Script, piece
from cfglint.syntax.shell_words import Part, ShellWord

_MAX_CALLS = 32  # a function that is called more often is read once, its arguments unknown
_MAX_DEPTH = 4  # functions that call functions

Call = tuple[Variables, tuple[Command, ...]]


class Called(Variables):
    """The variables of a function's body (of a whole script: `body` None) in one call of it."""

    def __init__(
        self,
        script: Script,
        outer: Mapping[str, Setting],
        arguments: Sequence[ShellWord],
        body: Context | None = None,
        caller: Variables | None = None,
        call: Command | None = None,
    ) -> None:
        super().__init__(script, outer)
        self.words = list(arguments)
        self.body = body
        self.caller = caller
        self.call = call
        if body is not None:
            own: dict[str, list[Assignment]] = {}
            for name, assignments in self.by_name.items():
                inside = [a for a in assignments if body in a.context.chain()]
                if inside:
                    own[name] = inside
            self.by_name.clear()
            self.by_name.update(own)
        inside_body = [c for c in script.commands if body is None or body in c.context.chain()]
        self._shifts = [c for c in inside_body if c.name in ("shift", "set")]
        self._places: dict[int, Setting] = {}

    def arguments(self, at: int, context: Context) -> list[ShellWord] | None:
        """The arguments that are left at an index of the text, None where that is not known."""
        own = context.inside("function")
        if own is not self.body:
            return None
        left = self.words
        for command in self._shifts:
            first = command.words[1].text if command.words[1:2] else "1"
            if command.name == "set" and (first or "$")[0] in "-+" and first not in ("-", "--"):
                continue  # `set -e` leaves the arguments alone
            loop = command.context.inside("loop")
            again = loop is not None and loop in context.chain()
            if exclusive(command.context, context) or (command.start >= at and not again):
                continue
            count = int(first) if first and first.isdigit() else None
            if again or command.name == "set" or count is None:
                return None
            if not certain(command.context, context):
                return None
            left = left[count:]
        return left

    def holds(self, name: str, at: int, context: Context) -> Setting | None:
        if not name.isdigit():
            return super().holds(name, at, context)
        words = self.arguments(at, context)
        number = int(name)
        if words is None or not 0 < number <= len(words):
            return None
        word = words[number - 1]
        if any(is_opaque(each) for each in words[:number]):
            return None  # it may be several, or none
        found = self._places.get(id(word))
        if found is None:
            found = setting(name, word, f"${name}", None, "shell")
            found = self._places[id(word)] = replace(found, used_at=None)
        return found

    def array(self, name: str, at: int, context: Context) -> list[ShellWord] | None:
        if self.caller is None or self.call is None or name in self.by_name:
            return super().array(name, at, context)
        return self.caller.array(name, self.call.start, self.call.context)

    def is_exported(self, name: str, at: int, context: Context) -> bool:
        if self.caller is None or self.call is None:
            return super().is_exported(name, at, context)
        for assignment in self.by_name.get(name, ()):
            if assignment.how == "export" and assignment.start < at:
                return True
        if any(a.name == name for a in self.call.assignments):
            return True
        return self.caller.is_exported(name, self.call.start, self.call.context)


class _Seen(Mapping[str, Setting]):
    """The variables that a function sees when it is called, those in front of the call included."""

    def __init__(self, caller: Variables, call: Command) -> None:
        self._caller = caller
        self._call = call
        self._own = {a.name: caller.setting(a) for a in call.assignments}

    def _get(self, name: str) -> Setting | None:
        return self._own.get(name) or self._caller.holds(name, self._call.start, self._call.context)

    def __getitem__(self, name: str) -> Setting:
        found = None if name.isdigit() else self._get(name)
        if found is None:
            raise KeyError(name)
        return found

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and not name.isdigit() and self._get(name) is not None

    def mentioned(self) -> Iterable[str]:
        """The names that are set anywhere; not all need to reach this call."""
        return dict.fromkeys([*self._own, *self._caller.names])

    def __iter__(self) -> Iterator[str]:
        return (name for name in self.mentioned() if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)


class Calls:
    """The calls of a script's functions."""

    def __init__(self, script: Script, variables: Variables) -> None:
        self.script = script
        self.variables = variables
        self._by_name: dict[str, list[Command]] = {}
        self._made: dict[tuple[int, ...], list[Call]] = {}
        for command in script.commands if script.functions else ():
            if command.name in script.functions:
                self._by_name.setdefault(command.name, []).append(command)

    def of(self, context: Context) -> list[Call]:
        """The variables and surrounding calls, innermost first, of each time that what stands in a
        context runs; once, with the script's own variables, where nothing calls it."""
        body = context.inside("function")
        return self._of(body, ()) if body is not None else [(self.variables, ())]

    def _of(self, body: Context, around: tuple[int, ...]) -> list[Call]:
        key = (id(body), *around)
        if key not in self._made:
            found = self._calls(body, key)
            self._made[key] = found or [(self.variables, ())]
        return self._made[key]

    def _calls(self, body: Context, around: tuple[int, ...]) -> list[Call]:
        if body.parent is not None and body.parent.inside("function") is not None:
            return []  # a function inside another one
        found: list[Call] = []
        for call in self._by_name.get(body.name, ()):
            outer = call.context.inside("function")
            if outer is None:
                callers: list[Call] = [(self.variables, ())]
            elif id(outer) in around or len(around) > _MAX_DEPTH:
                continue
            else:
                callers = self._of(outer, around)
            for variables, flow in callers:
                if len(found) == _MAX_CALLS:
                    return []
                words = _arguments(call, variables)
                seen = _Seen(variables, call)
                bound = Called(self.script, seen, words, body, variables, call)
                found.append((bound, (call, *flow)))
        return found


def _arguments(call: Command, variables: Variables) -> list[ShellWord]:
    """The words behind the function's name, expanded, as a text of their own.

    Nothing may reach from the body's words over to those of a call.
    """
    fragment = piece(call.script.fragment, call.start, call.end)
    reach = Reach(variables, call.start, call.context)
    words = [word for given in call.words[1:] for word in reach.words(given)]

    def moved(part: Part) -> Part:
        low, high = part.run
        run = (low - call.start, high - call.start) if high else part.run
        start, end = part.start - call.start, part.end - call.start
        return replace(part, start=start, end=end, run=run)

    return [
        replace(
            word, fragment=fragment, parts=tuple(map(moved, word.parts)),
            start=word.start - call.start, end=word.end - call.start,
        )
        if word.fragment is call.script.fragment and call.start <= word.start < call.end
        else word
        for word in words
    ]  # fmt: skip
