"""A launcher that stands behind the program: `python train.py -m torch.distributed.launch`.

Source: Python's command line (what follows the script is the script's).
"""

from __future__ import annotations

from collections.abc import Sequence

from cfglint.commands.build import model_word, new_launch, program
from cfglint.commands.options import table
from cfglint.commands.scope import Scope
from cfglint.model.edit import Edit
from cfglint.model.launch import Behind, Launch
from cfglint.syntax.shell_words import ShellWord

# With the tables of their options.
_MODULES = {
    "torch.distributed.launch": "torch.distributed.launch",
    "torch.distributed.run": "torchrun",
}


def launcher_behind(words: Sequence[ShellWord], head: int, scope: Scope) -> Launch | None:
    """The launch of a script (the last of the first `head` words) that is handed a launcher as if
    Python read it there; None for others."""
    if "-m torch.distributed." not in words[0].fragment.text:
        return None
    script = words[head - 1]
    if script.text is None or script.text.startswith("-"):
        return None
    texts = [word.text for word in words[head:]]
    found = (
        at
        for at, text in enumerate(texts[:-1], head)
        if text == "-m" and texts[at + 1 - head] in _MODULES
    )
    at = next(found, None)
    if at is None:
        return None
    launch = new_launch("python", words, scope, head)
    launch.program = program(words[head - 1 :])
    launch.complete = False
    launch.why_incomplete = "the launcher stands behind the program"
    option, module = model_word(words[at]), model_word(words[at + 1])
    launch.behind = Behind(option, module, _moved(words, head - 1, at))
    return launch


def _moved(words: Sequence[ShellWord], script: int, at: int) -> Edit | None:
    """The edit that puts the launcher and its options in front of the script."""
    options = table(_MODULES[words[at + 1].text or ""])
    end = at + 2
    while end < len(words):
        name, sign, _ = (words[end].text or "").partition("=")
        option = options.spellings.get(name)  # and no shortened one, which may be the script's
        if option is None:
            break
        end += 1 if sign or option.takes == "none" else 2
    first, last = words[script], words[min(end, len(words)) - 1]
    if any(word.fragment is not first.fragment for word in words[script:end]):
        return None  # items of a list, or words of a variable
    text = first.fragment.text
    between, moved = text[first.start : words[at].start], text[words[at].start : last.end]
    return first.fragment.edit(first.start, last.end, f"{moved} {between.rstrip()}")
