"""Whether the shell that reads a variable's value has what whoever starts the launch has exported.

Sources: docker run (a container gets the variables that -e names), ssh (those that SendEnv and
AcceptEnv let through), sudo (env_reset), apptainer (all but with --cleanenv), Kubernetes (those of
the manifest and the image).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cfglint.model.edit import Edit
from cfglint.model.launch import Launch, Setting

if TYPE_CHECKING:
    from cfglint.syntax.shell import Command

_CONTAINERS = frozenset(("docker", "podman", "nerdctl", "nvidia-docker", "docker-compose"))
_SHUT = _CONTAINERS | frozenset(("ssh", "pdsh", "clush", "pssh", "dsh", "rsh", "kubectl", "sudo"))
_CLEAN = frozenset(("--cleanenv", "-e", "--containall", "-C"))  # of apptainer
_WRAPPERS = frozenset(("docker run", "docker exec", "ssh", "pdsh"))


def edits(launch: Launch, setting: Setting) -> list[Edit] | None:
    """The edits without which a variable of the caller's does not reach the shell that reads a
    setting's value: [] where it is there anyway, None where they cannot be written."""
    flow = launch.flow
    fragment = getattr(getattr(setting.place, "word", None), "fragment", None)
    at = next((i for i, c in enumerate(flow) if c.script.fragment is fragment), -1)
    if at < 0:
        return []
    if launch.document.kind == "kubernetes":
        return None
    around = [name for command in flow[at + 1 :] if (name := _shuts(command))]
    if not around:
        # Each wrapper that takes the variables away must be seen to stand behind the setting.
        shut = [name for command in flow[: at + 1] if (name := _shuts(command))]
        return [] if shut or at + 1 == len(flow) or _WRAPPERS.isdisjoint(launch.wrappers) else None
    pass_env = launch.container.pass_env if launch.container is not None else None
    if len(around) > 1 or around[0] not in _CONTAINERS or pass_env is None:
        return None
    edit = pass_env(setting.key or setting.name)
    return [edit] if edit is not None else None


def _shuts(command: Command) -> str:
    """The program of a command that keeps the caller's variables from what it starts, "" where
    there is none."""
    words: Any = command.words
    for number, word in enumerate(words):
        name = (word.text or "").rpartition("/")[2]
        if name in _SHUT:
            keeps = {"-E", "--preserve-env"}.intersection(w.text or "" for w in words[number:])
            return "" if name == "sudo" and keeps else name
        if name in ("apptainer", "singularity"):
            return name if _CLEAN.intersection(w.text or "" for w in words[number:]) else ""
        if number and name[:1] != "-" and "=" not in name and not name.isdigit():
            break
    return ""
