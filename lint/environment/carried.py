"""Which variables DeepSpeed's launcher carries to the other machines by a file.

Source: DeepSpeed `launcher/runner.py`: the file that DS_ENV_FILE names, else `.deepspeed_env` in
the home directory and in the folder of the launch; each of its lines is exported on every machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfglint.model.document import Document
from cfglint.model.launch import Launch
from cfglint.record import dataclass

if TYPE_CHECKING:
    from cfglint.project import Project

FILE = ".deepspeed_env"
_POINTER = "DS_ENV_FILE"


@dataclass(frozen=True, slots=True)
class Carried:
    """The names that a file carries, and the file, None where the tree has none."""

    names: frozenset[str]
    file: Document | None


def by_file(project: Project, launch: Launch) -> Carried | None:
    """What the file of a launch carries. None where the files do not show it: the script that
    starts the launch writes the file, or a variable names another one that is not at hand."""
    named = FILE
    pointer = launch.env.get(_POINTER)
    if pointer is not None and not pointer.text:
        return None
    if pointer is not None and pointer.text:
        named = pointer.text
    elif any(
        FILE in file.source.text or _POINTER in file.source.text for file in launch.documents()
    ):
        return None
    file = project.resolve(launch.document, named)
    if file is None:
        return None if pointer is not None else Carried(frozenset(), None)
    return Carried(frozenset(name for each in file.launches for name in each.env), file)
