"""GitHub workflows: the `run:` steps that start training.

`${{ ... }}` is replaced before a shell runs; `env` of workflow, job and step are exported.
Source: GitHub Actions, workflow syntax.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from collections.abc import Mapping as Variables
from functools import partial

from cfglint.commands import may_launch, may_launch_in
from cfglint.commands.scope import Scope
from cfglint.commands.texts import ShellText
from cfglint.model.document import Document
from cfglint.model.edit import Edit
from cfglint.model.launch import Setting
from cfglint.model.tree import Mapping, Scalar, Sequence, find, target, walk
from cfglint.model.values import Literal, Unknown, Value
from cfglint.syntax.editing import EnvironmentPlace
from cfglint.syntax.shell_nested import Known, Nested
from cfglint.syntax.shell_words import Part
from cfglint.syntax.yaml_text import fragment

_EXPRESSION = re.compile(r"\$\{\{(?:\s*env\.(?P<name>[A-Za-z_]\w*)\s*\}\}|.*?\}\})", re.S)


def read(document: Document) -> None:
    """Make the launches of every step."""
    if document.root is None:
        return
    document.shell_texts = partial(_texts, document)
    document.variables = partial(_variables, document)
    if may_launch(document.source.text):
        for text in _texts(document, may_launch_in(document.source.text)):
            text.read()


def _texts(document: Document, wanted: Callable[[str], bool]) -> Iterator[ShellText]:
    """The steps that run a shell on a text that a test lets through."""
    root = target(document.root)
    jobs = find(root, "jobs")
    if not isinstance(jobs, Mapping) or not isinstance(root, Mapping):
        return
    outer = _env(document, root)
    for name, entry in jobs.index.items():
        job = target(entry.value)
        steps = find(job, "steps")
        if not isinstance(job, Mapping) or not isinstance(steps, Sequence):
            continue
        env = {**outer, **_env(document, job)}
        folder = _folder(job, _folder(root, ""))
        for step in map(target, steps.items):
            run = step.get("run") if isinstance(step, Mapping) else None
            if isinstance(step, Mapping) and isinstance(run, Scalar) and wanted(run.text):
                text = _step(document, step, run, env, f"job {name}")
                if text is not None:
                    text.folder, text.group = _folder(step, folder), name
                    yield text


def _step(
    document: Document, step: Mapping, run: Scalar, env: Variables[str, Setting], label: str
) -> ShellText | None:
    shell = step.get("shell")
    if isinstance(shell, Scalar) and shell.text.split()[0:1] not in (["bash"], ["sh"]):
        return None
    written = fragment(document, run)
    if written is None:
        return None
    text = ""
    ranges: list[tuple[int, int]] = []
    known: Known = {}
    env = {**env, **_env(document, step)}
    at = 0
    for match in _EXPRESSION.finditer(written.text):
        text += written.text[at : match.start()]
        ranges += [(i, i + 1) for i in range(at, match.start())]
        at = match.end()
        begin = len(text)
        text += "${_}"
        ranges += [match.span()] * 4
        setting = env.get(match["name"] or "")
        value = setting.value if setting is not None else Unknown(match.group())
        sources = () if setting is None else (setting,)
        known[begin] = Part(value, begin, len(text), known=True, sources=sources)
    text += written.text[at:]
    ranges += [(i, i + 1) for i in range(at, len(written.text))]
    inner = Nested(written, text, ranges) if known else written
    whole = isinstance(shell, Scalar) or "windows" not in document.source.text  # PowerShell's
    scope = Scope(document, env, evaluated="once", label=label)
    return ShellText(inner, scope, known, whole=whole)


def _folder(holder: Mapping, outer: str) -> str:
    """Where the steps of a workflow or a job run, or the step at hand."""
    said = find(holder, "defaults", "run", "working-directory") or holder.get("working-directory")
    return said.text if isinstance(said, Scalar) else outer


class VariablePlace(EnvironmentPlace):
    """A value of an `env:` mapping."""

    __slots__ = ()

    def keep_secret(self) -> Edit | None:
        """The edit that takes the value from the secrets of the repository."""
        name = self.entry.name if self.entry is not None else None
        return self.write(Literal(f"${{{{ secrets.{name} }}}}")) if name else None


def _variables(document: Document) -> Iterator[Setting]:
    """The variables of every `env:` mapping."""
    for holder in walk(target(document.root)):
        if isinstance(holder, Mapping) and "env" in holder:
            yield from _env(document, holder).values()


def _env(document: Document, holder: Mapping) -> dict[str, Setting]:
    """The variables of an `env:` mapping."""
    found: dict[str, Setting] = {}
    listed = holder.get("env")
    for name, entry in listed.index.items() if isinstance(listed, Mapping) else ():
        node = target(entry.value)
        if not isinstance(node, Scalar) or not isinstance(listed, Mapping):
            continue
        value: Value = Unknown(node.text) if "${{" in node.text else Literal(node.text)
        place = VariablePlace(document, node, listed, entry)
        key = entry.key.span
        found[name] = Setting(
            name, value, document, node.span, name, key, origin="env", place=place
        )
    return found
