"""Items of argument lists that hold several words, which nothing splits."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cfglint.model.edit import Edit
from cfglint.patterns import lazy

if TYPE_CHECKING:
    from cfglint.syntax.shell_words import ShellWord

# A command line that names its program: a file called so, blanks included, is not in any image.
_COMMAND = lazy(
    r"\s*(?:/\S*/)?(?:torchrun|python[\d.]*|accelerate|deepspeed|llamafactory-cli|lmf|swift|mpirun"
    r"|mpiexec|horovodrun|(?:ba|da|z)?sh|env|nohup|numactl|cd|source|export|exec|set|pip3?)\s+\S"
)
_SHELL = lazy(r"(?:/\S*/)?(?:ba|da|z|a)?sh$")
_SCRIPT = lazy(r"(-\w*c)\s+(\S.*)", re.DOTALL)
_QUOTED = lazy(r"'[^']*'|\"[^\"]*\"")
# What only a shell does. `$(NAME)` is what Kubernetes replaces, `${NAME}` what Compose does.
_SHELL_WORK = lazy(r"[;&|<>`*?~]|\$(?!\()|\$\((?!\w+\))|^(?:cd|source|export|set) ")
_FILLED = lazy(r"\$\{[^}\s]*\}")


def unsplit(words: list[ShellWord]) -> ShellWord | None:
    """The word of a list which is started that is more than one: a whole command line in the
    program's place, or a shell's `-c` with its script."""
    if not words:
        return None
    if _COMMAND.match(words[0].fragment.text):
        return words[0]
    if len(words) > 1 and _SHELL.match(words[0].text or ""):
        script = _SCRIPT.fullmatch(words[1].fragment.text)
        return words[1] if script is not None else None
    return None


def split(word: ShellWord) -> list[Edit] | None:
    """The edits that make an item several items, None where it is no item or cannot be split."""
    item, text = word.fragment.item, word.fragment.text
    if item is None or word.start or word.end != len(text):
        return None
    pieces = _split(text, bool(getattr(word.fragment, "interpolates", False)))
    if len(pieces) < 2:
        return None
    first, rest = word.fragment.edit(0, len(text), pieces[0]), item.insert_behind(pieces[1:])
    return None if first is None or rest is None else [first, rest]


def _split(text: str, filled: bool) -> list[str]:
    script = _SCRIPT.fullmatch(text.strip())
    if script is not None:
        return [script[1], script[2]]
    bare = _QUOTED.sub("", text)
    if _SHELL_WORK.search(_FILLED.sub("", bare) if filled else bare):
        return ["bash", "-c", text.strip()]
    import shlex

    try:
        return shlex.split(text)
    except ValueError:
        return []
