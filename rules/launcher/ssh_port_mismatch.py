"""deepspeed dials the other hosts on port 22, and sshd listens on another one.

## What it flags

A `deepspeed --hostfile` command without `--ssh_port`, where a file of the same folder starts sshd
on another port (`sshd -p 2222` in compose, a Dockerfile or a script, `Port` in sshd_config). Where one
of them gives ssh a configuration too (`ssh_config`, a `.ssh` folder), that may name the port.

## Why it fails

The launcher reaches the host's own sshd on port 22 instead of the container's, where neither the
environment nor the code is:

    RuntimeError: Using hostfile at hostfile but host=10.0.0.6 was not reachable via ssh.
    bash: line 1: python: command not found

## Example

    === run.sh
    deepspeed --hostfile hostfile --master_addr 10.0.0.5 train.py
    === hostfile
    10.0.0.5 slots=8
    10.0.0.6 slots=8
    === compose.yaml
    services:
      trainer:
        image: registry.local/ds:0.15
        network_mode: host
        command: /usr/sbin/sshd -D -p 2222

Repair: the port of that sshd.

    === run.sh
    deepspeed --ssh_port 2222 --hostfile hostfile --master_addr 10.0.0.5 train.py
"""

from collections.abc import Iterator

from cfglint.programs import entrypoints
from cfglint.project import Project
from cfglint.rule import WARNING, Document, Finding, Launch, Related, Rule, Span, repair

RULE = Rule(
    code="RUN011",
    name="ssh-port-mismatch",
    severity=WARNING,
    summary="deepspeed dials port 22, sshd listens on another",
    fix="unsafe",
    symptoms=(r"was not reachable via ssh", r"ssh: connect to host .* port 22: Connection refused"),
    cause="The launcher reaches the host's own sshd, where the environment is missing, or none.",
    help="Give deepspeed the port of the sshd that is meant: --ssh_port.",
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """A deepspeed command with a hostfile."""
    if launch.launcher != "deepspeed" or "hostfile" not in launch.settings:
        return
    if "ssh_port" in launch.settings or launch.command is None or "no_ssh" in launch.command.given:
        return
    if "launcher_args" in launch.command.given or "PDSH_SSH_ARGS" in launch.env:
        return
    for document, span, port in _daemons(launch, project):
        yield RULE.finding(
            launch.document,
            launch.settings["hostfile"].key_span or launch.span,
            f"deepspeed dials port 22, but {document.path} starts sshd on {port}",
            fix=repair(f"dial port {port}", launch.command.insert("--ssh_port", str(port))),
            related=[Related(document, span, "this sshd")],
        )
        return


def _daemons(launch: Launch, project: Project) -> Iterator[tuple[Document, Span, str]]:
    """The sshd commands in files of the same folder that name a port; none where one of these files
    gives ssh a configuration, which may name it too."""
    here = list(project.beside(launch.document))
    if any(map(entrypoints.sets_up_ssh, here)):
        return
    for document in here:
        for span, port in entrypoints.ssh_daemons(document):
            if port != "22":
                yield document, span, port
