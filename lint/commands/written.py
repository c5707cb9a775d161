"""Scripts that a script writes by here-documents and then starts: `cat > run.sh <<EOF`.

The body is read as a script of its own, with positions in the outer file. What the writing shell
expands in it is known to it; a file that something else may have changed since is not followed.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence

from cfglint.commands.calls import Calls
from cfglint.commands.environment import Layered
from cfglint.commands.filled import as_file
from cfglint.commands.sbatch import body_start, directives, shape, variables
from cfglint.commands.scope import Scope
from cfglint.commands.variables import Reach, Variables
from cfglint.commands.wrappers import SRUN_VALUES, asked_for
from cfglint.commands.wrapping import (
    PER_NODE,
    Inner,
    frozen,
    handed_over,
    shared_word,
    skip_options,
    submitted_word,
)
from cfglint.model.flow import certain, exclusive
from cfglint.model.fragment import Fragment
from cfglint.model.launch import ConfigRef, Launch, Setting, Written
from cfglint.model.readings import Batch
from cfglint.model.values import Literal, Unknown, Value
from cfglint.record import dataclass, replace
from cfglint.syntax.shell import Command, Context, Script
from cfglint.syntax.shell_nested import Nested
from cfglint.syntax.shell_words import Part, ShellWord
from cfglint.syntax.shell_write import WordPlace

_MOVES = re.compile(
    r"\b(?:cd|pushd|scp|rsync|cp|mv|pdcp|docker|podman|singularity|apptainer|container)\b"
)
_EDITORS = frozenset(
    ("sed", "perl", "awk", "gawk", "ed", "ex", "vim", "envsubst", "patch", "python", "python3",
     "mv", "rm", "truncate", "yq", "jq", "wget", "curl", "tee")
)  # fmt: skip
_SHELLS = ("bash", "sh", "zsh", "dash", "ash")
_SOURCES = ("source", ".")


Bodies = Callable[[ShellWord], "list[ShellWord]"]


@dataclass(slots=True, eq=False)
class _Writing:
    """One here-document that goes into a file."""

    path: str
    command: Command
    body: Nested
    literal: bool
    appends: bool


class _Seen:
    """A here-document with the variables of one time that it is written, and the command, perhaps
    a call, that is in the script's course then."""

    __slots__ = ("context", "end", "names", "of", "start")

    def __init__(self, of: _Writing, names: Variables, when: Command) -> None:
        self.of = of
        self.names = names
        self.start = when.start
        self.end = when.end
        self.context = when.context

    def target(self) -> str:
        """The path of the file."""
        target = _target(self.of.command) if "$" in self.of.path else None
        return self.of.path if target is None else _path(self._reach().word(target[0]))

    def text(self) -> ShellWord:
        """The text as the shell fills it in."""
        command, ranges = self.of.command, self.of.body.ranges
        word = command.script.document_word(ranges[0][0], ranges[-1][1], self.of.literal)
        return word if self.of.literal else self._reach().word(word)

    def _reach(self) -> Reach:
        return Reach(self.names, self.of.command.start, self.of.command.context)


