"""Values that a launcher's option does not take.

Sources: argparse (types and choices, as the launcher declares them; what begins with a dash is an
option, not a value); torch/distributed/run.py
(`determine_local_world_size`, `parse_min_max_nnodes`); torch/distributed/elastic/rendezvous
(registry.py: the backends that torch registers, beside which a package may register others;
utils.py, `_parse_rendezvous_config`; static_tcp_rendezvous.py: it needs a port); pdsh(1) on %n,
%h and %u.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cfglint.commands.build import FlagPlace
from cfglint.model.commandline import glued
from cfglint.model.edit import Edit
from cfglint.model.launch import Launch, Setting, Word
from cfglint.model.values import parse_int
from cfglint.patterns import lazy
from cfglint.record import dataclass
from cfglint.spelling import CURLY, near

_DEVICES = ("auto", "cpu", "gpu", "xpu")
_RENDEZVOUS = ("c10d", "static", "etcd", "etcd-v2")
# Backends of process groups, which are no rendezvous.
_GROUPS = frozenset(("nccl", "gloo", "mpi", "ucc", "hccl", "xccl", "tcp"))
# A place that a program fills in before anybody starts the file: by str.format, Jinja or sed.
_FILLED_IN = lazy(r"\{\{?[A-Za-z_][\w.]*\}?\}|__\w+__|@\w+@|%\(\w+\)[sd]")


@dataclass(frozen=True, slots=True)
class Glued:
    """A value that the next option is glued to: `--rdzv_id=7--rdzv_backend=c10d`. `apart` puts a
    blank between them, None where no shell reads it."""

    setting: Setting
    raw: str
    option: str
    apart: Edit | None


@dataclass(frozen=True, slots=True)
class Refused:
    """A literal value that the launcher refuses: what it takes, in words, and the choice that was
    plainly meant, None where none was."""

    setting: Setting
    text: str
    takes: str
    meant: str | None


@dataclass(frozen=True, slots=True)
class Lacking:
    """An option that takes a value, and has the next option behind it."""

    word: Word


def wrong_values(launch: Launch) -> Iterator[Glued | Refused | Lacking]:
    """The values of a command's options that are none."""
    command = launch.command
    if command is None:
        return
    if launch.program is not None:  # without one, the command is likely to have been cut short
        yield from map(Lacking, command.missing)
    for name, setting in command.given.items():
        text, raw = setting.text, setting.document.source.slice(setting.span)
        if name not in command.valued:
            continue
        if "pdsh" in launch.wrappers and text in ("%n", "%h", "%u"):
            continue  # pdsh fills in the number and name of the host, and the user
        option = glued(command.spellings, raw)
        if option is not None:
            place = setting.place
            apart = place.part(option) if isinstance(place, FlagPlace) else None
            yield Glued(setting, raw, option, apart)
        elif text is not None:
            kind, choices = command.takes(name)
            takes = _instead(launch, name, text, kind, choices)
            if takes is not None:
                known = _RENDEZVOUS if name == "rdzv_backend" else choices
                meant = near(text, known) if known else setting.reference
                bare = text.strip(CURLY)
                if bare != text and _instead(launch, name, bare, kind, choices) is None:
                    meant = bare
                yield Refused(setting, text, takes, meant)


def _instead(
    launch: Launch, name: str, text: str, kind: str, choices: tuple[str, ...]
) -> str | None:
    """What the option takes instead, None where the value is right."""
    if _FILLED_IN.fullmatch(text):
        return None
    if choices and text not in choices:
        return " or ".join([", ".join(choices[:-1]), choices[-1]]) if choices[1:] else choices[0]
    if kind == "int" and parse_int(text) is None:
        return "a whole number"
    if kind == "float" and not re.fullmatch(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?", text):
        return "a number"
    if launch.launcher != "torchrun":
        return None
    if name == "nproc_per_node" and not text.isdigit() and text not in _DEVICES:
        return "a number, auto, cpu, gpu or xpu"
    if name == "rdzv_backend" and "standalone" not in launch.settings and _is_no_rendezvous(text):
        return ", ".join(_RENDEZVOUS[:-1]) + " or " + _RENDEZVOUS[-1]
    if name == "rdzv_endpoint" and launch.is_static and text and not re.search(r":|^\W*$", text):
        return "host:port under a static rendezvous"
    if name == "rdzv_conf":
        pairs = (pair.partition("=") for pair in text.split(",")) if text.strip() else ()
        if not all(key.strip() and value.strip() for key, _, value in pairs):
            return "key=value, several with a comma between them"
    if name == "nnodes":
        match = re.fullmatch(r"(\d+)(?::(\d+))?", text)
        if match is None:
            return "a number, or MIN:MAX"
        if int(match[1]) == 0 or (match[2] and int(match[2]) < int(match[1])):
            return "a number above 0, or MIN:MAX with the smaller one first"
    return None


def _is_no_rendezvous(text: str) -> bool:
    """Whether no package will have registered a rendezvous of that name."""
    if text in _RENDEZVOUS:
        return False
    mixed_up = any(sorted(text.lower()) == sorted(name) for name in _RENDEZVOUS)
    return not text or mixed_up or text.lower() in _GROUPS or near(text, _RENDEZVOUS) is not None
