"""What a container is told to start that only a shell could: assignments in front of the program, a
shell's own commands, and operators between the items of a list."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence

from cfglint.commands.scope import Scope
from cfglint.commands.wrapping import env_assignment
from cfglint.model.edit import Edit
from cfglint.model.readings import Unshelled
from cfglint.patterns import lazy
from cfglint.syntax.shell_words import ShellWord
from cfglint.text import Span

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

Changed = tuple[Sequence[ShellWord], Scope]


def take(
    words: Sequence[ShellWord],
    scope: Scope,
    without_cd: Callable[[Sequence[ShellWord]], list[Edit] | None] | None = None,
) -> Changed:
    """Note where the words that a container starts need a shell. What is left has no assignments in
    front: the scope has their variables. `without_cd` makes the edits that save a `cd`."""
    if not words:
        return words, scope
    joining = next((word for word in words[1:] if word.text in _JOINING), None)
    count = 0
    while words[count : count + 1] and _ASSIGNMENT.match(words[count].prefix()):
        count += 1
    first, behind = words[0], words[1:2]
    if joining is not None and joining.fragment.item is not None:
        _note(joining, Unshelled("operator", joining.text or "", joining.span, _joined(words)))
    elif count and words[count : count + 1] and _PROGRAM.match(words[count].text or ""):
        span = first.span
        if words[count - 1].fragment is first.fragment:
            span = Span(span.start, words[count - 1].span.end)
        _note(first, Unshelled("assignment", first.raw, span, _with_env(first)))
        given = [env_assignment(word) for word in words[:count]]
        return words[count:], scope.with_env({g.name: g for g in given if g is not None})
    elif first.text in _BUILTINS and behind and _BUILTINS[first.text].match(behind[0].raw):
        edits = without_cd(words) if without_cd is not None and first.text == "cd" else None
        _note(first, Unshelled("builtin", first.text, first.span, edits))
    return words, scope


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
