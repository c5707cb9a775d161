"""sbatch scripts: the directives that Slurm reads, and a body that one host runs."""

from __future__ import annotations

from cfglint.commands.sbatch import body_start, directives, shape, variables
from cfglint.commands.scope import Scope
from cfglint.model.document import Document
from cfglint.model.launch import Setting
from cfglint.model.readings import Batch
from cfglint.readers.script import read_with
from cfglint.syntax.bash import comments

__all__ = ["directives", "read"]


def _line_start(document: Document, setting: Setting) -> int:
    return document.source.line_of(setting.span.start).start


def read(document: Document) -> None:
    """Fill an sbatch script's launches; `batches` holds its directives."""
    found = directives(document)
    body = body_start(document.source.text)
    if any(setting.span.start > body for setting in found):
        real = comments(document.source.text)
        found = [s for s in found if s.span.start < body or _line_start(document, s) in real]
    document.batches = {0: Batch(found, body)}
    allocation: dict[str, Setting] = {}
    for setting in found:
        if setting.span.start < body and "$" not in (setting.text or ""):
            allocation[setting.name] = setting
    scope = Scope(document, variables(allocation), evaluated="once", allocation=shape(allocation))
    read_with(document, scope)
    for launch in document.launches:
        launch.label = launch.label or "the batch script"
