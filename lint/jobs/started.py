"""Scripts that other scripts of the tree start: one launch for each time a job is started.

A script by itself does not show what its callers do: which arguments and variables it gets, on how
many nodes it runs, what runs beside it. Its launches are judged as its callers start them.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from functools import partial

from cfglint.commands.scope import Scope
from cfglint.jobs.surroundings import STARTED
from cfglint.model.document import Document
from cfglint.model.fragment import Fragment
from cfglint.model.launch import Launch, Network
from cfglint.model.values import Literal
from cfglint.project import Project
from cfglint.record import replace
from cfglint.syntax.shell_words import Part, ShellWord

KINDS = ("script", "slurm")
_NAMES = re.compile(r"[\w.-]+")
_LAST = re.compile(r"[\w.-]+$")

Started = list[tuple[Document, list[Launch]]]  # a caller and what it starts of other scripts


def started_scripts(project: Project) -> Started:
    """Each script that starts others which launch jobs, with the launches of these."""
    found: Started = project.fact("started scripts", lambda: _search(project))
    return found


def launches_of(project: Project) -> dict[int, list[Launch]]:
    """The launches of each script that others start (by the document's id), as they start them."""
    found: dict[int, list[Launch]] = defaultdict(list)
    boxed: dict[int, Document] = {}
    for caller, launches in started_scripts(project):
        for launch in launches:
            script = launch.document
            if launch.container is not None and all(x.container is None for x in script.launches):
                boxed[id(script)] = script
                launch = _in_container(launch, caller)
            found[id(script)].append(launch)
    for key, script in boxed.items():
        found[key] += map(_left, script.launches)
    return found


def _in_container(launch: Launch, caller: Document) -> Launch:
    """A script's launch as a container's command in the caller's file."""
    return replace(
        launch, document=caller, span=launch.started_at, program=None, argv=(), command=None,
        configs=[], setting_writer=None, parts=[*launch.parts, launch.document],
    )  # fmt: skip


def _left(launch: Launch) -> Launch:
    """A script's own launch, of which its caller's container says the rest."""
    return replace(launch, network=Network("unknown"), complete=False, why_incomplete=STARTED)


def _search(project: Project) -> Started:
    scripts = [d for d in project.documents if d.kind in KINDS]
    jobs = {d.file.name: d for d in scripts if d.launches}
    if not jobs or len(scripts) < 2:
        return []
    all_names = [d.file.name for d in scripts]
    endings = {name[name.rfind(".") :] if "." in name else name for name in all_names}
    names = {
        id(d): set(_NAMES.findall(d.source.text))
        if any(ending in d.source.text for ending in endings)
        else set()
        for d in scripts
    }
    callers: list[Document] = []
    more = scripts
    while more:  # what starts a script that starts a job starts the job
        more = [d for d in scripts if d not in callers]
        more = [d for d in more if names[id(d)] & jobs.keys() - {d.file.name}]
        callers += more
        jobs |= {d.file.name: d for d in more}
    found = [(caller, _launches(project, caller, jobs)) for caller in callers]
    started: set[int] = set()
    for _, launches in found:
        started.update(*map(_callers_of, launches))
    return [(caller, each) for caller, each in found if each and id(caller) not in started]


def _callers_of(launch: Launch) -> set[int]:
    """The scripts between a launch's own and the outermost that starts it."""
    return {id(command.script.document) for command in launch.flow} - {id(launch.started_in)}


def _launches(project: Project, caller: Document, jobs: dict[str, Document]) -> list[Launch]:
    from cfglint.commands.scripts import script_launches, to_background
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
    found = [x for x in script_launches(script, scope) if x.document is not caller]
    for launch in found:
        launch.to_background = partial(to_background, launch.flow[-1])
    return found