class Files:
    """The files that a script writes by here-documents."""

    def __init__(self, script: Script, calls: Calls | None = None) -> None:
        self.script = script
        self.calls = calls
        self.found = list(_written(script)) if "<<" in script.fragment.text else []
        self._names: dict[str, list[int]] = {}
        self._open: list[int] = []  # those whose path a variable tells
        for number, one in enumerate(self.found):
            self._names.setdefault(posixpath.basename(one.path), []).append(number)
            if "$" in one.path:
                self._open.append(number)

    def named_in(self, text: str) -> bool:
        """Whether a command's text names one of the files."""
        return any(name in text for name in self._names)

    def written(self, path: str) -> Written | None:
        """The file of a path, where one here-document writes it, wherever that is."""
        names = Variables(self.script, {})
        found = [one for one in self.found if self._same(one.path, posixpath.normpath(path))]
        bodies = [_Seen(one, names, one.command).text() for one in found]
        return as_file(bodies, posixpath.basename(path))

    def seen_by(self, places: Sequence[Command], names: Variables, around: Bodies | None) -> Bodies:
        """What a command sees of the files: at its own place, else where it is called from, else
        what the script around this one has written."""

        def bodies(word: ShellWord) -> list[ShellWord]:
            for place in places:
                found = self.bodies(word, place.start, place.context, names)
                if found:
                    return found
            return around(word) if around is not None else []

        return bodies

    def bodies(
        self, word: ShellWord, at: int, context: Context, names: Variables
    ) -> list[ShellWord]:
        """What the file of a path can hold when a command at an index of the text uses it.

        Nothing where no here-document surely writes it, or where it may be another file by then.
        """
        path = _path(word)
        bodies: list[ShellWord] = []
        tail: list[Part] = []
        found = self._writings(posixpath.basename(path), context, names)
        for one in sorted(found, key=lambda w: w.start, reverse=True):
            if one.start >= at or exclusive(one.context, context):
                continue
            target = one.target()
            if not self._same(target, path):
                continue
            if self._changed(posixpath.basename(target), one.end, at):
                return []
            parts = [*one.text().parts, *tail]
            sure = certain(one.context, context)
            if one.of.appends:
                if not sure:
                    return []
                tail = parts
                continue
            fragment, low = self.script.fragment, one.of.body.ranges[0][0]
            bodies.append(ShellWord(fragment, self.script.document, tuple(parts), low, low))
            if sure or one.context.inside("loop"):
                return bodies
        return bodies

    def _writings(self, name: str, context: Context, names: Variables) -> Iterator[_Seen]:
        """Each time that a here-document which may be of that name is written, as a place with its
        variables sees it."""
        here = context.inside("function")
        for number in sorted({*self._names.get(name, ()), *self._open}):
            one = self.found[number]
            body = one.command.context.inside("function")
            if body is None or body is here or self.calls is None:
                around = self.calls.variables if self.calls is not None and not body else names
                yield _Seen(one, around, one.command)
                continue
            for seen, flow in self.calls.of(one.command.context):
                beside = (call for call in flow if call.context.inside("function") is here)
                yield _Seen(one, seen, next(beside, one.command))

    def _same(self, written: str, path: str) -> bool:
        if written == path:
            return True
        longer, shorter = (written, path) if len(written) > len(path) else (path, written)
        if not longer.endswith("/" + shorter):
            return False
        return _MOVES.search(self.script.fragment.text) is not None

    def _changed(self, name: str, since: int, before: int) -> bool:
        """Whether a command may change a file between two indices of the text."""
        for command in self.script.commands:
            if not since < command.start < before:
                continue
            targets = [r.target.raw for r in command.redirects if r.target and ">" in r.sign]
            here = any(r.body is not None for r in command.redirects)
            if any(name in target for target in targets) and not here:
                return True
            if command.name in _EDITORS and name in command.raw and not here:
                return True
        return False


def link(launch: Launch, bodies: Bodies, command: Command) -> None:
    """Tell the configs of a launch that its script writes, those behind a variable among them."""
    link_at(launch, bodies, command.script.fragment, command.start)


def link_at(launch: Launch, bodies: Bodies, fragment: Fragment, at: int) -> None:
    """`link` for a command at an index of a fragment, to whose container files are mounted."""
    for reference in launch.configs:
        if reference.written is None:
            part = Part(Literal(reference.path), at, at)
            word = ShellWord(fragment, launch.document, (part,), at, at)
            reference.written = as_file(bodies(word), posixpath.basename(reference.path))
    before = ""
    for given in launch.argv:
        role = _ROLES.get(before)
        if launch.launcher == "llamafactory" and before in _COMMANDS:
            role = "llamafactory"
        before = given.text or ""
        place = given.place.word if isinstance(given.place, WordPlace) else None
        if role is None or given.text is not None or place is None:
            continue
        file = as_file(bodies(place), _name(given.value, place))
        if file is not None and all(one.written != file for one in launch.configs):
            launch.configs.append(ConfigRef(role, given.raw, given.span, None, True, file))


_ROLES = {
    "--deepspeed": "deepspeed", "--deepspeed_config": "deepspeed",
    "--deepspeed-config": "deepspeed", "--config_file": "accelerate", "--hostfile": "hostfile",
    "--deepspeed_config_file": "deepspeed",
}  # fmt: skip


_COMMANDS = ("train", "sft", "export", "chat", "api", "webchat", "eval")


def _name(value: Value, word: ShellWord) -> str:
    """What a file behind a variable is called, as far as the text tells."""
    text = value.text if isinstance(value, Unknown) else word.raw
    return posixpath.basename(text.strip("'\"")) or "config"


def _written(script: Script) -> Iterator[_Writing]:
    for command in script.commands:
        here = next((r for r in command.redirects if isinstance(r.body, Nested)), None)
        if here is None or not isinstance(here.body, Nested) or not here.body.ranges:
            continue
        target = _target(command)
        if target is not None:
            path = _path(target[0])
            yield _Writing(path, command, here.body, here.literal, target[1])


def _target(command: Command) -> tuple[ShellWord, bool] | None:
    """The file that a command with a here-document writes, and whether it appends to it."""
    words = list(command.words)
    if words and words[0].text == "sudo":
        words = words[1:]
    name = (words[0].text or "").rsplit("/", 1)[-1] if words else ""
    if name == "cat":
        if any(word.text != "-" for word in words[1:]):
            return None
        for redirect in command.redirects:
            if redirect.sign in (">", ">>", ">|") and redirect.target is not None:
                return redirect.target, redirect.sign == ">>"
    if name == "tee":
        operands = [word for word in words[1:] if not word.prefix().startswith("-")]
        appends = any(word.text in ("-a", "--append") for word in words[1:])
        return (operands[0], appends) if len(operands) == 1 else None
    return None


