"""The env files that Makefiles include and justfiles load.

make reads `include .env` as lines of a Makefile of its own: quotes stay, and nothing reaches a
recipe's commands unless it is exported. just takes quotes off, and exports all.
Sources: GNU make manual (include, "Communicating Variables to a Sub-make"), just manual (dotenv).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cfglint.model.document import Document
from cfglint.model.launch import ConfigRef, Launch, Setting
from cfglint.model.values import Literal, Value, Variable
from cfglint.readers import dotenv
from cfglint.text import Span

_INCLUDE = re.compile(r"^ *(?:-|s)?include[ \t]+(?P<paths>[^#\r\n]+)", re.M)
_CONDITION = re.compile(r"^ *(?P<word>ifn?def|ifn?eq|else|endif)\b(?P<of>.*)", re.M)
# Everything is exported: `export` alone, and `export $(shell sed 's/=.*//' .env)`.
_EXPORT = re.compile(
    r"^ *(?:export[ \t]*(?:#.*)?$|export[ \t]+\$\(shell [^\r\n]*env|\.EXPORT_ALL_VARIABLES:)", re.M
)
_LOAD = re.compile(
    r"^set[ \t]+dotenv-(?P<what>load|filename|path|override|required)\b"
    r"(?:[ \t]*:=[ \t]*(?:(?P<no>false)|true|['\"](?P<path>[^'\"\r\n]+)['\"]))?", re.M
)  # fmt: skip


def references(document: Document) -> list[ConfigRef]:
    """The env files whose variables the commands of every recipe get."""
    found = _loaded if document.kind == "justfile" else _included
    text = document.source.text
    if "env" not in text:
        return []
    return [ConfigRef("env_file", path, span, movable=True) for path, span in found(text)]


def _loaded(text: str) -> Iterator[tuple[str, Span]]:
    lines = [line for line in _LOAD.finditer(text) if not line["no"]]
    named = [line for line in lines if line["path"]]
    for line in named or lines[:1]:
        yield line["path"] or ".env", Span(*line.span())


def _included(text: str) -> Iterator[tuple[str, Span]]:
    if _EXPORT.search(text) is None:
        return
    for line in _INCLUDE.finditer(text):
        if _is_conditional(text, line.start()):
            continue
        for word in re.finditer(r"[^\s$]+(?=\s|$)", line["paths"]):
            path = word.group()
            if "env" in path:
                start = line.start("paths") + word.start()
                yield path, Span(start, start + len(path))


def _is_conditional(text: str, at: int) -> bool:
    """Whether a line counts only sometimes; a file that is there passes `$(wildcard .env)`."""
    around: list[bool] = []
    for line in _CONDITION.finditer(text, 0, at):
        if line["word"] == "endif":
            del around[-1:]
        elif line["word"] == "else":
            around[-1:] = [True]
        else:
            around.append("wildcard" not in line["of"])
    return any(around)


def variables(launch: Launch, files: list[Document]) -> dict[str, Setting]:
    """The variables of a recipe's command, with what env files say."""
    just = launch.document.kind == "justfile"
    env: dict[str, Setting] = {}
    for file in files:
        for name, setting in dotenv.variables(file, "compose" if just else "docker").items():
            # make expands dollars, and takes no `#`.
            if just or _is_plain(setting.value):
                env[name] = setting
    for name, setting in launch.env.items():
        value = setting.value
        if name not in env or not (isinstance(value, Variable) and value.name == name):
            env[name] = setting  # a default, `NAME ?= value`, leaves what the file says
    return env


def _is_plain(value: Value) -> bool:
    return isinstance(value, Literal) and not re.search("[$#]", value.text)
