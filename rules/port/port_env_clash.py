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

from collections.abc import Iterator

from cfglint.jobs import ports
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
    setting = next(_set(port, name, project), None)
    if setting is not None:
        own = Variable("MASTER_PORT", port.value.default, ":-")
        line = setting.document.source.position(setting.span.start)[0]
        yield RULE.at(
            port,
            f"{setting.document.path}:{line} sets {name} to {setting.text}, so the default {default}"
            " never applies",
            fix=repair("use MASTER_PORT", port.write(own)),
            related=[Related(setting.document, setting.span, f"{name} in the container")],
        )


def _set(port: Setting, name: str, project: Project) -> Iterator[Setting]:
    """Where the port's variable is set to something else; an env file's may be meant for the
    script, unless it is a service's."""
    from cfglint.jobs import presets  # here: few ports are variables with a default

    files = presets.in_env_files(port.document, name, project)
    services = (x for x in files if (x.number or 0) < 1024 or x.number in ports.SERVICES)
    for setting in (*presets.in_images(port.document, name, project), *services):
        if setting.text not in (None, default_literal(port.value)):
            yield setting
