"""Whether a script's own commands make a file before it is read: `sed ... template > "$config"`."""

from __future__ import annotations

import posixpath

from cfglint.commands.variables import Reach, Variables
from cfglint.syntax.shell import Command

# What makes a file that it names, or may: copies, editors, downloads, programs of one's own.
_MAKERS = frozenset(
    ("cp", "mv", "ln", "install", "rsync", "scp", "tee", "sed", "jq", "yq", "envsubst", "touch",
     "python", "python3", "wget", "curl", "aws", "gsutil", "gcloud", "unzip", "tar", "git", "dd")
)  # fmt: skip


def is_made(path: str, command: Command, variables: Variables) -> bool:
    """Whether a command in front of this one writes to a path, or is given it to make."""
    wanted = posixpath.normpath(path)
    for earlier in command.script.commands:
        if earlier.start >= command.start:
            continue
        words = [r.target for r in earlier.redirects if r.target is not None and ">" in r.sign]
        if earlier.name in _MAKERS:
            words += list(earlier.read())[1:]
        if not words:
            continue
        reach = Reach(variables, earlier.start, earlier.context)
        for word in words:
            text = reach.word(word).text
            if text and posixpath.normpath(text) == wanted:
                return True
    return False
