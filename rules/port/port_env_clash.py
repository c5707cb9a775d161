"""The default of the port never applies: the image or an env file sets the variable.

## What it flags

A rendezvous port written `${NAME:-29500}` in a script, while a Dockerfile of the same folder or one
above it sets NAME to another literal (`ENV PORT=22` for sshd, a web server's PORT). The same where a
Compose service starts the script with an `env_file` that sets NAME to a service's port; another
number there may be meant for the script.

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

from cfglint import ports
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
    summary="the image or an env file sets the variable that the port's default relies on",
    fix="unsafe",
    symptoms=(r"EADDRINUSE", r"Permission denied"),
    cause="The default never applies: training tries to bind another service's number.",
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
    for setting in (*_images(port, name, project), *_env_files(port, name, project)):
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
            related=[Related(setting.document, setting.span, f"{name} in the container")],
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


def _env_files(port: Setting, name: str, project: Project) -> Iterator[Setting]:
    """What the env files of Compose services that start the script set the variable to."""
    folder, script = posixpath.split(port.document.path)
    for document in project.of_kind("compose"):
        above = posixpath.dirname(document.path)
        if above not in ("", folder) and not folder.startswith(above + "/"):
            continue
        for started, env in document.facts.get("scripts", ()):
            setting = env.get(name)
            if setting is None or posixpath.basename(started) != script:
                continue
            number = setting.number
            if setting.document.kind == "dotenv" and (
                number is None or number < 1024 or number in ports.SERVICES
            ):
                yield setting
