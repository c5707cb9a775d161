"""Whether anything in view, besides a launch itself, reads a variable of its environment.

A variable that one launcher ignores may be meant for another command of the script, for another
script that sources the same file, for another recipe, step, cell or service, or for the notebook's
own process. A file that names another is taken to run it with its variables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from cfglint.jobs.batch_end import BRIEF
from cfglint.model.document import Document
from cfglint.model.launch import Launch, Setting
from cfglint.patterns import lazy
from cfglint.project import Project
from cfglint.text import Span

if TYPE_CHECKING:
    from cfglint.syntax.shell import Assignment, Command

# Launches whose processes read the rendezvous variables, or may: their program is not seen.
_READERS = frozenset({"python", "env", "srun", "mpirun", "llamafactory", "swift"})
_PROGRAMS = frozenset({"python", "python3", "bash", "sh", "source", ".", "eval", "exec", "make"})
# Kinds whose commands are chosen between by whoever runs them.
_CHOICES = ("makefile", "justfile")
_PYTHON = lazy(r"(?:^|[\s;&|@(])(?:[\w./-]*/)?python[\d.]*[ \t]+(?!-m[ \t]+torch\.distributed)")
# Commands that use no GPU, whatever their variables say.
_NO_GPU = BRIEF | frozenset(
    """
    [[ . source conda mamba module spack pip pip3 git wget curl tar unzip cat cp mv ln chmod find
    grep awk sed head tail sort wc tee sleep wait trap kill pkill ulimit read shift basename dirname
    which command nvidia-smi nvcc ray redis-cli exec sync scontrol sinfo squeue
    """.split()  # noqa: SIM905 (a table)
)
_PIP = lazy(r"\s*-m[ \t]+(?:pip|venv|ensurepip|compileall|http\.server)\b")
# A notebook's own process reads them in torch's init_process_group, whoever calls it.
_KERNEL = lazy(
    r"init_process_group|init_distributed|init_device_mesh|notebook_launcher"
    r"|import torch\.distributed|from torch\.distributed|from torch import distributed"
    r"|\b(?:Accelerator|PartialState)\("
    r"|deepspeed\.initialize|Trainer\(|DistributedDataParallel|%run\b"
)


def is_read_elsewhere(project: Project, launch: Launch, variable: Setting) -> bool:
    """Whether another reader of a variable of the launch's environment is in view."""
    name = variable.key or variable.name
    return (
        _by_another_launch(project, launch, variable)
        or _by_another_branch(launch, variable)
        or any(_uses(document, name, variable) for document in _around(project, launch, variable))
    )


def sharing(project: Project, variable: Setting, name: str) -> list[Launch]:
    """The launches that get the variable from the same place, in the order of the project."""

    def index() -> dict[tuple[int, Span], list[Launch]]:
        found: dict[tuple[int, Span], list[Launch]] = {}
        for launch in project.launches:
            held = launch.env.get(name)
            for place in {(id(x.document), x.span) for x in held.each()} if held else ():
                found.setdefault(place, []).append(launch)
        return found

    table: dict[tuple[int, Span], list[Launch]] = project.fact(("sharing", name), index)
    return table.get((id(variable.document), variable.span), [])


def goes_to_others(project: Project, launch: Launch, variable: Setting) -> bool:
    """Whether another program may choose its GPUs by a variable of the launch's environment."""
    if len(sharing(project, variable, variable.key or variable.name)) > 1:
        return True
    set_at = variable.key_span.start if variable.key_span is not None else variable.span.start
    for script in dict.fromkeys(command.script for command in launch.flow):
        sets = [a for a in script.assignments if script.fragment.offset(a.start) == set_at]
        if sets and script.document is variable.document:
            return any(_may_use(command, sets[0], launch) for command in script.commands)
    kind, text = variable.document.kind, variable.document.source.text
    if any(c.span.start <= set_at < c.span.end for c in launch.flow):
        return False  # in front of the command, for it alone
    if kind == "notebook":
        return _KERNEL.search(text) is not None or "cuda" in text
    if kind in (*_CHOICES, "workflow"):
        return any(not _PIP.match(text, found.end() - 1) for found in _PYTHON.finditer(text))
    return kind in ("script", "slurm") and variable.document is not launch.document


def _may_use(command: Command, assignment: Assignment, launch: Launch) -> bool:
    """Whether a command behind an assignment may choose its GPUs by the variable."""
    return (
        assignment.start < command.start
        and command not in launch.flow
        and command.name not in command.script.functions
        and command.name.rpartition("/")[2] not in _NO_GPU
        and not _runs_pip(command)
        and assignment.context.relation(command.context) != "apart"
    )


def _runs_pip(command: Command) -> bool:
    found = _PYTHON.search(f"{command.raw} ")
    return found is not None and _PIP.match(command.raw, found.end() - 1) is not None


def _by_another_launch(project: Project, launch: Launch, variable: Setting) -> bool:
    """Whether a program that reads the variable itself gets it from the same place."""
    found = sharing(project, variable, variable.key or variable.name)
    return any(
        other is not launch and not _starts(other, launch) and _is_reader(launch, other)
        for other in found
    )


def _starts(other: Launch, launch: Launch) -> bool:
    """Whether one launch is no more than the command that starts the script of another."""
    if other.launcher != "env" or not other.flow or not launch.is_started:
        return False
    command = other.flow[0]
    return any(
        c.span == command.span and c.script.document is command.script.document for c in launch.flow
    )


def _is_reader(launch: Launch, other: Launch) -> bool:
    if other.launcher != "python" or not (launch.flow and other.flow):
        return other.launcher in _READERS
    # Plain Python next to the launcher is more often a step before or after the training.
    ranked = "RANK" in other.env or "WORLD_SIZE" in other.env
    return ranked or launch.flow[-1].script is not other.flow[-1].script


def _by_another_branch(launch: Launch, variable: Setting) -> bool:
    """Whether the script runs another program in the launch's place, which gets the variable."""
    if not launch.flow:
        return False
    from cfglint.model.flow import exclusive

    own = launch.flow[-1]
    script = own.script
    others = [
        c for c in script.commands if is_program(c.name) and exclusive(c.context, own.context)
    ]
    if not others:
        return False
    start = variable.key_span.start if variable.key_span is not None else -1
    sets = [a for a in script.assignments if script.fragment.span(a.start, a.start).start == start]
    if variable.document is script.document and sets:
        return any(not exclusive(c.context, sets[0].context) for c in others)
    return True


def is_program(name: str) -> bool:
    """Whether a command of that name may read any variable."""
    return name in _PROGRAMS or "/" in name


def _around(project: Project, launch: Launch, variable: Setting) -> Iterator[Document]:
    """The files that run with the variable: the launch's own, and those that name its file or that
    it names."""
    source = variable.document.outer or variable.document
    own = [source, launch.started_in, *launch.documents()]
    seen: set[int] = set()
    for document in own:
        if id(document) not in seen:
            seen.add(id(document))
            yield document
    if not launch.flow and source is launch.document:
        return  # nothing starts with what an image or a service holds but itself
    yield from (one for one in _naming(project, source) if id(one) not in seen)


def _naming(project: Project, source: Document) -> list[Document]:
    """The files whose texts name a file, or that its text names."""
    from cfglint.files.mentions import read_mentions

    def search() -> list[Document]:
        read_mentions(project, source)
        here, named = source.source.text, source.file.name
        readable = (one for one in project.documents if one.readable)
        return [x for x in readable if named in x.source.text or x.file.name in here]

    found: list[Document] = project.fact(("naming", id(source)), search)
    return found


def _uses(document: Document, name: str, variable: Setting) -> bool:
    """Whether a file's text reads a variable of its environment."""
    # In a Compose file, one sign alone is the host's variable.
    sign = r"\$\$" if document.kind == variable.document.kind == "compose" else r"\$"
    used: bool = document.fact(f"uses {sign}{name}", lambda: _names(document, name, sign))
    return used


def _names(document: Document, name: str, sign: str) -> bool:
    text = document.source.text
    if document.kind == "notebook":
        return _in_notebook(text, name)
    if document.kind in _CHOICES and _PYTHON.search(text):
        return True
    more = rf"|\benv\.{name}\b|\{{\{{[^}}]*\b{name}\b"
    return re.search(rf"{sign}[({{]?[#!]?{name}\b{more}", text) is not None


def _in_notebook(text: str, name: str) -> bool:
    read = (
        rf"\$\{{?{name}\b|getenv\(\W{{1,3}}{name}\b|environ\.\w+\(\W{{1,3}}{name}\b"
        rf"|environ\[\W{{1,3}}{name}\W{{1,3}}\](?!\s*=[^=])"
    )
    return _KERNEL.search(text) is not None or re.search(read, text) is not None
