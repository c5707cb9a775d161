"""Scripts that other scripts of the tree start: one launch for each time a job is started.

A script is judged by itself; what only its callers show is that two of its jobs run together, and
which variables and arguments each of them gets.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from cfglint.commands.scope import Scope
from cfglint.document import Document
from cfglint.fragment import Fragment
from cfglint.launch import Launch
from cfglint.project import Project
from cfglint.record import replace
from cfglint.syntax.shell_words import Part, ShellWord
from cfglint.values import Literal

_KINDS = ("script", "slurm")
# What may start one job beside another (`&` that is no redirection, a session that is left alone),
# or a script on every node.
_SEVERAL = re.compile(r"(?<![&><])&(?![&>])|\b(?:tmux|screen|parallel|srun|pdsh)\b")
_NAMES = re.compile(r"[\w.-]+")
_LAST = re.compile(r"[\w.-]+$")


def started_scripts(project: Project) -> Iterator[tuple[Document, list[Launch]]]:
    """Each script that may start jobs of others several times, with the launches of these."""

    def find() -> list[tuple[Document, list[Launch]]]:
        return list(_search(project))

    found: list[tuple[Document, list[Launch]]] = project.fact("started scripts", find)
    yield from found


def _search(project: Project) -> Iterator[tuple[Document, list[Launch]]]:
    jobs = {d.file.name: d for d in project.documents if d.kind in _KINDS and d.launches}
    if not jobs:
        return
    for document in list(project.documents):
        text = document.source.text if document.kind in _KINDS else ""
        if _SEVERAL.search(text) and not jobs.keys().isdisjoint(_NAMES.findall(text)):
            found = _launches(project, document, jobs)
            if found:
                yield document, found


def _launches(project: Project, caller: Document, jobs: dict[str, Document]) -> list[Launch]:
    from cfglint.commands.scripts import script_launches
    from cfglint.syntax.shell import parse

    def bodies(word: ShellWord) -> list[ShellWord]:
        text = word.text
        last = _LAST.search(text if text is not None else word.raw.strip("\"'"))
        named = jobs.get(last[0]) if last is not None else None
        if named is None or named is caller:
            return []
        beside = named.file.parent == caller.file.parent
        if text is not None and os.path.isabs(text) and beside and not os.path.exists(text):
            text = None  # where the tree lies on the machines that run it
        if text is not None and project.resolve(caller, text) is not named:
            return []  # another script of that name
        code = named.source.text
        whole = (Part(Literal(code), 0, len(code)),)
        return [ShellWord(Fragment(named.path, code), named, whole, 0, len(code))]

    script = parse(Fragment(caller.path, caller.source.text), caller)
    scope = replace(caller.facts.get("scope") or Scope(caller), written=bodies)
    found = script_launches(script, scope)
    return [x for x in found if x.document is not caller]
