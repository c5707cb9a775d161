"""What commands that start other commands have in common."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from cfglint.commands.build import setting
from cfglint.commands.environment import Changed
from cfglint.commands.options import is_opaque
from cfglint.commands.scope import Scope
from cfglint.model.edit import Edit
from cfglint.model.launch import Setting
from cfglint.model.values import Alternatives, Computed, Literal, Value, Variable
from cfglint.record import dataclass, replace
from cfglint.syntax.shell_words import ShellWord
from cfglint.syntax.shell_write import WordPlace, is_named_again

_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=")


@dataclass(slots=True)
class Inner:
    """What a wrapper starts: words of a command, or a text for another shell, and where it runs."""

    words: Sequence[ShellWord]
    scope: Scope
    script: ShellWord | None = None
    is_file: bool = False  # the text is a file's, to which lines can be added
    unseen: bool = False  # the words name something whose command is not seen (an image)


Reader = Callable[[Sequence[ShellWord], Scope], "Inner | None"]


def env_assignment(
    word: ShellWord, remove: Callable[[], Edit | None] | None = None
) -> Setting | None:
    """The variable that a word `NAME=value` sets; `remove` takes the word out of its command."""
    match = _ASSIGNMENT.match(word.prefix())
    if not match:
        return None
    value = word.cut(match.end())
    found = setting(match[1], value, match[1], word.span, "env")
    if found.used_at is None:
        found.place = VariablePlace(word, value, match[1], remove)
    return found


class VariablePlace(WordPlace):
    """The value of a `NAME=value` that is a word of a command (env, docker run -e)."""

    __slots__ = ("name", "take", "whole")

    def __init__(
        self,
        whole: ShellWord,
        value: ShellWord,
        name: str,
        take: Callable[[], Edit | None] | None = None,
    ) -> None:
        super().__init__(value)
        self.whole = whole
        self.name = name
        self.take = take

    def remove(self) -> Edit | None:
        return self.take() if self.take is not None else None

    def rename(self, name: str) -> Edit | None:
        """The edit that gives the variable another name, None where it is named elsewhere."""
        if is_named_again(self.whole.fragment.text, self.name):
            return None
        start = self.whole.parts[0].start
        return self.whole.fragment.edit(start, start + len(self.name), name)


PER_NODE = frozenset(("srun", "mpirun", "pdsh"))


def frozen(env: Mapping[str, Setting]) -> Mapping[str, Setting]:
    """Variables whose values one host has computed for all nodes."""
    return Changed(env, shared)


# What srun sets for each task; the batch shell has those of its own one task, which are 0.
TASK_VARIABLES = frozenset(("SLURM_NODEID", "SLURM_PROCID", "SLURM_LOCALID"))
_LAUNCH_NODE = "SLURM_LAUNCH_NODE_IPADDR"  # which only tasks have (`man srun`)


def shared(value: Value) -> Value:
    """A value once one host has computed it: no longer another one on each node."""
    if isinstance(value, Computed):
        return replace(value, per_node=False)
    if isinstance(value, Variable) and value.name in TASK_VARIABLES:
        return Computed(f"${value.name}", 0, 0, False, "early-task-id")
    if isinstance(value, Variable) and value.name == _LAUNCH_NODE:
        if value.default is not None:
            return shared(value.default)
        return Computed(f"${value.name}", None, None, False, "early-launch-node")
    return _within(value, shared)


def callers(value: Value) -> Value:
    """A value that the shell computes which calls another machine: its own name is not that of
    the other. What is drawn stays another one in each turn of a loop."""
    if isinstance(value, Computed) and value.idiom.startswith("hostname"):
        return replace(value, per_node=False)
    return _within(value, callers)


def submitted(value: Value) -> Value:
    """A value that the shell computes which hands a job to Slurm: of its own machine, and without
    what the tasks will have."""
    if isinstance(value, Computed) and value.idiom in ("hostname", "hostname-ip"):
        return replace(value, per_node=False, idiom="submit-host")
    if isinstance(value, Variable) and value.name in TASK_VARIABLES:
        return Computed(f"${value.name}", None, None, False, "submitted-task-id")
    return _within(value, submitted) if _may_hold(value) else shared(value)


def _may_hold(value: Value) -> bool:
    """Whether other values stand in a value: a default, or the values of branches."""
    return isinstance(value, Alternatives) or (
        isinstance(value, Variable) and value.default is not None
    )


def _within(value: Value, change: Callable[[Value], Value]) -> Value:
    """A value with what stands in it changed."""
    if isinstance(value, Alternatives):
        return Alternatives(tuple(map(change, value.options)))
    if isinstance(value, Variable) and value.default is not None:
        return Variable(value.name, change(value.default), value.operator)
    return value


def handed_over(env: Mapping[str, Setting]) -> Mapping[str, Setting]:
    """Variables that a job takes along from the shell that submits it."""
    return Changed(env, submitted)


def submitted_word(word: ShellWord) -> ShellWord:
    """A batch script, or a command for one, with what the submitting shell expands in it."""
    return _changed(word, submitted)


def callers_word(word: ShellWord) -> ShellWord:
    """A word of a command for another machine, with what the calling shell expands in it."""
    return _changed(word, callers)


def shared_word(word: ShellWord) -> ShellWord:
    """A word that the batch shell expands before tasks start."""
    return _changed(word, shared) if word.shell else word


def _changed(word: ShellWord, change: Callable[[Value], Value]) -> ShellWord:
    if all(isinstance(part.value, Literal) for part in word.parts):
        return word
    parts = tuple(replace(part, value=change(part.value)) for part in word.parts)
    return word.of(parts, word.start, word.end)


def skip_options(
    words: Sequence[ShellWord],
    at: int,
    with_value: str,
    long_values: frozenset[str] = frozenset(),
    opaque: bool = True,
) -> int:
    """The index behind a wrapper's options. `with_value`: short options that take the next word."""
    while words[at : at + 1]:
        text = words[at].prefix()
        if text == "--":
            return at + 1
        if opaque and is_opaque(words[at]) and words[at + 1 : at + 2]:
            at += 1  # `srun $SRUN_ARGS torchrun`: options, most likely
            continue
        if not text.startswith("-") or text == "-":
            return at
        name = text.split("=")[0]
        if name.startswith("--"):
            at += 2 if name in long_values and "=" not in text else 1
        else:
            # In a cluster the first option with a value has the rest of the word, or the next.
            taking = next((i for i, sign in enumerate(text[1:]) if sign in with_value), -1)
            at += 2 if taking == len(text) - 2 else 1
    return at


def without(before: ShellWord, first: ShellWord, last: ShellWord) -> Edit | None:
    """The edit that takes the words from one to another out of their command, with the blanks that
    lie `before` them; None where they do not stand in one text of a shell."""
    fragment = first.fragment
    if before.fragment is not fragment or last.fragment is not fragment or not first.shell:
        return None
    return fragment.edit(before.end, last.end, "")


def option(words: Sequence[ShellWord], short: str, long: str) -> ShellWord | None:
    """The value of a wrapper's option among its words."""
    found: ShellWord | None = None
    for i, word in enumerate(words):
        prefix = word.prefix()
        if prefix == long or (short and prefix == short):
            found = words[i + 1] if i + 1 < len(words) else None
        elif prefix.startswith(long + "="):
            found = word.cut(len(long) + 1)
        elif short and prefix.startswith(short) and not prefix.startswith("--"):
            found = word.cut(2)
    return found
