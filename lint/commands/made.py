"""Whether a script's own commands make a file before it is read: `sed ... template > "$config"`."""

from __future__ import annotations

import posixpath
from functools import lru_cache

from cfglint.commands.variables import Reach, Variables
from cfglint.syntax.shell import Command, Script
from cfglint.syntax.shell_words import ShellWord

# What makes a file that it names, or may: copies, editors, downloads, programs of one's own.
_MAKERS = frozenset(
    ("cp", "mv", "ln", "install", "rsync", "scp", "tee", "sed", "jq", "yq", "envsubst", "touch",
     "python", "python3", "wget", "curl", "aws", "gsutil", "gcloud", "unzip", "tar", "git", "dd")
)  # fmt: skip


def is_made(path: str, command: Command, variables: Variables) -> bool:
    """Whether a command in front of this one writes to a path, or is given it to make."""
    wanted = posixpath.normpath(path)
    name = posixpath.basename(wanted)
    for earlier, words in _makers(command.script):
        if earlier.start >= command.start:
            continue
        for word in words:
            text = word.text
            if text is None:
                reach = Reach(variables, earlier.start, earlier.context)
                text = reach.word(word).text
            if text and name in text and posixpath.normpath(text) == wanted:
                return True
    return False


@lru_cache(maxsize=8)
def _makers(script: Script) -> list[tuple[Command, list[ShellWord]]]:
    """The commands of a script that may make a file, with the words that can name it."""
    found = []
    for command in script.commands:
        words = [r.target for r in command.redirects if r.target is not None and ">" in r.sign]
        if command.name in _MAKERS:
            words += list(command.read())[1:]
        if words:
            found.append((command, words))
    return found
