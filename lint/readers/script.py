"""Shell scripts: the launches in them."""

from __future__ import annotations

import re

from cfglint.commands import may_launch, sources
from cfglint.commands.scope import Scope
from cfglint.commands.scripts import script_launches
from cfglint.commands.texts import ShellText, before_open, every
from cfglint.model.document import Document
from cfglint.model.fragment import Fragment
from cfglint.model.launch import ConfigRef, Launch
from cfglint.syntax import broken
from cfglint.syntax.shell import Script
from cfglint.syntax.unclosed import unclosed

# A training that no launcher starts: all that is looked at is whether its command breaks off.
_TRAINS = re.compile(r"\bpython3?\s[^\n]*\b(?:train|finetune|sft|dpo|pretrain)\w*\.py\b")
_PROGRAM_FILE = re.compile(r"^[\w./-]+\.(?:sh|bash|slurm|sbatch)$")


def read(document: Document) -> None:
    """Fill a script's launches. A script that names no launcher has none and is not parsed."""
    read_with(document, Scope(document))


def read_with(document: Document, scope: Scope) -> None:
    """Fill the launches of a script whose commands run in `scope`."""
    text = document.source.text
    whole = ShellText(Fragment(document.path, text), scope)
    document.shell_texts = lambda wanted: (whole,) if wanted(text) else ()
    if not may_launch(text):
        if "\\" in text and _TRAINS.search(text):
            broken.tell(document, whole.fragment)
        return
    broken.tell(document, whole.fragment)
    script = whole.parsed()
    document.tree = script
    open_at = unclosed(whole.fragment)
    if open_at is not None:
        document.problems.append(open_at[1])
    document.links.extend(sources.references(script))
    document.launches = _run(document, script_launches(script, scope))
    document.links.extend(_started_scripts(script))


def link(document: Document) -> None:
    """Read the launches again with the files that the script sources (their links are resolved)."""
    script, texts = document.tree, document.shell_texts
    if isinstance(script, Script) and texts is not None:
        sources.join(script, document.links)
        found = [x for text in texts(every) for x in script_launches(script, text.scope)]
        document.launches = _run(document, found)


def _run(document: Document, launches: list[Launch]) -> list[Launch]:
    """The launches that the shell comes to."""
    at = next((p.span.start for p in document.problems if p.code == "SYN010"), None)
    return launches if at is None else before_open(launches, document.source.text, at)


def _started_scripts(script: Script) -> list[ConfigRef]:
    """The scripts that a script starts or sources."""
    found: list[ConfigRef] = []
    if ".sh" not in script.fragment.text and "sbatch" not in script.fragment.text:
        return found
    for command in script.commands:
        if ".sh" not in command.raw and "sbatch" not in command.raw:
            continue
        for word in command.words:
            text = word.text
            if text is not None and _PROGRAM_FILE.match(text):
                found.append(ConfigRef("script", text, word.span))
    return found
