"""Words in front of the program that look like options of the launcher and are none.

Source: the launchers' argument parsers, as schemas/derive reads them: argparse takes a beginning
that only one option has (accelerate takes none shortened).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from cfglint.model.commandline import CommandLine
from cfglint.model.launch import Launch, Setting, Word
from cfglint.record import dataclass
from cfglint.releases.versions import Version, order
from cfglint.spelling import near

if TYPE_CHECKING:
    from cfglint.project import Project

# What other launchers call the same thing.
_ELSEWHERE = {
    ("torchrun", "nproc_per_gpu"): "--nproc_per_node",
    ("torchrun", "num_processes"): "--nproc_per_node",
    ("torchrun", "num_gpus"): "--nproc_per_node",
    ("torchrun", "num_nodes"): "--nnodes",
    ("torchrun", "num_machines"): "--nnodes",
    ("torchrun", "main_process_port"): "--master_port",
    ("torchrun", "main_process_ip"): "--master_addr",
    ("torchrun", "machine_rank"): "--node_rank",
    ("deepspeed", "nproc_per_node"): "--num_gpus",
    ("deepspeed", "num_processes"): "--num_gpus",
    ("deepspeed", "nnodes"): "--num_nodes",
    ("deepspeed", "main_process_port"): "--master_port",
    ("accelerate", "nnodes"): "--num_machines",
    ("accelerate", "node_rank"): "--machine_rank",
    ("accelerate", "master_addr"): "--main_process_ip",
    ("accelerate", "master_port"): "--main_process_port",
}
_DASHES = "-\u2010\u2011\u2012\u2013\u2014\u2015\u2212"


@dataclass(frozen=True, slots=True)
class UnknownOption:
    """A word that its launcher takes for no option.

    `could` are the options that a shortened one may mean, two or more or none. `meant` is the
    option that is meant, None where that is not clear, and `spelt` how the line would write it.
    `joined`: the word is an option and its value with a blank between, which no shell splits.
    `as_program`: the launcher takes it for its program.
    """

    text: str
    word: Word
    could: tuple[str, ...] = ()
    meant: str | None = None
    spelt: str = ""
    joined: bool = False
    as_program: bool = False


@dataclass(frozen=True, slots=True)
class OtherRelease:
    """An option that the pinned release of the launcher's package (`version`) does not have, though
    others do; `meant` is how that release spells it, None where it has no such option."""

    option: Setting
    version: Version
    meant: str | None = None


# torchrun takes dashes since torch 2.0.
_DASHES_SINCE = "2.0"
_PACKAGES = {
    "torchrun": "torch",
    "torch.distributed.launch": "torch",
    "accelerate": "accelerate",
    "deepspeed": "deepspeed",
}


def of_other_releases(launch: Launch, project: Project) -> Iterator[OtherRelease]:
    """The options of a launch that the release which the files pin does not have."""
    command = launch.command
    package = _PACKAGES.get(launch.launcher)
    if command is None or package is None:
        return
    version: Version | None = None
    for name, setting in command.given.items():
        before, after = command.unknown_in(name)
        dashed = package == "torch" and "-" in setting.key[2:]
        if not (before or after or dashed):
            continue
        version = version or project.versions(launch.document, package)
        if not version.pinned or version.number is None:
            return
        if dashed and version.before(_DASHES_SINCE):
            yield OtherRelease(setting, version, "--" + setting.key[2:].replace("-", "_"))
        elif (before and not _is_after(version, before)) or (after and not version.before(after)):
            yield OtherRelease(setting, version)


def _is_after(version: Version, number: str) -> bool:
    return order(version.number or "") > order(number)


def unknown_options(launch: Launch) -> Iterator[UnknownOption]:
    """The unknown options of a launch, none where a word may expand to options."""
    command = launch.command
    if command is None or command.opaque:
        return
    for word in command.unknown:
        text = word.text
        if text is not None and f"-{text}" in command.spellings:  # -nproc_per_node
            yield UnknownOption(text, word, meant=f"-{text}", spelt=f"-{text}")
            continue
        if text is None or not text.startswith("--") or len(text) < 4:
            continue
        if text == "--help":  # every argparse parser has it, and it reads no further
            return
        name, blank, _ = text.partition(" ")
        if blank and name in command.spellings:
            yield UnknownOption(text, word, joined=True)
            continue
        is_dashed = "_" not in text[2:]
        shared = sorted(s for s in command.spellings if is_dashed and s.startswith(text))
        several = launch.launcher != "accelerate" and len(shared) > 1
        meant = _meant(command, launch.launcher, text)
        spelt = _as_the_line(command, text, meant) if meant is not None else ""
        yield UnknownOption(text, word, tuple(shared) if several else (), meant, spelt)
    yield from _in_place_of_the_program(launch, command)


def _in_place_of_the_program(launch: Launch, command: CommandLine) -> Iterator[UnknownOption]:
    """An option that the launcher takes for its program: its dashes are left out, or are those that
    a text editor or a web page made of them."""
    program = launch.program
    if program is None or program.word is None or program.kind == "module":
        return
    text = program.word.text or ""
    name, sign, value = text.lstrip(_DASHES).partition("=")
    spelt = next(
        (s for s in (f"--{name}", f"--{name.replace('-', '_')}") if s in command.spellings), ""
    )
    if not spelt or (sign and command.spellings[spelt] not in command.valued):
        return
    # A file may be called like an option: without a sign of one, a program must follow.
    if text[0] not in _DASHES and not (sign and value and program.args):
        return
    whole = f"{spelt}{sign}{value}"
    yield UnknownOption(text, program.word, meant=spelt, spelt=whole, as_program=True)


def _meant(command: CommandLine, launcher: str, text: str) -> str | None:
    plain = text[2:].replace("-", "_")
    known = _ELSEWHERE.get((launcher, plain))
    if known:
        return known
    spellings = [s for s in command.spellings if s.startswith("--")]
    exact = next((s for s in spellings if s[2:].replace("-", "_") == plain), None)
    if exact:
        return exact
    names = {s[2:].replace("-", "_"): s for s in spellings if "-" not in s[2:]}
    found = near(plain, set(names))
    return names.get(found) if found else None


def _as_the_line(command: CommandLine, text: str, meant: str) -> str:
    """An option with dashes where the word has no underscore and the launcher takes them."""
    dashed = "--" + meant[2:].replace("_", "-")
    return dashed if "_" not in text[2:] and dashed in command.spellings else meant
