"""Options of a launcher that stand behind the program's name, where the program gets them.

Source: the launchers' own argument parsers, which take the rest of the line for the program's.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from cfglint.model.edit import Edit
from cfglint.model.launch import Launch, Program, Word
from cfglint.patterns import lazy
from cfglint.programs import entrypoints
from cfglint.record import dataclass
from cfglint.text import Span

if TYPE_CHECKING:
    from cfglint.project import Project

# Options that no training program has of its own.
_SURE = {
    "torchrun": frozenset({
        "nproc_per_node", "rdzv_backend", "rdzv_endpoint", "rdzv_id", "rdzv_conf", "standalone",
    }),
    "accelerate": frozenset({
        "num_machines", "machine_rank", "main_process_ip", "main_process_port", "num_processes",
        "multi_gpu", "use_fsdp", "deepspeed_multinode_launcher",
    }),
    "deepspeed": frozenset({"num_nodes", "hostfile"}),
}  # fmt: skip
_LIKELY = {
    "torchrun": frozenset({"nnodes", "node_rank", "master_addr", "master_port", "max_restarts"}),
    "accelerate": frozenset({"config_file", "use_deepspeed", "gpu_ids"}),
    "deepspeed": frozenset({
        "num_gpus", "include", "exclude", "master_addr", "master_port", "ssh_port",
    }),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Stray:
    """A launcher's option among the program's arguments: its spelling there (`--nnodes`), its word,
    and the word of its value where that is one of its own. `certain`: no program that is not seen
    may have an option of that name."""

    spelling: str
    word: Word
    value: Word | None = None
    certain: bool = True

    @property
    def span(self) -> Span:
        """Where the option and its value stand."""
        return Span(self.word.span.start, (self.value or self.word).span.end)


def strays(launch: Launch, project: Project) -> list[Stray]:
    """The options of a launch's launcher that its program gets, and is not seen to take itself."""
    command, program = launch.command, launch.program
    if command is None or program is None or program.kind not in ("script", "module", "command"):
        return []
    if launch.launcher == "accelerate" and program.text.lower() in ("true", "false", "yes", "no"):
        return []  # acc-flag-takes-no-value's fault
    sure = _SURE.get(launch.launcher, frozenset())
    likely = _LIKELY.get(launch.launcher, frozenset())
    if not command.follows(sure | likely):
        return []
    args = program.args
    spelt = [(word.text or word.raw).split("=")[0] for word in args]
    if not any(one in command.spellings for one in spelt):
        return []
    # who writes one option of the launcher there means the others for it too
    seen = project.exists(launch.document, _file(program)) is True or any(
        command.spellings.get(one) in sure for one in spelt
    )
    rare = _RARELY_OWN if program.kind != "command" else frozenset()
    found = []
    for at, (word, spelling) in enumerate(zip(args, spelt, strict=True)):
        option = command.spellings.get(spelling)
        if option is None or option in command.given or option not in sure | likely:
            continue
        takes = option in command.valued and "=" not in word.raw and at + 1 < len(args)
        value = args[at + 1] if takes else None
        certain = seen or option in sure or _is_of_hosts(option, word, value)
        if not (certain or option in rare) or entrypoints.python_names(project, option):
            continue
        if any(a.text == "--" for a in args[:at]):
            continue
        found.append(Stray(spelling, word, value, certain))
    return found


# Those of the others that few programs have: the environment tells them. (Many count nodes.)
_RARELY_OWN = frozenset({"num_gpus", "master_addr", "master_port"})
_HOSTS = lazy(r"[\w.-]+:\d+(?:,\d+)*(?:@[\w.-]+(?::\d+(?:,\d+)*)?)*")


def _is_of_hosts(option: str, word: Word, value: Word | None) -> bool:
    """Whether an option names hosts and their devices: `--include localhost:0,1`."""
    text = value.text if value is not None else word.raw.partition("=")[2]
    return option in ("include", "exclude") and _HOSTS.fullmatch(text or "") is not None


def to_front(launch: Launch, found: list[Stray]) -> list[Edit | None]:
    """The edits that put options in front of the program: all of them, since one without the
    others would be another job."""
    words = [one for stray in found for one in (stray.word, stray.value) if one is not None]
    put = launch.command.insert(*(one.raw for one in words)) if launch.command else None
    runs: list[list[Word]] = []
    args = list(launch.program.args) if launch.program is not None else []
    for at, one in enumerate(args):
        if not any(one is word for word in words):
            continue
        if at and runs and runs[-1][-1] is args[at - 1]:
            runs[-1].append(one)
        else:
            runs.append([one])
    return [*(edit for run in runs for edit in _removed(run)), put]


def _removed(run: list[Word]) -> list[Edit | None]:
    """The edits that take words out that follow each other."""
    edits = [one.place.remove() for one in run]
    known = [one for one in edits if one is not None]
    if any(a.span.end > b.span.start for a, b in pairwise(known)):
        return [run[0].remove_to(run[-1])]  # the first of a list in brackets share their commas
    return edits


def _file(program: Program) -> str:
    if program.kind == "command" and program.args and program.text.startswith("python"):
        return program.args[0].text or ""  # launch-python's fault
    if program.kind == "module":
        return program.text.replace(".", "/") + ".py"
    return program.text
