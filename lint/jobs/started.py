"""Scripts that other files of the tree start: one launch for each time a job is started.

A script by itself does not show what its callers do (other scripts, recipes of a Makefile, steps of
a workflow, commands of a notebook): which arguments and variables it gets, on how many nodes it
runs, what runs beside it. Its launches are judged as its callers start them.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from functools import partial
from typing import TYPE_CHECKING

from cfglint.files.names import Endings, by_endings, names, paths
from cfglint.jobs.surroundings import STARTED
from cfglint.model.document import Document
from cfglint.model.fragment import Fragment
from cfglint.model.launch import Container, Launch, Network
from cfglint.model.values import Literal
from cfglint.patterns import lazy
from cfglint.project import Project
from cfglint.record import replace
from cfglint.syntax.shell_words import Part, ShellWord

if TYPE_CHECKING:
    from cfglint.commands.texts import ShellText
    from cfglint.syntax.shell import Script

KINDS = ("script", "slurm")
_LAST = re.compile(r"[\w.-]+$")
_SCRIPTS = by_endings((".sh", ".bash", ".slurm", ".sbatch"))
_FIRST_PART = lazy(r"^.*\.\.?(?:/|$)|^[^/]*(?:/|$)")  # and all that leads up
_GOES_TO = re.compile(r"(?:^|[\n;&|({])[ \t]*(?:cd|pushd)[ \t]+([\w./-]+)[ \t]*(?=[\n;&|)])")

Started = list[tuple[Document, list[Launch]]]  # a caller and what it starts of other scripts
Jobs = dict[str, list[Document]]  # scripts by their names


def read_started(project: Project) -> None:
    """Read for context the scripts that the files at hand start, and those that these start."""
    at = 0
    while at < len(project.documents):
        document = project.documents[at]
        at += 1
        if document.shell_texts is not None:
            for path in sorted(paths(document.source.text, _SCRIPTS)):
                project.resolve(document, path)


def started_scripts(project: Project) -> Started:
    """Each file that starts scripts which launch jobs, with the launches of these."""
    found: Started = project.fact("started scripts", lambda: _search(project))
    return found


def launches_of(project: Project) -> dict[int, list[Launch]]:
    """The launches of each script that others start (by the document's id), as they start them."""
    found: dict[int, list[Launch]] = defaultdict(list)
    boxed: dict[int, Document] = {}
    for caller, launches in started_scripts(project):
        for launch in launches:
            script = launch.document
            box = launch.container
            inside = box is not None and box.document is not script
            if box and inside and all(x.container is None for x in script.launches):
                boxed[id(script)] = script
                launch = _in_container(launch, box, caller)
            found[id(script)].append(launch)
    for key, script in boxed.items():
        found[key] += map(_left, script.launches)
    return found


def _in_container(launch: Launch, box: Container, caller: Document) -> Launch:
    """A script's launch as a container's command in the file that starts the container."""
    place = box.document or caller
    return replace(
        launch, document=place, span=launch.started_at if place is caller else box.span,
        program=None, argv=(), command=None, configs=[], setting_writer=None,
        parts=[*launch.parts, launch.document],
    )  # fmt: skip


def _left(launch: Launch) -> Launch:
    """A script's own launch, of which its caller's container says the rest."""
    return replace(launch, network=Network("unknown"), complete=False, why_incomplete=STARTED)


def _search(project: Project) -> Started:
    scripts = [d for d in project.documents if d.kind in KINDS]
    starters = [d for d in project.documents if d.shell_texts is not None]
    jobs: Jobs = defaultdict(list)
    for script in scripts:
        if script.launches:
            jobs[script.file.name].append(script)
    if not jobs or len(starters) < 2:
        return []
    endings = by_endings({d.file.suffix or d.file.name for d in scripts})
    mentioned = {id(d): names(d.source.text, endings) for d in starters}
    callers: list[Document] = []
    left = more = starters
    while more:  # what starts a script that starts a job starts the job
        more = [d for d in left if _names_another(d, mentioned[id(d)], jobs)]
        callers += more
        taken = set(map(id, more))
        left = [d for d in left if id(d) not in taken]
        for script in more:
            if script.kind in KINDS and script not in jobs[script.file.name]:
                jobs[script.file.name].append(script)
    leading = _leading(project, starters, mentioned, endings, jobs)
    callers = [caller for caller in callers if id(caller) in leading]
    found = [(caller, _launches(project, caller, jobs, leading)) for caller in callers]
    started: set[int] = set()
    for _, launches in found:
        started.update(*map(_callers_of, launches))
    return [(caller, each) for caller, each in found if each and id(caller) not in started]


def _names_another(document: Document, mentioned: set[str], jobs: Jobs) -> bool:
    """Whether a file names a script that is not itself."""
    return any(one is not document for name in mentioned & jobs.keys() for one in jobs[name])


def _leading(
    project: Project,
    starters: list[Document],
    mentioned: dict[int, set[str]],
    endings: Endings,
    jobs: Jobs,
) -> set[int]:
    """The files that start a job, or a script that does, by the paths that they name (their ids).

    By names alone, each `run.sh` of a tree of recipes is started by all the others.
    """
    found: set[int] = set()
    more = [script for scripts in jobs.values() for script in scripts if script.launches]
    while more:
        found.update(map(id, more))
        wanted: Jobs = defaultdict(list)
        for script in more:
            wanted[script.file.name].append(script)
        near = (d for d in starters if id(d) not in found and mentioned[id(d)] & wanted.keys())
        more = [one for one in near if _means(project, one, endings, wanted)]
    return found


def _means(project: Project, caller: Document, endings: Endings, wanted: Jobs) -> bool:
    """Whether a path in a file's text can lead to one of the scripts. What stands in front of it
    is not looked at: its first part may be the name of a variable."""
    moves = {x[1] for x in _GOES_TO.finditer(caller.source.text)}
    for path in paths(caller.source.text, endings):
        folder, _, name = path.rpartition("/")
        scripts = wanted.get(name, [])
        if not scripts:
            continue
        if path.startswith("/"):
            return True
        ways = [path, *(os.path.normpath(f"{one}/{path}") for one in moves)]
        there = [project.known(x) for way in ways for x in project.candidates(caller, way)]
        if any(there):
            if any(one in there for one in scripts):
                return True
            continue
        if path.startswith((".", name)) and caller.kind in KINDS:
            continue  # no variable, and neither here nor where it goes to
        tail = "/".join(["", _FIRST_PART.sub("", folder), name]).replace("//", "/")
        places = ("/" + os.path.relpath(one.file, project.root) for one in scripts)
        if any(place.endswith(tail) or tail.endswith(place) for place in places):
            return True  # the tree may lie elsewhere when the job starts
    return False


def _callers_of(launch: Launch) -> set[int]:
    """The scripts between a launch's own and the outermost that starts it."""
    return {id(command.script.document) for command in launch.flow} - {id(launch.started_in)}


def _launches(project: Project, caller: Document, jobs: Jobs, leading: set[int]) -> list[Launch]:
    from cfglint.commands.background import to_background
    from cfglint.commands.scripts import script_launches

    found: list[Launch] = []

    def starts(text: str) -> bool:
        return any(name in text for name in jobs)

    for text in caller.shell_texts(starts) if caller.shell_texts is not None else ():
        bodies = partial(
            _bodies, project=project, caller=caller, jobs=jobs, leading=leading, folder=text.folder
        )
        script = _parsed(project, caller, text)
        found += script_launches(script, replace(text.scope, written=bodies))
    found = [launch for launch in found if launch.document is not caller]
    for launch in found:
        launch.to_background = partial(to_background, launch.flow[-1])
    return found


def _parsed(project: Project, caller: Document, text: ShellText) -> Script:
    """The commands of a caller's text, with the variables of the files that it sources."""
    from cfglint.commands import sources
    from cfglint.syntax.shell import Script

    if isinstance(caller.tree, Script):
        return caller.tree
    script = text.parsed()
    links = sources.references(script)
    for reference in links:
        reference.document = project.resolve(caller, reference.path)
    if links:
        sources.join(script, links)
    return script


def _bodies(
    word: ShellWord,
    *,
    project: Project,
    caller: Document,
    jobs: Jobs,
    leading: set[int],
    folder: str,
) -> list[ShellWord]:
    """The script that a word of a caller's command names, as its text."""
    text = word.text
    last = _LAST.search(text if text is not None else word.raw.strip("\"'"))
    namesakes = jobs.get(last[0], []) if last is not None else []
    named = [one for one in namesakes if one is not caller]
    beside = [one for one in named if one.file.parent == caller.file.parent]
    if text is not None and os.path.isabs(text) and beside and not os.path.exists(text):
        text, named = None, beside  # where the tree lies on the machines that run it
    if text is not None and named:
        places = [*_in_folders(word, text, folder), text]
        found = (project.resolve(caller, place) for place in places)
        first = next((one for one in found if one is not None), None)
        named = [one for one in named if one is first]
    if len(named) != 1 or id(named[0]) not in leading:
        return []  # another script of that name, one of several, or one that starts no job
    code = named[0].source.text
    whole = (Part(Literal(code), 0, len(code)),)
    return [ShellWord(Fragment(named[0].path, code), named[0], whole, 0, len(code))]


def _in_folders(word: ShellWord, text: str, folder: str) -> list[str]:
    """A path as the folders that a command can run in lead to it, the most exact first."""
    moves = [x[1] for x in _GOES_TO.finditer(word.fragment.text, 0, word.start)]
    folders = [os.path.join(folder, moves[-1])] if moves else []
    return [os.path.normpath(f"{one}/{text}") for one in (*folders, folder) if one]
