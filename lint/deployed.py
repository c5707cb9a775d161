"""Which version of a package a file will meet: the settings say so, or a pin in the tree does.

Pins are looked for in the file's folder, then in each folder above up to the project's root, in
requirement and constraint files, pyproject.toml, lock files, conda environments, and Dockerfiles
(packages they install, image tags that carry a version). The nearest folder that pins the package
decides; where it pins two versions, nothing is known. Without a pin the newest known release
stands for the package, and rules that turn on the version are softer.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cfglint.schemadata import Release, load, order

if TYPE_CHECKING:
    from cfglint.document import Document
    from cfglint.project import Project

READ_BYTES = 4_000_000
NAMES = {
    "accelerate": ("accelerate",),
    "deepspeed": ("deepspeed",),
    "llamafactory": ("llamafactory", "llama-factory", "llama_factory"),
    "transformers": ("transformers",),
    "torch": ("torch",),
    "nccl": ("nvidia-nccl-cu11", "nvidia-nccl-cu12", "nvidia-nccl-cu13"),
}
IMAGES = {"llamafactory": r"hiyouga/llamafactory", "torch": r"pytorch/pytorch"}
PINNING = re.compile(
    r"(requirements|constraints)[\w.-]*\.(txt|in)|pyproject\.toml|(uv|poetry|pdm)\.lock"
    r"|(conda|environment|env)[\w.-]*\.ya?ml|(.*\.)?(Dockerfile|Containerfile)(\..*)?",
    re.IGNORECASE,
)
VERSION = r"v?([0-9]+(?:\.[0-9]+)*(?:\.?(?:a|b|rc|post|dev)[0-9]+)?)"


@dataclass(frozen=True, slots=True)
class Deployed:
    """A package as a file meets it. `version` is None where nothing tells; `source` is the file
    (and line) that does, "" then."""

    package: str
    version: str | None = None
    source: str = ""

    @property
    def known(self) -> bool:
        """Whether the version is known."""
        return self.version is not None

    @property
    def release(self) -> Release:
        """What this version knows; the newest release where the version is not known."""
        return load(self.package).at(self.version)

    @property
    def says(self) -> str:
        """The version and where it comes from, for messages."""
        if self.version is None:
            return f"{self.package} {self.release.version}, the newest known"
        return f"{self.package} {self.version} ({self.source})"

    def before(self, version: str) -> bool:
        """Whether the version is known to be older than another."""
        return self.version is not None and order(self.version) < order(version)

    def since(self, version: str) -> bool:
        """Whether the version is this one or newer; the newest is taken where it is not known."""
        return self.version is None or order(self.version) >= order(version)


def deployed(project: Project, document: Document, package: str) -> Deployed:
    """The version of "accelerate", "deepspeed", "llamafactory", "transformers", "torch" or "nccl"
    that a document meets."""
    configured = project.settings.versions.get(package)
    if configured:
        source = project.settings.source
        return Deployed(package, configured, source.name if source else "settings")
    folder = os.path.dirname(os.path.abspath(document.file))
    found: Deployed = project.fact(
        ("deployed", package, folder), lambda: _pinned(project, Path(folder), package)
    )
    return found


def _pinned(project: Project, folder: Path, package: str) -> Deployed:
    top = os.path.abspath(project.root)
    while True:
        pins = dict(_pins_of(project, folder, package))
        if len(pins) == 1:
            version, source = pins.popitem()
            return Deployed(package, version, source)
        if pins or os.path.abspath(folder) == top or folder.parent == folder:
            return Deployed(package)
        folder = folder.parent


def _pins_of(project: Project, folder: Path, package: str) -> Iterator[tuple[str, str]]:
    """The versions that the files of one folder pin, with their places."""
    for path, lines in project.fact(("pin files", str(folder)), lambda: list(_files(folder))):
        is_lock = path.suffix == ".lock"
        pattern = _lock_pattern(package) if is_lock else _pattern(package)
        for number, line in enumerate(lines):
            if line.lstrip().startswith("#"):
                continue
            text = f"{line}\n{lines[number + 1]}" if is_lock and number + 1 < len(lines) else line
            for match in pattern.finditer(text):
                version = next(group for group in match.groups() if group)
                shown = os.path.relpath(path, project.root).replace(os.sep, "/")
                yield version, f"{shown}:{number + 1}"


def _files(folder: Path) -> Iterator[tuple[Path, list[str]]]:
    try:
        names = sorted(entry.name for entry in os.scandir(folder) if entry.is_file())
    except OSError:
        return
    for name in names:
        path = folder / name
        if not PINNING.fullmatch(name):
            continue
        try:
            with path.open("rb") as file:
                text = file.read(READ_BYTES).decode("utf-8", "replace")
        except OSError:
            continue
        yield path, text.splitlines()


def _pattern(package: str) -> re.Pattern[str]:
    """`name==1.2`, `name=1.2` (conda), `name = "1.2"` (poetry), a git tag, or an image's tag."""
    names = "|".join(re.escape(name) for name in NAMES[package])
    forms = [
        rf"(?<![\w./-])(?:{names})(?:\[[^\]]*\])?\s*==?=?\s*\"?{VERSION}(?:\.\*)?(?![\w.]*\s*[<>])",
        rf"/(?:{names})(?:\.git)?@{VERSION}(?![\w.])",
    ]
    if package in IMAGES:
        forms.append(rf"\b{IMAGES[package]}:{VERSION}(?![\w.]*\.)")
    return re.compile("|".join(forms), re.IGNORECASE)


def _lock_pattern(package: str) -> re.Pattern[str]:
    names = "|".join(re.escape(name) for name in NAMES[package])
    return re.compile(rf'^name = "(?:{names})"\s+version = "{VERSION}', re.IGNORECASE)
