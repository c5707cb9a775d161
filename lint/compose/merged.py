"""Compose files that are named together: `docker compose -f a.yml -f b.yml up`, COMPOSE_FILE.

Compose merges them in order, and every path in them starts at the folder of the first. Files that
commands put together in several ways stay open: neither way is the one that holds. COMPOSE_FILE
counts where no `-f` is given, from the command's environment or the `.env` of the folder in which
it runs, and its paths start at that folder.
Source: compose-spec 13-merge; docs.docker.com, "Merge Compose files"; compose-go `cli/options.go`.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from cfglint.commands.folders import folder_of
from cfglint.files.mentions import contains
from cfglint.model.values import Unknown, Value, literal
from cfglint.patterns import lazy

if TYPE_CHECKING:
    from cfglint.model.document import Document
    from cfglint.project import Project
    from cfglint.syntax.shell_words import ShellWord

_KINDS = ("script", "slurm", "makefile", "justfile", "workflow")
_COMMAND = lazy(r"\b(?:docker|podman)(?:[ \t]+|-)compose\b")
_FLAGS = ("--dry-run", "--compatibility", "--all-resources", "--verbose")
# Options of the project that make its paths or variables others than the files show.
_ELSEWHERE = ("--env-file", "--project-directory", "--workdir")
VARIABLE = "COMPOSE_FILE"


class Chain(NamedTuple):
    """The files of one command, in order; `known` is False where it shows not all of them."""

    files: tuple[Document, ...]
    known: bool


class _Named(NamedTuple):
    """The paths of one command ("" for one in a variable), and the folder in which it runs: beside
    its file where that is sure (`own`), else somewhere above; None where it is not known."""

    paths: list[str]
    known: bool
    folder: str | None = ""
    own: bool = False


def chains(project: Project) -> list[Chain]:
    """What commands and `.env` files put together, each once."""
    found: list[Chain] = []

    def add(document: Document, named: _Named) -> tuple[Document, ...]:
        files = [_file(project, document, named, path) for path in named.paths]
        there = tuple(d for d in files if d is not None and d.kind == "compose")
        known = named.known and named.folder is not None and len(there) == len(files)
        if there and Chain(there, known) not in found:
            found.append(Chain(there, known))
        return there

    for document in project.documents[:]:
        if document.kind in _KINDS and _COMMAND.search(document.source.text):
            for named in _of_commands(document):
                add(document, named)
    for document in _env_files(project):
        variables = _variables(document)
        value = variables.get(VARIABLE)
        if value:
            paths = value.split(variables.get("COMPOSE_PATH_SEPARATOR") or ":")
            files = add(document, _Named(paths, True, "", True))
            for each in files:
                if files[0].file.parent != document.file.parent:
                    each.compose.unclear_variables = True  # those of this `.env` count
    return found


def _file(project: Project, document: Document, named: _Named, path: str) -> Document | None:
    if not path:
        return None
    path = posixpath.join(named.folder or "", path)
    if named.own and not posixpath.isabs(path):
        return project.file_at(document.file.parent / path)
    return project.resolve(document, path)


# -- .env --------------------------------------------------------------------------------------


def _env_files(project: Project) -> list[Document]:
    """The `.env` files in the folders of the Compose files and above them that name files."""
    found: list[Document] = []
    folders: dict[Path, None] = {}
    for document in project.documents:
        folder = document.file.parent
        while document.kind == "compose" and folder not in folders and project.is_inside(folder):
            folders[folder] = None
            folder = folder.parent
    for folder in folders:
        path = folder / ".env"
        if contains(project, path, VARIABLE.encode()):
            env = project.file_at(path)
            if env is not None:
                found.append(env)
    return found


def _variables(document: Document) -> dict[str, str]:
    from cfglint.readers import dotenv

    found = dotenv.variables(document) if document.kind == "dotenv" else {}
    return {n: s.text for n, s in found.items() if s.text is not None and "$" not in s.text}


# -- commands ----------------------------------------------------------------------------------


def _of_commands(document: Document) -> Iterator[_Named]:
    """What each command of a file names."""
    if document.kind == "workflow":
        yield from _of_workflow(document)
        return
    for text in _texts(document):
        if _COMMAND.search(text):
            yield from _of_text(document, text, {}, "")


def _texts(document: Document) -> Iterator[str]:
    """The shell texts of a script or of the recipes of a Makefile."""
    text = document.source.text
    if document.kind not in ("makefile", "justfile"):
        yield text
        return
    from cfglint.readers.makefile import recipes

    for start, end in recipes(text, document.kind == "justfile"):
        yield text[start:end].lstrip(" \t@+-").replace("$$", "$")


def _of_workflow(document: Document) -> Iterator[_Named]:
    from cfglint.model.tree import Mapping as Map
    from cfglint.model.tree import Scalar, find, target

    jobs = find(document.root, "jobs") if document.root is not None else None
    outer = _settings(document.root)
    for entry in jobs.entries if isinstance(jobs, Map) else ():
        job = _settings(target(entry.value), outer)
        steps = find(target(entry.value), "steps")
        for step in map(target, getattr(steps, "items", ())):
            run = find(step, "run") if isinstance(step, Map) else None
            if not isinstance(run, Scalar) or not _COMMAND.search(run.text):
                continue
            env, folder = _settings(step, job)
            text = re.sub(r"\$\{\{.*?\}\}", "${_}", run.text, flags=re.S)
            yield from _of_text(document, text, env, None if "${{" in folder else folder)


def _settings(
    holder: object, outer: tuple[dict[str, str], str] = ({}, "")
) -> tuple[dict[str, str], str]:
    """The environment and the working directory of a workflow, a job or a step."""
    from cfglint.model.tree import Mapping as Map
    from cfglint.model.tree import Scalar, find, target

    env, folder = dict(outer[0]), outer[1]
    if not isinstance(holder, Map):
        return env, folder
    listed = holder.get("env")
    for name, entry in listed.index.items() if isinstance(listed, Map) else ():
        node = target(entry.value)
        if isinstance(node, Scalar):
            env[name] = node.text
    default = find(holder, "defaults", "run", "working-directory")
    place = default or holder.get("working-directory")
    return env, place.text if isinstance(place, Scalar) else folder


def _of_text(
    document: Document, text: str, env: Mapping[str, str], folder: str | None
) -> Iterator[_Named]:
    """What the commands of a shell text name that starts in a folder."""
    from cfglint.commands.variables import Reach, Variables
    from cfglint.model.fragment import Fragment
    from cfglint.syntax.shell import Script, parse

    script = document.tree if isinstance(document.tree, Script) else None
    if script is None or script.fragment.text != text:
        script = parse(Fragment(document.path, text), document)
    variables = Variables(script, {})
    for command in script.commands:
        if "compose" not in command.raw:
            continue
        reach = Reach(variables, command.start, command.context)
        words = [word for given in command.words for word in reach.words(given)]
        at = _behind_name(words)
        if at is None:
            continue
        paths, known = _options(words, at)
        if not paths:
            value = env.get(VARIABLE)
            if variables.is_exported(VARIABLE, command.start, command.context):
                held = variables.holds(VARIABLE, command.start, command.context)
                value = _written(held.value) if held is not None else value
            for assignment in command.assignments:
                if assignment.name == VARIABLE:
                    value = _written(variables.setting(assignment).value)
            paths = [] if not value else ["" if "$" in p else p for p in value.split(":")]
            known = known and "" not in paths
        if paths:
            place, own = folder_of(script, command, folder)
            yield _Named(paths, known or len(paths) == 1, place, own)


def _written(value: Value) -> str:
    """A value as its text, `$` in what is not known of it."""
    text = literal(value)
    return value.text.strip('"') if isinstance(value, Unknown) else "$" if text is None else text


def _behind_name(words: list[ShellWord]) -> int | None:
    """Where the options of `docker compose` or `docker-compose` begin, None for other commands."""
    names = [(word.text or "").rsplit("/", 1)[-1] for word in words]
    for at, name in enumerate(names[:8]):
        if name in ("docker-compose", "podman-compose"):
            return at + 1
        if name in ("docker", "podman"):
            return at + 2 if names[at + 1 : at + 2] == ["compose"] else None
        if name in ("echo", "printf", "grep", "ssh"):
            return None
    return None


def _options(words: list[ShellWord], at: int) -> tuple[list[str], bool]:
    """The paths behind `-f`, and whether the options show all of them."""
    paths: list[str] = []
    known = True
    while at < len(words):
        text = words[at].prefix()
        at += 1
        if not text.startswith("-"):
            return paths, known and words[at - 1].text is not None
        name, equals, value = text.partition("=")
        if name in _FLAGS:
            continue
        if text.startswith("-f") and len(text) > 2:
            name, value = "-f", text[2:].lstrip("=")
            value = value if words[at - 1].text is not None else ""
        elif equals:
            value = value if words[at - 1].text is not None else ""
        else:
            value = (words[at].text or "") if at < len(words) else ""
            at += 1
        known = known and name not in _ELSEWHERE
        if name in ("-f", "--file"):
            paths.append(value)
    return paths, known