def _path(word: ShellWord) -> str:
    """A path by which two words are compared: its text, or how it is written."""
    text = word.text
    if text is None:
        text = re.sub(r"\$\{(\w+)\}", r"$\1", word.raw).replace('"', "")
    return posixpath.normpath(text) if text else ""


def started(name: str, words: Sequence[ShellWord], scope: Scope) -> list[Inner]:
    """What a command starts that runs a written script; nothing for other commands."""
    given = _operands(name, words)
    if scope.written is None or not given:
        return []
    found = []
    for body in scope.written(given[0]):
        inside = replace(
            scope, document=body.document, arguments=list(given[1:]), label="", env_writer=None,
            written=_others(scope.written, body),
        )  # fmt: skip
        if name == "sbatch":
            inside, body = _submitted(words, inside, body), submitted_word(body)
        elif scope.evaluated == "once" and PER_NODE.intersection(scope.wrappers):
            given = [given[0], *map(shared_word, given[1:])]
            inside = replace(inside, evaluated="node", env=frozen(scope.env), arguments=given[1:])
        found.append(Inner((), inside, body, is_file=True))
    return found


_STDIN = "/dev/stdin"


def submission(
    words: Sequence[ShellWord], body: ShellWord, scope: Scope
) -> tuple[list[ShellWord], Scope]:
    """A command with `sbatch` that is given its batch script on standard input, as the command and
    scope in which a file holds it. A script that the command names comes before its input."""
    at = body.start
    file = ShellWord(body.fragment, body.document, (Part(Literal(_STDIN), at, at),), at, at)
    around = scope.written

    def bodies(word: ShellWord) -> list[ShellWord]:
        if word.text == _STDIN:
            return [body]
        return around(word) if around is not None else []

    return [*words, file], replace(scope, written=bodies)


def _operands(name: str, words: Sequence[ShellWord]) -> Sequence[ShellWord]:
    """The script that a command runs and its arguments."""
    if name == "sbatch":
        return words[_behind_options(words) :]
    if name in _SOURCES:
        return words[1:]
    if name not in _SHELLS:
        return words
    at = 1
    while words[at : at + 1]:
        text = words[at].prefix()
        if text == "-n":
            return ()  # it reads the script and runs nothing
        if text in ("-o", "+o", "-O", "+O"):
            at += 2
        elif text[:1] in ("-", "+") and text != "-":
            at += 1
        else:
            break
    return words[at:]


def _others(written: Bodies, body: ShellWord) -> Bodies:
    """The written files but for one: a script that starts itself again is not read again."""

    def bodies(word: ShellWord) -> list[ShellWord]:
        return [b for b in written(word) if (b.fragment, b.start) != (body.fragment, body.start)]

    return bodies


# Of sbatch alone (`man sbatch`); its --wait takes no value.
_SBATCH_SHORT = "AabcCdDeFGiJLmMnNopqStwx"
_SBATCH_VALUES = SRUN_VALUES - {"--wait"} | frozenset(
    """
    --array --bb --bbf --begin --batch --clusters --core-spec --deadline --delay-boot
    --export-file --gid --gres-flags --hint --licenses --mail-type --mail-user --mcs-label
    --mem-per-cpu --ntasks-per-gpu --open-mode --priority --profile --sockets-per-node --switches
    --thread-spec --threads-per-core --time-min --tmp --uid
    """.split()  # noqa: SIM905 (a table)
)


def _behind_options(words: Sequence[ShellWord]) -> int:
    return skip_options(words, 1, _SBATCH_SHORT, _SBATCH_VALUES)


def _submitted(words: Sequence[ShellWord], scope: Scope, body: ShellWord) -> Scope:
    """The scope of a batch script: its directives, which options of `sbatch` overrule."""
    at = _behind_options(words)
    allocation: dict[str, Setting] = {}
    fragment = body.fragment
    if fragment.offsets is None and body.parts:
        low, high = fragment.offset(body.parts[0].start), fragment.offset(body.parts[-1].end)
        head = low + body_start(body.document.source.text[low:high])
        asked = directives(body.document, low, high)
        is_literal = all(isinstance(part.value, Literal) for part in body.parts)
        body.document.batches[low] = Batch(asked, head, is_literal)
        for found in asked:
            if found.span.start < head and "$" not in (found.text or ""):
                allocation[found.name] = found
    allocation = {**allocation, **asked_for(words[1:at])}
    return scope.inside(
        "sbatch",
        evaluated="once",
        allocation=shape(allocation),
        env=Layered(variables(allocation), handed_over(scope.env)),
    )
