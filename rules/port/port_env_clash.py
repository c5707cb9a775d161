"""The default of the port never applies: the image sets the variable to something else.

## What it flags

A rendezvous port written `${NAME:-29500}` in a script, while a Dockerfile of the same folder or one
above it sets NAME to another literal (`ENV PORT=22` for sshd, a web server's PORT).

## Why it fails

Inside the image the variable is set, so that its value is taken:

    The server socket has failed to listen on any local network address. port: 22 ... EADDRINUSE
    PermissionError: [Errno 13] Permission denied

## Example

    === Dockerfile
    FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-runtime
    ENV PORT=22
    COPY . /workspace
    === tools/dist_train.sh
    PORT=${PORT:-29500}
    torchrun --nproc_per_node="$1" --master_port="$PORT" tools/train.py

Repair: a variable that nobody else uses.

    === tools/dist_train.sh
    PORT=${MASTER_PORT:-29500}
    torchrun --nproc_per_node="$1" --master_port="$PORT" tools/train.py
"""

import posixpath
from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import (
    ERROR,
    Finding,
    Launch,
    Related,
    Rule,
    Setting,
    Variable,
    default_literal,
    repair,
)

RULE = Rule(
    code="PORT010",
    name="port-env-clash",
    severity=ERROR,
    summary="the image sets the variable that the port's default relies on",
    fix="unsafe",
    symptoms=(r"EADDRINUSE", r"Permission denied"),
    cause="The default never applies: training tries to bind the image's number.",
    help="Use a variable of its own, MASTER_PORT.",
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """The launch's port, where an image that holds the script sets its variable."""
    port = launch.port
    if port is None or not isinstance(port.value, Variable) or port.value.default is None:
        return
    name, default = port.value.name, default_literal(port.value)
    if port.document.kind == "dockerfile" or "MASTER_PORT" in name:
        return
    for setting in _images(port, name, project):
        if setting.text is None or setting.text == default:
            continue
        line = setting.document.source.position(setting.span.start)[0]
        yield RULE.at(
            port,
            f"{setting.document.path}:{line} sets {name} to {setting.text}, so the default {default}"
            " never applies",
            fix=repair(
                "use MASTER_PORT", port.write(Variable("MASTER_PORT", port.value.default, ":-"))
            ),
            related=[Related(setting.document, setting.span, f"{name} in the image")],
        )
        return


def _images(port: Setting, name: str, project: Project) -> Iterator[Setting]:
    """What the Dockerfiles at or above the script's folder set the variable to."""
    folder = posixpath.dirname(port.document.path)
    for document in project.of_kind("dockerfile"):
        above = posixpath.dirname(document.path)
        if above not in ("", folder) and not folder.startswith(above + "/"):
            continue
        for launch in document.launches:
            if name in launch.env:
                yield launch.env[name]
