"""Who reads a DeepSpeed config: the launches and configs that name it, and what they say beside it.

A config that a command names with `--deepspeed FILE` is read by the Hugging Face trainer (it is an
option of its TrainingArguments), one behind `--deepspeed_config` by DeepSpeed itself; one in an
accelerate config by accelerate, one in a LLaMA-Factory file by the trainer.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cfglint.files.embedded import every
from cfglint.model.document import Document
from cfglint.model.launch import ConfigRef, Launch
from cfglint.model.tree import target
from cfglint.model.values import parse_int
from cfglint.patterns import lazy
from cfglint.record import dataclass
from cfglint.text import Span

if TYPE_CHECKING:
    from cfglint.deepspeed.config import DeepSpeedConfig
    from cfglint.llamafactory.arguments import Arguments
    from cfglint.project import Project

SOURCE_BYTES = 400_000
TRAINER_WORDS = (b"TrainingArguments", b"HfArgumentParser", b"llamafactory", b"llmtuner", b"swift.")
SPLITTING_WORDS = (b"mpu", b"PipelineModule", b"megatron", b"tensor_parallel", b"mesh_device")
_INCLUDED = lazy(r"(?:^|(?<=@))([\w.-]+):(\d+(?:,\d+)*)(?=@|$)")  # --include HOST:0,1@HOST:0
PLAIN_WORDS = (b"deepspeed.initialize", b"deepspeed.add_config_arguments")


@dataclass(frozen=True, slots=True)
class TrainerValue:
    """A value of a trainer's argument: what it is, where it stands (None: it is a default)."""

    value: Any
    document: Document
    span: Span | None


@dataclass(frozen=True, slots=True)
class Use:
    """One reader of a config.

    `kind`: "trainer", "accelerate", "deepspeed", or "program" where a program does with it what
    it likes. `document` and `span` say where it is named. `trains` says that what accelerate starts
    is known to be LLaMA-Factory, and so the trainer.
    `launch` is the command that starts it, None where only a config names it; `source` the text of
    the program it starts, where that is in the tree. `argument(name)` answers for the trainer's
    arguments, None where the files do not show one.
    """

    kind: str
    document: Document
    span: Span
    launch: Launch | None = None
    source: bytes = b""
    argument: Callable[[str], TrainerValue | None] = lambda name: None
    trains: bool = False

    @property
    def where(self) -> str:
        """The place in words."""
        return f"{self.document.path}:{self.document.source.position(self.span.start)[0]}"

    @property
    def reader(self) -> str:
        """Who reads the config, in words."""
        return {
            "trainer": "the Hugging Face trainer",
            "accelerate": "accelerate",
            "deepspeed": "DeepSpeed itself",
            "program": "the program",
        }[self.kind]

    @property
    def compares(self) -> bool:
        """Whether the trainer holds the config against its own arguments."""
        known = self.kind == "trainer" or self.trains
        return known or any(word in self.source for word in TRAINER_WORDS)

    @property
    def world_size(self) -> int | None:
        """How many processes train together, None where the files leave it open."""
        return world_size(self.launch) if self.launch else None

    @property
    def data_parallel_size(self) -> int | None:
        """How many processes share a batch: all of them under the trainer; None where the program
        may split models over some of them."""
        splits = any(word in self.source for word in SPLITTING_WORDS)
        if self.kind == "deepspeed" and (splits or not self.source):
            return None
        return self.world_size


def world_size(launch: Launch) -> int | None:
    """The processes of a launch over all its machines, None where the files leave that open."""
    total = launch.get("num_processes")
    if total is not None:
        return total.number
    if launch.launcher in ("torchrun", "llamafactory", "swift"):
        each = launch.get("nproc_per_node")
        default = 1 if launch.launcher == "torchrun" and each is None else None
        count = each.number if each is not None else default
    elif launch.launcher == "deepspeed":
        gpus = launch.get("num_gpus")
        count = gpus.number if gpus is not None else None
        if "include" in launch.settings:
            return _included(launch)
        if "hostfile" in launch.settings:
            return _slots(launch, count)
        if launch.get("nnodes") is None:
            return count if count and count > 0 else None
    else:
        return None
    machines = launch.machines()
    return count * machines if count and count > 0 and machines else None


