"""What a shell variable holds at some place of a script, and which variables a command inherits."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache

from cfglint.commands.lookup import Lookup
from cfglint.commands.splitting import braced
from cfglint.model.edit import Edit, Fixed
from cfglint.model.launch import Setting
from cfglint.model.values import Alternatives, Literal, Unknown, Value, Variable
from cfglint.record import replace
from cfglint.syntax.shell import Assignment, Context, Script
from cfglint.syntax.shell_words import Part, ShellWord, combined
from cfglint.syntax.shell_write import AssignmentPlace
from cfglint.text import Span

_UNSET_TEST = re.compile(r"-z\s+\"?\$\{?(\w+)|!\s+-v\s+(\w+)|-z\s+\"?\$\{(\w+)[:+-]")


_LONG_CHAIN = 12  # from here on values are read in the order of the text
_MAX_CHAIN = 40  # a chain of variables longer than this is not followed


class Reach(Lookup):
    """The variables of a script at one place of it."""

    def __init__(self, variables: Variables, at: int, context: Context) -> None:
        super().__init__(variables.outer)
        self.variables = variables
        self.at = at
        self.context = context

    def __call__(self, name: str) -> Setting | None:
        return self.variables.holds(name, self.at, self.context)

    def words(self, word: ShellWord) -> list[ShellWord]:
        if word.literal is not None:
            return [word]
        array = None
        if word.shell and len(word.parts) == 1 and "[" in (raw := word.raw) and "$" in raw:
            array = re.fullmatch(r'"?\$\{(\w+)\[[@*]\]\}"?', raw)
        if array:
            items = self.variables.array(array[1], self.at, self.context)
            if items is not None:
                return items
        value = word.parts[0].value if len(word.parts) == 1 else None
        if isinstance(value, Variable) and value.name in ("@", "*") and word.shell:
            given = self.variables.arguments(self.at, self.context)
            if given is not None:
                return given
        return super().words(word)


class Variables:
    """The assignments of a script, and what they mean for a place in it."""

    def __init__(
        self,
        script: Script,
        outer: Mapping[str, Setting],
        by_name: dict[str, list[Assignment]] | None = None,
    ) -> None:
        self.script = script
        self.outer = outer
        self.by_name: dict[str, list[Assignment]] = (
            defaultdict(list) if by_name is None else by_name
        )
        if by_name is None:
            for assignment in sorted(script.assignments, key=lambda assignment: assignment.start):
                self.by_name[assignment.name].append(assignment)
        # What stands in the text; `by_name` may say it as calls of functions do.
        self.written: Mapping[str, list[Assignment]] = self.by_name
        self._values: dict[int, Setting] = {}
        self._depth = 0
        self._relations: dict[tuple[int, int], str] = {}

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of all variables that are set, here or around (not all reach every place)."""
        around = getattr(self.outer, "mentioned", None)
        return tuple(dict.fromkeys([*(self.outer if around is None else around()), *self.by_name]))

    @cached_property
    def _written_names(self) -> tuple[str, ...]:
        return tuple(self.written)

    def may_hold(self, name: str) -> bool:
        """Whether anything sets a variable, here or around."""
        return name in self.by_name or name in self.outer

    def named(self, wanted: Callable[[str], bool]) -> tuple[str, ...]:
        """Those of the names that a test lets through."""
        return _chosen(self.names, wanted)

    def setting(self, assignment: Assignment) -> Setting:
        """What one assignment gives its variable."""
        if assignment.setting is not None:
            return assignment.setting
        found = self._values.get(id(assignment))
        if found is None:
            if self._depth > _MAX_CHAIN:
                return self._unread(assignment)
            self._depth += 1
            if self._depth > _LONG_CHAIN:
                self._read_in_order(assignment)
            found = self._values[id(assignment)] = self._read(assignment)
            self._depth -= 1
        return found

    def arguments(self, at: int, context: Context) -> list[ShellWord] | None:
        """What `$@` is at an index of the text, None where it is not known."""
        return None

    def _read_in_order(self, last: Assignment) -> None:
        """Read a variable's earlier values first: `X="$X more"` may stand there often."""
        for assignment in self.by_name[last.name]:
            if assignment is last:
                break
            if id(assignment) not in self._values and assignment.setting is None:
                self._values[id(assignment)] = self._read(assignment)

    def _unread(self, assignment: Assignment) -> Setting:
        """An assignment behind a chain of others too long to follow."""
        span = self.script.fragment.span(assignment.start, assignment.end)
        return Setting(
            assignment.name, Unknown(f"${assignment.name}"), self.script.document, span,
            assignment.name, None, None, "shell", Fixed("it is put together from many others"),
        )  # fmt: skip

    def _read(self, assignment: Assignment) -> Setting:
        script, fragment = self.script, self.script.fragment
        span = fragment.span(assignment.start, assignment.end)
        key_span = fragment.span(assignment.start, assignment.start + len(assignment.name))
        word = assignment.word
        if word is None:
            value: Value = Unknown(f"${assignment.name}")
            if assignment.how == "for":
                value = self._loop_values(assignment)
            return Setting(
                assignment.name, value, script.document, span, assignment.name, key_span,
                None, "shell", Fixed("it is set elsewhere"),
            )  # fmt: skip
        # The value cannot see itself: `X=${X:-1}` reads what was there before.
        reach = Reach(self, assignment.start, assignment.context)
        resolved = reach.word(word)
        value = combined(resolved.parts, word.raw)
        if assignment.append:
            before = self.holds(assignment.name, assignment.start, assignment.context)
            value = _joined(before.value if before else None, value, word.raw)
            return Setting(
                assignment.name, value, script.document, word.span, assignment.name, key_span,
                None, "shell", Fixed("it is put together from pieces"),
            )  # fmt: skip
        return Setting(
            assignment.name, value, script.document, word.span if word.parts else span,
            assignment.name, key_span, None, "shell",
            AssignmentPlace(resolved, assignment.start, assignment.end, assignment.name),
        )  # fmt: skip

    def _loop_values(self, assignment: Assignment) -> Value:
        loop = assignment.context
        assert loop.parent is not None
        reach = Reach(self, assignment.start, loop.parent)
        texts: list[Value] = []
        for word in (each for given in loop.values for each in reach.words(given)):
            value = combined(word.parts, word.raw)
            plain = isinstance(value, Literal) and not any(part.quote for part in word.parts)
            items = braced(value.text) if plain and isinstance(value, Literal) else None
            if not isinstance(value, Literal) or (plain and items is None):
                return Unknown(f"${assignment.name}")
            if items is not None and any(part.known for part in word.parts):
                items = [each for item in items for each in item.split()]  # what make puts in
            texts += [value] if items is None else map(Literal, items)
        if not texts:
            return Unknown(f"${assignment.name}")
        return Alternatives(tuple(texts)) if len(texts) > 1 else texts[0]

    def holds(self, name: str, at: int, context: Context) -> Setting | None:
        """The variable's value at an index of the text; None where nothing sets it."""
        found = self._held(name, at, context)
        if found is None or context.parent is None or not isinstance(found.value, Literal):
            return found
        if all(name not in around.condition for around in context.chain()):
            return found
        from cfglint.commands.conditions import led_elsewhere

        if not led_elsewhere(name, at, context, self):
            return found
        # It is a place for people who change the line above.
        return replace(found, value=Variable(name), place=Fixed("here it is another value"))

    def _held(self, name: str, at: int, context: Context) -> Setting | None:
        options: list[Setting] = []
        turns: list[Setting] = []  # what the last turn of a loop has left
        covered: dict[int, set[int]] = {}
        assignments = self.by_name.get(name, ())
        before = bisect_left(assignments, at, key=lambda assignment: assignment.start)
        if before < len(assignments) and context.inside("loop") is not None:
            later = (a for a in assignments[before:] if a.start > at)
            turns += [self._unread(a) for a in later if a.context.shares_loop(context)][:1]
        for index in range(before - 1, -1, -1):
            assignment = assignments[index]
            if assignment.how == "export" and not assignment.gives_value:
                continue
            if assignment.how == "prefix":
                continue
            relation = self._relation(assignment, context)
            if relation == "apart":
                continue
            if assignment.how == "unset":
                if relation == "sure":
                    return _alternatives(options)
                continue
            found = self.setting(assignment)
            if relation == "sure":
                if turns and not assignment.context.shares_loop(context):
                    options += turns
                return _alternatives([*options, found])
            branch = assignment.context.inside("branch")
            group = branch.group if branch else 0
            if branch and (branch.parent or branch).relation(context) == "sure":
                if group not in covered or branch.branch not in covered[group]:
                    options.append(found)
                seen = covered.setdefault(group, set())
                seen.add(branch.branch)
                if branch.exhaustive and self._all_branches(group, seen):
                    return _alternatives(options)
                test = _UNSET_TEST.search(branch.condition)
                if test and name in test.groups() and branch.branch == 0:
                    return self._default(name, found, at, assignment, context)
            elif _tests_unset(assignment.context, name):
                return self._default(name, found, at, assignment, context)
            else:
                options.append(found)
        options += turns
        outer = self.outer.get(name)
        if not options:
            return outer
        if outer is None:
            last = options[-1]
            outer = replace(last, value=Variable(name), place=Fixed(""))
        return _alternatives([*options, outer])

    def _default(
        self, name: str, found: Setting, at: int, assignment: Assignment, context: Context
    ) -> Setting:
        """`[ -z "$X" ] && X=1`: what was there before, else 1."""
        before = self.holds(name, assignment.start, context)
        if before is not None and isinstance(before.value, Literal) and before.value.text:
            return before
        return replace(found, value=Variable(name, found.value, ":-"))

    def _all_branches(self, group: int, seen: set[int]) -> bool:
        left = {branch for g, branch in self.script.exits if g == group}
        return len(seen | left) >= self.script.branches.get(group, 1 << 30)

    def array(self, name: str, at: int, context: Context) -> list[ShellWord] | None:
        """The words of an array that one assignment gives, None where they are not known."""
        assignments = [
            a
            for a in self.by_name.get(name, ())
            if a.start < at and self._relation(a, context) != "apart"
        ]
        if not assignments:
            return None
        items: list[ShellWord] = []
        for assignment in assignments:
            words = self.script.array(assignment)
            sure = self._relation(assignment, context) == "sure"
            if words is None or not sure:
                # More words, or others, that nothing here tells: one that hides them.
                gap = self.script.word_at(assignment.start, assignment.end)
                part = Part(Unknown(gap.raw), gap.start, gap.end)
                hidden = [gap.of((part,), gap.start, gap.end)]
                items = items + hidden if assignment.append or not sure else hidden
                continue
            reach = Reach(self, assignment.start, assignment.context)
            resolved = [piece for word in words for piece in reach.words(word)]
            items = items + resolved if assignment.append else resolved
        return items

    def exported(self, at: int, context: Context) -> Mapping[str, Setting]:
        """The variables that a command at an index of the text inherits."""
        from cfglint.commands.environment import Environment

        return Environment(self, at, context)

    def is_exported(self, name: str, at: int, context: Context) -> bool:
        """Whether a command at an index of the text inherits a variable, where it is set."""
        if name in self.outer:
            return True
        if self.script.allexport is not None and self.script.allexport < at:
            return name in self.by_name
        for assignment in self.by_name.get(name, ()):
            if assignment.start >= at:
                break
            if assignment.how == "export" and self._relation(assignment, context) != "apart":
                return True
        return False

    def _relation(self, assignment: Assignment, context: Context) -> str:
        assigned = assignment.context
        if assigned.kind == "file":
            return "sure"
        key = (id(assigned), id(context))
        found = self._relations.get(key)
        if found is None:
            found = self._relations[key] = assigned.relation(context)
        return found

    def unexported(
        self, at: int, context: Context, wanted: Callable[[str], bool]
    ) -> list[tuple[Setting, Edit | None]]:
        """Variables of wanted names, set before an index of the text, that only the shell itself
        has and makes no use of; with the edit that exports each."""
        found: list[tuple[Setting, Edit | None]] = []
        text = self.script.fragment.text
        for name in _chosen(self._written_names, wanted):
            assignments = self.written[name]
            last = next((a for a in reversed(assignments) if a.start < at), None)
            if last is None or not last.gives_value or self.is_exported(name, at, context):
                continue
            if any(a.how != "plain" for a in assignments) or self.script.mentions(name):
                continue
            if last.setting is not None:  # in a file that the script sources
                found.append((last.setting, _exported(last.setting)))
                continue
            if last.word is None:
                continue
            line = max(text.rfind("\n", 0, last.start), text.rfind("\r", 0, last.start)) + 1
            alone = not text[line : last.start].strip()
            edit = self.script.fragment.edit(last.start, last.start, "export ") if alone else None
            found.append((self.setting(last), edit))
        return found


