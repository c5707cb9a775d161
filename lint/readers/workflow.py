"""GitHub workflows: the `run:` steps that start training.

`${{ ... }}` is replaced before a shell runs; `env` of workflow, job and step are exported.
Source: GitHub Actions, workflow syntax.
"""

from __future__ import annotations

import re
from collections.abc import Mapping as Variables

from cfglint.commands import may_launch, shell_launches
from cfglint.commands.scope import Scope
from cfglint.model.document import Document
from cfglint.model.editing import NodePlace
from cfglint.model.launch import Setting
from cfglint.model.tree import Mapping, Scalar, Sequence, find, target
from cfglint.model.values import Literal, Unknown, Value
from cfglint.syntax.shell_nested import Known, Nested
from cfglint.syntax.shell_words import Part
from cfglint.syntax.yaml_text import fragment

_EXPRESSION = re.compile(r"\$\{\{.*?\}\}", re.S)


def read(document: Document) -> None:
    """Make the launches of every step."""
    if not may_launch(document.source.text) or document.root is None:
        return
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
        for step in map(target, steps.items):
            if isinstance(step, Mapping):
                _step(document, step, env, f"job {name}")


def _step(document: Document, step: Mapping, env: Variables[str, Setting], label: str) -> None:
    run, shell = step.get("run"), step.get("shell")
    if not isinstance(run, Scalar) or not may_launch(run.text):
        return
    if isinstance(shell, Scalar) and shell.text.split()[0:1] not in (["bash"], ["sh"]):
        return
    written = fragment(document, run)
    if written is None:
        return
    text = ""
    ranges: list[tuple[int, int]] = []
    known: Known = {}
    at = 0
    for match in _EXPRESSION.finditer(written.text):
        text += written.text[at : match.start()]
        ranges += [(i, i + 1) for i in range(at, match.start())]
        at = match.end()
        begin = len(text)
        text += "${_}"
        ranges += [match.span()] * 4
        known[begin] = Part(Unknown(match.group()), begin, len(text), known=True)
    text += written.text[at:]
    ranges += [(i, i + 1) for i in range(at, len(written.text))]
    inner = Nested(written, text, ranges) if known else written
    scope = Scope(document, {**env, **_env(document, step)}, evaluated="once", label=label)
    document.launches += shell_launches(inner, scope, known)


def _env(document: Document, holder: Mapping) -> dict[str, Setting]:
    """The variables of an `env:` mapping."""
    found: dict[str, Setting] = {}
    listed = holder.get("env")
    for name, entry in listed.index.items() if isinstance(listed, Mapping) else ():
        node = target(entry.value)
        if not isinstance(node, Scalar) or not isinstance(listed, Mapping):
            continue
        value: Value = Unknown(node.text) if "${{" in node.text else Literal(node.text)
        place = NodePlace(document, node, listed, entry)
        key = entry.key.span
        found[name] = Setting(
            name, value, document, node.span, name, key, origin="env", place=place
        )
    return found