def _slots(launch: Launch, each: int | None) -> int | None:
    """The slots of a hostfile that are used: of its first --num_nodes hosts, --num_gpus of each."""
    first = launch.get("nnodes")
    if "num_gpus" in launch.settings and each is None:
        return None
    if first is not None and first.number is None:
        return None
    for reference in launch.configs:
        if reference.role == "hostfile" and reference.document is not None:
            hosts = list(getattr(reference.document.tree, "hosts", None) or ())
            if first is not None and first.number and first.number > 0:
                hosts = hosts[: first.number]
            return sum(each if each and each > 0 else host.slots for host in hosts) or None
    return None


def _included(launch: Launch) -> int | None:
    """The GPUs that --include lists, None where a host is to give all that it has."""
    chosen = launch.get("include")
    hosts = _INCLUDED.findall(chosen.text or "") if chosen is not None else []
    if chosen is None or "@".join(f"{host}:{slots}" for host, slots in hosts) != chosen.text:
        return None
    return sum(len(set(slots.split(","))) for _, slots in hosts) or None


def uses_of(config: DeepSpeedConfig, project: Project) -> list[Use]:
    """The readers of a config that the repository shows."""
    if config.is_inline:
        return list(_by_llamafactory(config.document, config.root.span, project))
    from cfglint.files.mentions import read_mentions

    if config.document.outer is None:
        read_mentions(project, config.document)
    found: list[Use] = []
    in_configs, in_launches = _references(project)
    for document, reference in in_configs:
        if _is(reference, config, document, project):
            found.extend(_of_config(document, reference, project))
    for launch, reference in in_launches:
        if _is(reference, config, launch.document, project):
            found.extend(_of_launch(launch, reference, project))
    return found


References = tuple[list[tuple["Document", ConfigRef]], list[tuple[Launch, ConfigRef]]]


def _references(project: Project) -> References:
    """Every place where a config or a launch names a DeepSpeed config."""

    def search() -> References:
        documents = list(every(project.documents))
        in_configs = [(d, r) for d in documents for r in d.links if r.role == "deepspeed"]
        in_launches = [
            (launch, reference)
            for launch in _launches(project)
            for reference in launch.configs
            if reference.role == "deepspeed" and reference not in launch.document.links
        ]
        return in_configs, in_launches

    # What is read for context later adds to the answer.
    found: References = project.fact(("DeepSpeed references", len(project.documents)), search)
    return found


def _launches(project: Project) -> Iterator[Launch]:
    yield from project.launches
    known = {id(launch.document) for launch in project.launches}
    for document in project.documents:  # read for context since the project was linked
        if id(document) not in known:
            yield from document.launches


def _is(
    reference: ConfigRef, config: DeepSpeedConfig, document: Document, project: Project
) -> bool:
    if reference.role != "deepspeed":
        return False
    if reference.written is None and not reference.path.endswith(config.document.file.name):
        return False
    return project.follow(document, reference) is config.document


def _of_config(document: Document, reference: ConfigRef, project: Project) -> Iterator[Use]:
    """The readers behind a config that names another."""
    if document.kind == "llamafactory":
        yield from _by_llamafactory(document, reference.span, project)
    elif document.kind == "accelerate":
        launches = [x for x in _launches(project) if document in x.documents()]
        for launch in launches or document.launches:
            yield by_accelerate(launch, document, reference.span, project)


def by_accelerate(launch: Launch, document: Document, span: Span, project: Project) -> Use:
    """The reader of what an accelerate config says of DeepSpeed: what its launch starts."""
    of = next((r.document for r in launch.configs if r.role == "llamafactory"), None)
    values = _command_values(launch)
    if of is not None and of.kind == "llamafactory":
        values, trains = _llamafactory_values(of, project), True
    else:
        from cfglint.llamafactory.flags import flags

        given = flags(launch, project)
        trains = given is not None
        values = values if given is None else partial(_argument, given)
    trains = trains and values("deepspeed") is None  # else the trainer reads a file of its own
    source = program_source(launch, project)
    return Use("accelerate", document, span, launch, source, values, trains)


def _by_llamafactory(document: Document, span: Span, project: Project) -> Iterator[Use]:
    values = _llamafactory_values(document, project)
    launches: list[Launch | None] = [*project.users(document)]
    for launch in launches or [None]:
        yield Use("trainer", document, span, launch, b"", values)


