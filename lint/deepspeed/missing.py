"""References to DeepSpeed configs that lead nowhere."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from cfglint.model.document import Document
from cfglint.model.edit import Edit
from cfglint.model.launch import ConfigRef, Launch
from cfglint.model.values import Literal
from cfglint.patterns import lazy
from cfglint.record import dataclass
from cfglint.spelling import near
from cfglint.text import Span

if TYPE_CHECKING:
    from cfglint.project import Project


@dataclass(frozen=True, slots=True)
class MissingConfig:
    """A reference to a DeepSpeed config that leads to no file.

    `near` is the path, written as the reference is, of the one file that was likely meant.
    """

    document: Document
    reference: ConfigRef
    launch: Launch | None
    near: str | None

    def rename(self, path: str) -> Edit | None:
        """The edit that names another file."""
        if self.reference.setting is not None:
            return self.reference.setting.write(path)
        for word in self.launch.program.args if self.launch and self.launch.program else ():
            if word.text == self.reference.path:
                return word.place.write(Literal(path))
            option, sign, value = (word.text or "").partition("=")
            if sign and value == self.reference.path:
                return word.place.write(Literal(f"{option}={path}"))
        return None


def missing_configs(project: Project) -> Iterator[MissingConfig]:
    """The references to DeepSpeed configs that surely lead nowhere."""
    seen: set[tuple[str, Span]] = set()
    pairs: list[tuple[Document, ConfigRef, Launch | None]] = [
        (document, reference, None)
        for document in project.documents
        for reference in document.links
    ]
    pairs += [(x.document, reference, x) for x in project.launches for reference in x.configs]
    for document, reference, launch in pairs:
        place = (document.path, reference.span)
        if reference.role != "deepspeed" or place in seen or not document.given:
            continue
        if _is_option_default(document, reference, launch):
            continue
        if reference.written is not None or reference.made:
            continue  # the script itself writes it
        if reference.movable:
            continue  # it may be made before, or lie where the script goes
        seen.add(place)
        if launch is not None and (
            reference in launch.document.links or not _is_seen(launch, reference)
        ):
            continue
        path = reference.place or reference.started_at
        if reference.folder and project.exists(document, reference.path) is not False:
            continue
        if project.exists(document, path) is False:
            # Where a container has it under another name, that of a file here is none to write.
            named = path == reference.started_at
            near_path = _near_file(document, path, project) if named else None
            like = near_path or (named and _near_file(document, path, project, any_stage=True))
            if like or _is_expected(document, path, launch, project):
                if near_path and reference.folder:
                    near_path = near_path.removeprefix(f"{reference.folder}/")
                yield MissingConfig(document, reference, launch, near_path)


def _is_seen(launch: Launch, reference: ConfigRef) -> bool:
    """Whether a command names a file of the tree, and not one of an image or another machine."""
    from cfglint.jobs.missing_configs import is_in_image, starts_here

    return starts_here(launch) and (not is_in_image(launch) or bool(reference.place))


def _is_option_default(document: Document, reference: ConfigRef, launch: Launch | None) -> bool:
    """Whether a path is only what a variable holds unless an option of the script says otherwise:
    Kaldi's parse_options.sh sets any of them, also which engine runs and so who reads the path."""
    if launch is None or "parse_options.sh" not in document.source.text:
        return False
    words = launch.program.args if launch.program is not None else ()
    return not any(reference.path in word.raw for word in words)


def _near_file(
    document: Document, path: str, project: Project, any_stage: bool = False
) -> str | None:
    """The one file whose name or folder is a likely misspelling of a path. One of another ZeRO
    stage only shows that the path starts here."""
    folder, _, name = path.rpartition("/")
    for candidate in project.candidates(document, folder or "."):
        names = [n for n in project.names_in(candidate) if n.endswith(".json")]
        names = [n for n in names if any_stage or _is_of_stage(name, candidate / n)]
        alike = [n for n in names if _says(name) and _says(n) == _says(name)]
        found = near(name, names) or (alike[0] if len(alike) == 1 else None)
        if found:
            return f"{folder}/{found}" if folder else found
    above, _, last = folder.rpartition("/")
    for candidate in project.candidates(document, above or "."):
        if folder:
            beside = project.names_in(candidate)
            like = [n for n in beside if abs(len(n) - len(last)) < 3 and near(last, (n,))]
            longer = [n for n in beside if len(last) > 3 and n.startswith(f"{last}_")]
            holds = [n for n in (*like, *longer) if os.path.isfile(candidate / n / name)]
            found = near(last, holds) or (holds[0] if len(holds) == 1 else None)
            if found:
                return "/".join(part for part in (above, found, name) if part)
    return None


def _is_of_stage(wanted: str, file: Path) -> bool:
    """Whether a file is not of another ZeRO stage than a name speaks of, by its own name or else by
    what it holds: training would run, and with another memory need."""
    stage = _STAGE.search(wanted.lower())
    if stage is None:
        return True
    own = _STAGE.search(file.name.lower())
    if own is not None:
        return own[1] == stage[1]
    try:
        with file.open(encoding="utf-8", errors="replace") as source:
            held = _HELD_STAGE.search(source.read(_READ))
    except OSError:
        return False
    return held is None or held[1] == stage[1]


_READ = 100_000  # characters of a config in which its stage stands
_HELD_STAGE = lazy(r"\"stage\"\s*:\s*([0-3])")
_STAGE = lazy(r"(?:z|zero|stage)[-_]?([0-3])(?![0-9])")
_WORDS = lazy(r"offload|nvme|infinity|bf16|fp16|fp8|hpz|mics|lora|optim|param|cpu")


_FILE = lazy(r"(?:\./)?(?:[\w.-]+/)+[\w.-]+\.(?:ya?ml|json|jsonl|toml|py|txt|csv)")


def _says(name: str) -> tuple[str, frozenset[str]] | None:
    """What a file's name says of a config: its ZeRO stage and a few words; None without a stage."""
    stage = _STAGE.search(name.lower())
    return (stage[1], frozenset(_WORDS.findall(name.lower()))) if stage else None


def _is_expected(document: Document, path: str, launch: Launch | None, project: Project) -> bool:
    """Whether something shows where the job starts, so that the file should be there: the folder
    of the path, or another file that the same command or config names."""
    folder = path.removeprefix("./").rpartition("/")[0]
    start = f"{launch.folder}/" if launch is not None and launch.folder else ""
    if folder and f"{folder}/" != start and project.exists(document, folder):
        return True
    if launch is not None and launch.program is not None:
        text = start + launch.program.text
        if text.endswith(".py") and "/" in text and project.exists(document, text):
            return True
        words = [start + (word.text or "") for word in launch.program.args]
        files = (w for w in words if w != path and _FILE.fullmatch(w))
        if any(project.exists(document, word) is True for word in files):
            return True
    others = launch.configs if launch is not None else document.links
    return any(
        other.role in ("accelerate", "llamafactory", "dataset_info")
        and "/" in other.path
        and other.path != path
        and project.exists(document, other.path) is True
        for other in others
    )