@lru_cache(maxsize=64)
def _chosen(names: tuple[str, ...], wanted: Callable[[str], bool]) -> tuple[str, ...]:
    """Asked of each launch of a script, with the same names and by the same few rules."""
    return tuple(filter(wanted, names))


def _exported(setting: Setting) -> Edit | None:
    """The edit that exports a variable in the script that sets it."""
    if setting.document.kind != "script" or setting.key_span is None:
        return None  # others may read the file, and not as a shell does
    start = setting.key_span.start
    line = setting.document.source.line_of(start).start
    if setting.document.source.text[line:start].strip():
        return None
    return Edit(setting.document.path, Span(start, start), "export ")


def _joined(before: Value | None, value: Value, raw: str) -> Value:
    if isinstance(before, Literal) and isinstance(value, Literal):
        return Literal(before.text + value.text)
    return Unknown(raw)


def _alternatives(options: list[Setting]) -> Setting | None:
    if len(options) < 2:
        return options[0] if options else None
    values: list[Value] = []
    for option in options:
        value = option.value
        values += value.options if isinstance(value, Alternatives) else (value,)
    distinct = tuple(dict.fromkeys(values))
    if len(distinct) == 1:
        return options[0]
    branches = tuple(each for option in options for each in option.each())
    return replace(
        options[0], value=Alternatives(distinct), place=Fixed("several branches set it"),
        branches=branches,
    )  # fmt: skip


def _tests_unset(context: Context, name: str) -> bool:
    """Whether a command runs only when the variable is not set (`[ -z "$X" ] && ...`)."""
    if context.kind != "after" or not context.condition.endswith("&&"):
        return False
    match = _UNSET_TEST.search(context.condition)
    return bool(match and name in match.groups())