def _of_launch(launch: Launch, reference: ConfigRef, project: Project) -> Iterator[Use]:
    """The reader that a command gives the config to."""
    if launch.document.kind == "accelerate":
        return
    option = _option(launch, reference)
    values, source = _program_values(launch, project), program_source(launch, project)
    if option == "":  # the launcher's own: accelerate launch --deepspeed_config_file
        yield Use("accelerate", launch.document, reference.span, launch, source, values)
        return
    trains = any(word in source for word in TRAINER_WORDS)
    plain = any(word in source for word in PLAIN_WORDS)
    # HfArgumentParser takes other arguments, too: such a program reads the file itself.
    loads = b"json.load" in source and b"TrainingArguments" not in source
    if loads or (option == "deepspeed_config" and source and not trains and not plain):
        yield Use("program", launch.document, reference.span)
        return
    if option == "deepspeed" and (trains or not plain):
        yield Use("trainer", launch.document, reference.span, launch, source, values)
    elif option == "deepspeed_config" and not trains and (plain or not source):
        yield Use("deepspeed", launch.document, reference.span, launch, source, values)


def _option(launch: Launch, reference: ConfigRef) -> str | None:
    """The program's option that a config stands behind, "" where it is one of the launcher's."""
    previous = ""
    for word in launch.program.args if launch.program else ():
        text = word.text or word.raw
        name, sign, value = text.partition("=")
        if sign and value == reference.path:
            return name.lstrip("-").replace("-", "_")
        if text == reference.path:
            return previous.lstrip("-").replace("-", "_")
        previous = text
    return ""


def program_source(launch: Launch, project: Project) -> bytes:
    """The text of the Python program that a launch starts, b"" where it is not in the tree."""
    program = launch.program
    if program is None:
        return b""
    if program.kind == "module" or not program.text.endswith(".py"):
        return program.text.encode("utf-8", "surrogatepass") + b"."

    def read() -> bytes:
        inside = f"{launch.folder}/{program.text}" if launch.folder else ""
        for text in (inside, program.text):
            for path in project.candidates(launch.document, text):
                if project.is_inside(path) and os.path.isfile(path):
                    with Path(path).open("rb") as file:
                        return file.read(SOURCE_BYTES)
        return b""

    place = (launch.document.path, launch.folder, program.text)
    text: bytes = project.fact(("source", *place), read)
    return text


# -- the trainer's arguments -----------------------------------------------------------------------


def _llamafactory_values(
    document: Document, project: Project
) -> Callable[[str], TrainerValue | None]:
    def value(name: str) -> TrainerValue | None:
        from cfglint.llamafactory.arguments import arguments

        return _argument(arguments(document, project), name)

    return value


def _argument(given: Arguments | None, name: str) -> TrainerValue | None:
    """One of LLaMA-Factory's arguments, its default where it is not given."""
    from cfglint.releases.checks import UNKNOWN

    if given is None or given.form != "train":
        return None
    known = given.value(name)
    if known is UNKNOWN or known is None:
        return None
    entry = given.entry(name)
    return TrainerValue(known, given.document, target(entry.value).span if entry else None)


def _program_values(launch: Launch, project: Project) -> Callable[[str], TrainerValue | None]:
    """The arguments that a command line gives its program, with the defaults of one that is known
    to be LLaMA-Factory."""
    from cfglint.llamafactory.flags import flags

    given = flags(launch, project)
    return _command_values(launch) if given is None else partial(_argument, given)


def _command_values(launch: Launch) -> Callable[[str], TrainerValue | None]:
    """The arguments that a command line gives its program; what it does not give is not known."""

    def value(name: str) -> TrainerValue | None:
        words = list(launch.program.args) if launch.program else []
        for i, word in enumerate(words):
            text = word.text or ""
            option, sign, given = text.partition("=")
            if option.lstrip("-").replace("-", "_") != name or not option.startswith("--"):
                continue
            if sign:
                return TrainerValue(_typed(given), launch.document, word.span)
            after = words[i + 1] if i + 1 < len(words) else None
            if after is None or (after.text or "").startswith("--"):
                return TrainerValue(True, launch.document, word.span)
            if after.text is None:
                return None
            return TrainerValue(_typed(after.text), launch.document, after.span)
        return None

    return value


def _typed(text: str) -> Any:
    """A command line's text as argparse types it for a number or truth value, else itself."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    whole = parse_int(text)
    if whole is not None:
        return whole
    try:
        return float(text)
    except ValueError:
        return text
