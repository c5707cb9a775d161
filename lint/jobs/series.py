"""Configs of a series, named alike but for a number, of which only some are named anywhere."""

from __future__ import annotations

from collections.abc import Callable

from cfglint.files.mentions import naming_series
from cfglint.model.document import Document
from cfglint.model.launch import Launch
from cfglint.project import Project

_OF_THE_JOB = ("nnodes", "node_rank", "num_processes", "master_addr", "master_port")


def is_told_as_a_series(
    project: Project, document: Document, resolve: Callable[[Project, Launch], None]
) -> bool:
    """Whether a program names another file of a config's series, or a command gives one of them
    the rest of the job: this one may be given it likewise. `resolve` links a launch's configs."""
    for name, path in naming_series(project, document.file.name):
        other = project.file_at(path) if path.suffix != ".py" else None
        if other is None or other.kind == "notebook":
            return True
        for launch in other.launches:
            resolve(project, launch)
            own = (x.document is other for n, x in launch.settings.items() if n in _OF_THE_JOB)
            if any(x.path.endswith(name) for x in launch.configs) and any(own):
                return True
    return False
