"""Where a path in a container lies in the tree: what its image copies, what a service binds.

Sources: Dockerfile reference (COPY, ADD, WORKDIR); compose-spec 05-services (volumes, working_dir).
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable

from cfglint.model.launch import Launch
from cfglint.patterns import lazy
from cfglint.record import dataclass, field
from cfglint.syntax.dockerfile import Instruction

_UNKNOWN = lazy(r"[$*?\[\]{}<>~]|://")

_ARCHIVE = lazy(r"\.(?:tar|tgz|gz|xz|bz2|zip|git)\b")


@dataclass(slots=True)
class Mounts:
    """`places` maps paths of the container to paths in the tree, the later over the earlier; None
    for what comes from elsewhere. `workdir` is "" where it is not known. `made` are texts of
    commands that may write files.
    """

    workdir: str = ""
    places: list[tuple[str, str | None]] = field(default_factory=list)
    made: list[str] = field(default_factory=list)

    def place(self, path: str) -> str:
        """The path in the tree, "" where it is not known."""
        inside = posixpath.normpath(posixpath.join(self.workdir, path))
        name = posixpath.basename(inside)
        if not inside.startswith("/") or _UNKNOWN.search(path):
            return ""
        if any(name in text for text in self.made):
            return ""
        for there, here in reversed(self.places):
            if inside != there and not inside.startswith(f"{there.rstrip('/')}/"):
                continue
            rest = posixpath.relpath(inside, there)
            if here is None:
                return ""
            name = posixpath.basename(here)
            if "." in name.lstrip("."):  # a file, alone or put into a folder
                if rest in (".", name):
                    return here
                continue
            return posixpath.normpath(posixpath.join(here, rest))
        return ""

    def find(self, launches: Iterable[Launch]) -> None:
        """Tell the launches' references to files where those lie."""
        for launch in launches:
            for reference in launch.configs:
                if not reference.place:
                    reference.place = self.place(reference.path)


def copied(mounts: Mounts, instruction: Instruction, context: str) -> None:
    """Take in one instruction of a Dockerfile; paths of its sources start at `context`."""
    if instruction.name == "RUN":
        mounts.made.append(instruction.text)
    elif instruction.name == "WORKDIR":
        folder = instruction.arguments.strip().strip("\"'")
        known = not _UNKNOWN.search(folder) and (folder.startswith("/") or mounts.workdir)
        mounts.workdir = posixpath.normpath(posixpath.join(mounts.workdir, folder)) if known else ""
    elif instruction.name in ("COPY", "ADD"):
        words = instruction.json() or instruction.words()
        texts = [word.text.strip("\"'") for word in words]
        if len(texts) < 2:
            return
        *sources, target = texts
        into = posixpath.join(mounts.workdir, target)
        if not into.startswith("/") or _UNKNOWN.search(into):
            mounts.places.append(("/", None))  # it may lie over anything
            return
        foreign = instruction.flag("from") is not None or instruction.heredocs
        for source in sources:
            unpacked = instruction.name == "ADD" and _ARCHIVE.search(source)
            odd = foreign or unpacked or _UNKNOWN.search(source)
            here = None if odd else posixpath.normpath(posixpath.join(context, source.lstrip("/")))
            mounts.places.append((posixpath.normpath(into), here))
