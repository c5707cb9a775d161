"""What a container, or a program like `nohup`, is told to start that only a shell could:
assignments in front of the program, a shell's own commands, operators between items of a list."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from cfglint.commands.scope import Scope
from cfglint.commands.wrapping import env_assignment
from cfglint.model.edit import Edit
from cfglint.model.readings import Unshelled
from cfglint.patterns import lazy
from cfglint.syntax.shell_words import ShellWord
from cfglint.text import Span

if TYPE_CHECKING:
    from cfglint.syntax.shell import Command

# An image's entrypoint may take words with `=`: a launcher behind them says that a shell is meant.
_PROGRAM = lazy(
    r"(?:/\S*/)?(?:torchrun|python[\d.]*|accelerate|deepspeed|llamafactory-cli|lmf|swift|mpirun"
    r"|mpiexec|horovodrun|(?:ba|da|z)?sh|exec|nohup|numactl|uv)$"
)
_ASSIGNMENT = lazy(r"[A-Z_][A-Z0-9_]*=")
_BUILTINS = {
    "cd": lazy(r"[^-=]"),
    "export": lazy(r"[A-Za-z_]\w*="),
    "source": lazy(r".*(?:/|\.sh$|activate$)"),
    ".": lazy(r".*(?:/|\.sh$|activate$)"),
    "ulimit": lazy(r"-"),
    "set": lazy(r"[-+][a-z]+$"),
}
_SHELL = lazy(r"(?:/\S*/)?(?:ba|da|z|a)?sh$")
_JOINING = ("&&", "||")

_VARIABLE = lazy(r"\"?\$\{?\w+(?:\[[@*]\])?\}?\"?$")
# Programs that start the words behind their options, each for itself.
_STARTING = frozenset(
    """
    nohup exec nice ionice setsid stdbuf unbuffer timeout taskset numactl tini dumb-init xvfb-run
    srun mpirun mpiexec xargs singularity apptainer uv poetry pipenv conda mamba micromamba
    """.split()  # noqa: SIM905 (a table)
)

Changed = tuple[Sequence[ShellWord], Scope]
WithoutCd = Callable[[Sequence[ShellWord]], list[Edit] | None]


def take(
    words: Sequence[ShellWord],
    scope: Scope,
    without_cd: WithoutCd | None = None,
    service: str = "",
) -> Changed:
    """Note where the words that a container starts need a shell. What is left has no assignments in
    front: the scope has their variables. `without_cd` makes the edits that save a `cd`; `service`
    is that of Compose whose entrypoint gets the words."""
    if not words:
        return words, scope
    joining = next((word for word in words[1:] if word.text in _JOINING), None)
    if joining is not None and joining.fragment.item is not None:
        _note(joining, Unshelled("operator", joining.text or "", joining.span, _joined(words)))
        return words, scope
    return _take(words, scope, "", without_cd=without_cd, service=service)


def behind(name: str, program: ShellWord, words: Sequence[ShellWord], scope: Scope) -> Changed:
    """The same for the words that a program starts, where it is one that takes them as they are."""
    return _take(words, scope, name, program) if words and name in _STARTING else (words, scope)


def expanded(command: Command, words: Sequence[ShellWord], scope: Scope) -> Changed:
    """The same for a command of a script whose first word, a variable, holds assignments."""
    if not _ASSIGNMENT.match(words[0].prefix()):
        return words, scope
    first = next(iter(command.read()), None)
    count = _assignments(words) if first is not None and _VARIABLE.match(first.raw) else 0
    if first is None or not count:
        return words, scope
    if not any(part.known for part in first.parts):  # else the outer shell has put them there
        _note(first, Unshelled("expanded", first.raw, first.span, _with_env(first), "bash"))
    return words[count:], _given(words[:count], scope)


def _take(
    words: Sequence[ShellWord],
    scope: Scope,
    name: str,
    program: ShellWord | None = None,
    without_cd: WithoutCd | None = None,
    service: str = "",
) -> Changed:
    first, following, count = words[0], words[1:2], _assignments(words)
    if count:
        span = first.span
        if words[count - 1].fragment is first.fragment:
            span = Span(span.start, words[count - 1].span.end)
        edits = _with_env(first) if program is None or _beside(program, first) else None
        _note(first, Unshelled("assignment", first.raw, span, edits, name, service))
        return words[count:], _given(words[:count], scope)
    if first.text in _BUILTINS and following and _BUILTINS[first.text].match(following[0].raw):
        edits = without_cd(words) if without_cd is not None and first.text == "cd" else None
        _note(first, Unshelled("builtin", first.text, first.span, edits, name, service))
    return words, scope


def _beside(program: ShellWord, first: ShellWord) -> bool:
    """Whether a word is written in the program's own command, not in a variable."""
    if program.fragment is not first.fragment:
        return program.fragment.item is not None and first.fragment.item is not None
    between = first.fragment.text[program.end : first.start].replace("\\\n", "")
    return program.end < first.start and "\n" not in between and ";" not in between


def _assignments(words: Sequence[ShellWord]) -> int:
    """How many assignments stand in front of a launcher or the like."""
    count = 0
    while words[count : count + 1] and _ASSIGNMENT.match(words[count].prefix()):
        count += 1
    return count if words[count:] and _PROGRAM.match(words[count].text or "") else 0


def _given(words: Sequence[ShellWord], scope: Scope) -> Scope:
    given = [env_assignment(word) for word in words]
    return scope.with_env({each.name: each for each in given if each is not None})


def _note(word: ShellWord, found: Unshelled) -> None:
    word.document.unshelled[found.span.start] = found


def _with_env(first: ShellWord) -> list[Edit] | None:
    """The edits that put `env` in front of a command."""
    item, text = first.fragment.item, first.fragment.text
    if item is None:
        edit = first.fragment.edit(first.start, first.start, "env ")
        return None if edit is None else [edit]
    edits = [first.fragment.edit(0, len(text), "env"), item.insert_behind([text])]
    return None if None in edits else [edit for edit in edits if edit is not None]


def _joined(words: Sequence[ShellWord]) -> list[Edit] | None:
    """The edits that make a list's items the script of a shell."""
    texts = [word.fragment.text for word in words]
    begin = 2 if _SHELL.match(texts[0]) and texts[1:2] == ["-c"] else 0
    if any(word.fragment.item is None for word in words) or len(words) < 4:
        return None
    if any(word.document is not words[0].document for word in words):
        return None
    if _SHELL.match(texts[0]) and not begin:
        return None
    script = [_quoted(text) for text in texts[begin:]]
    if begin:
        script[0] = texts[2]  # a script already
    new = ("bash", "-c", " ".join(script))
    edits = [
        word.fragment.edit(0, len(word.fragment.text), text)
        for at, (word, text) in enumerate(zip(words, new, strict=False))
        if at >= begin
    ]
    rest = [word.fragment.item for word in words[3:]]
    whole = rest[0].remove(rest[-1]) if rest[0] is not None else None
    edits += [whole] if whole else [item.remove() if item else None for item in rest]
    return None if None in edits else [edit for edit in edits if edit is not None]


def _quoted(text: str) -> str:
    if text in _JOINING or ("$" in text and len(text.split()) == 1):
        return text
    return f'"{text}"' if "$" in text and '"' not in text else shlex.quote(text)
