"""Functions and scripts that are called with arguments: what `$1` is in one call of them.

A function's body is one launch for each call, and what it leaves its caller's variables at is set
where it is called. What a call does not show (an argument behind `"$@"`, what `shift` in a loop
leaves) stays unknown.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import takewhile

from cfglint.commands.build import setting
from cfglint.commands.conditions import reached
from cfglint.commands.options import is_opaque
from cfglint.commands.positional import given, left
from cfglint.commands.variables import Reach, Variables
from cfglint.model.edit import Fixed
from cfglint.model.launch import Setting
from cfglint.model.values import Literal, Unknown
from cfglint.record import replace
from cfglint.syntax.shell import Assignment, Command, Context, Script, piece
from cfglint.syntax.shell_words import Part, ShellWord

_MAX_CALLS = 32  # a function that is called more often is read once, its arguments unknown
_MAX_DEPTH = 4  # functions that call functions
_MAX_LEFT = 2000  # variables that calls leave; a script with more is read without them
_MAX_CHAIN = 12  # calls whose variables come from earlier calls

Call = tuple[Variables, tuple[Command, ...]]
Table = Mapping[str, list[Assignment]]


class Called(Variables):
    """The variables of a function's body (of a whole script: `body` None) in one call of it."""

    def __init__(
        self,
        script: Script,
        outer: Mapping[str, Setting],
        arguments: Sequence[ShellWord] | None,
        body: Context | None = None,
        caller: Variables | None = None,
        call: Command | None = None,
        by_name: dict[str, list[Assignment]] | None = None,
    ) -> None:
        super().__init__(script, outer, by_name)
        self.words = list(arguments) if arguments is not None else None
        self.body = body
        self.caller = caller
        self.call = call
        self._places: dict[int, Setting] = {}
        self._sets: dict[int, list[ShellWord]] = {}

    @cached_property
    def _changes(self) -> list[Command]:
        """The commands that change the arguments, in the order of the text."""
        changes = (c for c in self.script.commands if c.name in ("shift", "set"))
        return [c for c in changes if c.context.inside("function") is self.body]

    def arguments(self, at: int, context: Context) -> list[ShellWord] | None:
        """The arguments that are left at an index of the text, None where that is not known."""
        if context.inside("function") is not self.body:
            return None
        return left(self.words, self._changes, at, context, self._given)

    def _given(self, command: Command) -> list[ShellWord]:
        """The arguments that a `set` gives."""
        found = self._sets.get(id(command))
        if found is None:
            reach = Reach(self, command.start, command.context)
            words = given(command) or ()
            found = self._sets[id(command)] = [w for word in words for w in reach.words(word)]
        return found

    def holds(self, name: str, at: int, context: Context) -> Setting | None:
        if not name.isdigit():
            return super().holds(name, at, context)
        words = self.arguments(at, context)
        number = int(name)
        if not words or not number or any(is_opaque(each) for each in words[:number]):
            return None  # nothing known, or what may be several words, or none
        word = words[min(number, len(words)) - 1]
        if number > len(words):
            if self._is_conditional(context):
                return None  # maybe where a test of `$#` leads to
            return Setting(
                name, Literal(""), word.document, word.span, f"${name}", None, None, "shell",
                Fixed("no argument gives it"),
            )  # fmt: skip
        found = self._places.get(id(word))
        if found is None:
            found = setting(name, word, f"${name}", None, "shell")
            found = self._places[id(word)] = replace(found, used_at=None)
        return found

    def _is_conditional(self, context: Context) -> bool:
        """Whether what stands in a context of the body runs only sometimes."""
        within = takewhile(lambda each: each is not self.body, context.chain())
        return any(each.kind in ("branch", "loop", "after") for each in within)

    def array(self, name: str, at: int, context: Context) -> list[ShellWord] | None:
        if self.caller is None or self.call is None or name in self.by_name:
            return super().array(name, at, context)
        return self.caller.array(name, self.call.start, self.call.context)

    def may_hold(self, name: str) -> bool:
        if self.caller is None or self.call is None:
            return super().may_hold(name)
        given = name in self.by_name or any(a.name == name for a in self.call.assignments)
        return given or self.caller.may_hold(name)

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

    def __iter__(self) -> Iterator[str]:
        return (name for name in self.mentioned() if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def mentioned(self) -> list[str]:
        """The names of all variables that are set for it or may be."""
        return [*self._own, *self._caller.names]


class _Left(Assignment):
    """What a call of a function leaves one of its caller's variables at."""

    __slots__ = ("_calls", "_found", "body", "call")

    def __init__(self, name: str, call: Command, body: Context, how: str, calls: Calls) -> None:
        self._found: Setting | None = None
        self._calls = calls
        self.call = call
        self.body = body
        super().__init__(name, None, call.end, call.end, call.context, how)

    @property
    def setting(self) -> Setting:
        if self._found is None:
            self._found = self._calls.left(self)
        return self._found

    @setting.setter
    def setting(self, value: Setting | None) -> None:
        self._found = value


class Calls:
    """The calls of a script's functions."""

    def __init__(self, script: Script, variables: Variables) -> None:
        self.script = script
        self.variables = variables
        self._by_name: dict[str, list[Command]] = {}
        self._made: dict[tuple[int, ...], list[Call]] = {}
        self._depth = 0
        self._own: dict[int, dict[str, list[Assignment]]] = {}
        self._whole: Table = variables.by_name
        for command in script.commands if script.functions else ():
            if command.name in script.functions:
                self._by_name.setdefault(command.name, []).append(command)
        if self._by_name:
            self._leave()

    # -- what calls leave --------------------------------------------------------------------

    def _leave(self) -> None:
        """Say what functions set as their calls do."""
        sets = self._sets()
        count = sum(len(names) * len(self._by_name[f]) for f, names in sets.items())
        if not count or count > _MAX_LEFT:
            return
        whole: dict[str, list[Assignment]] = defaultdict(list)
        for name, assignments in self.variables.by_name.items():
            whole[name] += assignments
        for function, names in sets.items():
            for call in self._by_name[function]:
                body = self.script.functions[function]
                for name, how in names.items():
                    whole[name].append(_Left(name, call, body, how, self))
        table: dict[str, list[Assignment]] = {}
        for name, assignments in whole.items():
            assignments.sort(key=lambda assignment: assignment.start)
            table[name] = [a for a in assignments if self._seen_outside(a)]
        self._whole = whole
        self.variables.by_name = defaultdict(list, table)

    def _sets(self) -> dict[str, dict[str, str]]:
        """The variables that each called function sets outside of itself, and how."""
        found: dict[str, dict[str, str]] = {}
        for assignment in self.script.assignments:
            body = assignment.context.inside("function")
            if body is None or body.name not in self._by_name:
                continue
            if assignment.how in ("plain", "export", "read", "unset"):
                names = found.setdefault(body.name, {})
                if names.get(assignment.name) != "export":
                    names[assignment.name] = "export" if assignment.how == "export" else "plain"
        for _ in range(_MAX_DEPTH):
            for name, calls in self._by_name.items():
                for call in calls:
                    caller = call.context.inside("function")
                    if caller is not None and caller.name in self._by_name and name in found:
                        found.setdefault(caller.name, {}).update(found[name])
        for assignment in self.script.assignments:
            body = assignment.context.inside("function")
            if assignment.how == "local" and body is not None and body.name in found:
                found[body.name].pop(assignment.name, None)
        return found

    def _seen_outside(self, assignment: Assignment) -> bool:
        body = assignment.context.inside("function")
        return body is None or body.name not in self._by_name

    def left(self, one: _Left) -> Setting:
        """What a variable holds when a function has run."""
        span = one.call.span
        unknown = Setting(
            one.name, Unknown(f"${one.name}"), self.script.document, span, one.name, None, None,
            "shell", Fixed("a function sets it"),
        )  # fmt: skip
        callers = self.of(one.call.context)
        if self._depth >= _MAX_CHAIN or len(callers) != 1:
            return unknown
        self._depth += 1
        try:
            bound = self._bound(one.body, one.call, callers[0][0])
            found = bound.holds(one.name, len(self.script.fragment.text) + 1, one.body)
        finally:
            self._depth -= 1
        return unknown if found is None else replace(found, used_at=None)

    # -- what a body sees --------------------------------------------------------------------

    def of(self, context: Context) -> list[Call]:
        """The variables and surrounding calls, innermost first, of each time that what stands in a
        context runs; once, with the script's own variables, where nothing calls it."""
        body = context.inside("function")
        return self._of(body, ()) if body is not None else [(self.variables, ())]

    def reaching(self, command: Command) -> list[Call]:
        """`of` a command, without the calls that do not come to it; by itself where none does."""
        found = self.of(command.context)
        if len(found) == 1 and not found[0][1]:
            return found
        return [one for one in found if reached(command, one[0])] or [(self.variables, ())]

    def _of(self, body: Context, around: tuple[int, ...]) -> list[Call]:
        key = (id(body), *around)
        if key not in self._made:
            found = self._calls(body, key)
            self._made[key] = found or [(self.variables, ())]
        return self._made[key]

    def _calls(self, body: Context, around: tuple[int, ...]) -> list[Call]:
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
                if flow and not reached(call, variables):
                    continue
                if len(found) == _MAX_CALLS:
                    return []
                found.append((self._bound(body, call, variables), (call, *flow)))
        return found

    def _bound(self, body: Context, call: Command, caller: Variables) -> Called:
        words = _arguments(call, caller)
        own = self._inside(body)
        return Called(self.script, _Seen(caller, call), words, body, caller, call, own)

    def _inside(self, body: Context) -> dict[str, list[Assignment]]:
        """The assignments of a function's body by their names."""
        if not self._own:
            for name, assignments in self._whole.items():
                for assignment in assignments:
                    for context in assignment.context.chain():
                        if context.kind == "function":
                            names = self._own.setdefault(id(context), defaultdict(list))
                            names[name].append(assignment)
        return self._own.setdefault(id(body), defaultdict(list))


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
