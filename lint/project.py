"""All documents of a run and the links between them.

A command that names a config file is one launch with it; node files that share a master are one
job. Files that are only named by others are read for context and never reported. Nothing outside
`root` (the repository, else the folder at hand) is read.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cfglint.files.discovery import Ignored, is_below
from cfglint.model.document import Document
from cfglint.model.launch import ConfigRef, Launch
from cfglint.model.values import default_literal
from cfglint.patterns import lazy
from cfglint.settings import Settings
from cfglint.site import Site

if TYPE_CHECKING:
    from cfglint.releases.versions import Version

Loader = Callable[[Path, bool], "Document | None"]


class Project:
    """What rules may ask about more than one file.

    `documents` holds the given files, then those read for context. `launches` holds every launch to
    judge: a config's own launch is left out where a command that uses the config is known.
    """

    def __init__(
        self, documents: list[Document], settings: Settings, root: Path, load: Loader
    ) -> None:
        self.documents = documents
        self.settings = settings
        self.root = root
        self._load = load
        self._top = os.path.abspath(root)
        self._real_root = os.path.realpath(root)
        self._by_file: dict[str, Document | None] = {os.path.abspath(d.file): d for d in documents}
        self._users: dict[int, list[Launch]] = defaultdict(list)
        self._facts: dict[Any, Any] = {}
        self._versions: dict[tuple[int | str | None, str], Version] = {}
        self._real: dict[str, str] = {}
        self._ways: dict[str, tuple[Path, ...]] = {}
        self._folders: dict[str, list[Document]] = defaultdict(list)
        self._placed = 0  # of `documents`, so many are in `_folders`
        self.launches: list[Launch] = []
        self.search: Callable[[Project, Document], bool] | None = None  # `jobs.linking` gives it

    @property
    def site(self) -> Site:
        """What the settings say of the site."""
        return self.settings.site

    def fact(self, key: Any, compute: Callable[[], Any]) -> Any:
        """Something that several rules need, computed once for the run."""
        if key not in self._facts:
            self._facts[key] = compute()
        return self._facts[key]

    def versions(self, document: Document, package: str, kind: str | None = None) -> Version:
        """The version of a package ("accelerate", "torch" ...) by which a document is judged (as
        one of another kind, where that is given), and how that is known."""
        kind = kind or document.kind
        whole, own = (kind, package), (id(document), f"{package} of {kind}")
        known = self._versions.get(whole) or self._versions.get(own)
        if known is None:
            from cfglint.releases import versions

            known = versions.of_tree(self, kind, package)
            key = own if known is None else whole
            known = known or versions.of_folder(self, document, package, kind)
            self._versions[key] = known
        return known

    def of_kind(self, *kinds: str) -> Iterator[Document]:
        """The documents of these kinds."""
        return (d for d in self.documents if d.kind in kinds)

    def beside(self, document: Document) -> list[Document]:
        """The documents in a document's folder, itself among them."""
        for one in self.documents[self._placed :]:
            self._folders[os.path.dirname(os.path.abspath(one.file))].append(one)
        self._placed = len(self.documents)
        return self._folders[os.path.dirname(os.path.abspath(document.file))]

    # -- links -------------------------------------------------------------------------------

    def file_at(self, path: Path) -> Document | None:
        """The document of a file inside `root`, read for context if it was not given."""
        key = os.path.abspath(path)
        if key not in self._by_file:
            self._by_file[key] = None
            # What is not there needs no look at the links that lead to it.
            near = "\0" not in key and (is_below(key, self._top) or self.is_inside(path))
            if near and os.path.isfile(key) and self.is_inside(path):
                document = self._load(Path(key), False)
                if document is not None:
                    self._by_file[key] = document
                    self.documents.append(document)
        return self._by_file[key]

    def known(self, path: Path) -> Document | None:
        """The document of a file that was given or read already."""
        return self._by_file.get(os.path.abspath(path))

    def is_inside(self, path: Path) -> bool:
        """Whether a path, links followed, lies in the project's root."""
        folder, name = os.path.split(os.fspath(path))
        real = os.path.join(self._real_folder(folder), name)
        if name in ("", ".", "..") or os.path.islink(real):
            real = os.path.realpath(path)
        return is_below(real, self._real_root)

    def _real_folder(self, folder: str) -> str:
        """A folder's path with links followed; many files share one."""
        if folder not in self._real:
            above, name = os.path.split(folder)
            real = os.path.join(self._real_folder(above), name) if above and name else folder
            if real == folder or name in (".", "..") or os.path.islink(real):
                real = os.path.realpath(folder)
            self._real[folder] = real
        return self._real[folder]

    def names_in(self, folder: Path) -> list[str]:
        """What lies in a folder of the project, by name; nothing in one that is not there, cannot
        be listed or lies outside."""

        def read() -> list[str]:
            try:
                return sorted(os.listdir(folder)) if self.is_inside(folder) else []
            except OSError:
                return []

        names: list[str] = self.fact(("names", str(folder)), read)
        return names

    def candidates(self, document: Document, text: str) -> Iterator[Path]:
        """Where a relative path in a document can lead: its folder and each one above, to the root.

        The folder from which a job is started is not known; all that lie on the way are possible.
        """
        text = text.removeprefix("file://")
        if not text or "\0" in text or text.startswith(("http:", "https:", "~")):
            return
        if os.path.isabs(text):
            yield Path(text)
            return
        for folder in self._way_up(os.path.dirname(os.path.abspath(document.file))):
            yield folder / text

    def _way_up(self, folder: str) -> tuple[Path, ...]:
        """A folder and each one above it, up to the root."""
        if folder not in self._ways:
            above = os.path.dirname(folder)
            is_top = self._real_folder(folder) == self._real_root or above == folder
            self._ways[folder] = (Path(folder), *(() if is_top else self._way_up(above)))
        return self._ways[folder]

    def resolve(self, document: Document, text: str) -> Document | None:
        """The document that a path in another document names, None where no such file is found."""
        for path in self.candidates(document, text):
            found = self.file_at(path)
            if found is not None:
                return found
        return None

    def follow(self, document: Document, reference: ConfigRef) -> Document | None:
        """The document that a reference in another leads to; a script's own writing comes first."""
        if reference.document is None and reference.written is None and document.kept:
            named = [x for x in document.kept if x.name == os.path.basename(reference.path)]
            # What a pod does not mount is not its own.
            if len(named) == 1 and document.kind == "notebook":
                reference.written = named[0]
        if reference.document is None and reference.written is not None:
            from cfglint.files import embedded

            outer = document.outer or document
            reference.document = embedded.document(self, outer, reference.written, reference)
        elif reference.document is None and document.outer is not None:
            from cfglint.files import embedded

            reference.document = embedded.beside(self, document, reference.path)
            reference.document = reference.document or self.resolve(document, reference.path)
        elif reference.document is None:
            paths = [reference.place] if reference.place else [reference.started_at, reference.path]
            found = (self.resolve(document, path) for path in dict.fromkeys(paths))
            reference.document = next((one for one in found if one is not None), None)
        return reference.document

    def exists(self, document: Document, text: str) -> bool | None:
        """Whether a path named in a document exists in the tree; None where that cannot be told.

        What .gitignore leaves out of the repository may lie on the machine that starts the job.
        """
        if not text or any(sign in text for sign in "$`*?{}<>~") or os.path.isabs(text):
            return None
        if document.outer is not None:
            return None  # the script may write this one too
        known: bool | None = self.fact(
            ("exists", document.file.parent, text), lambda: self._exists(document, text)
        )
        return known

    def _exists(self, document: Document, text: str) -> bool | None:
        paths = list(self.candidates(document, text))
        if not paths or not self.is_inside(paths[0]):
            return None
        there = list(map(_is_there, paths))
        if True in there or None in there:
            return True if True in there else None
        ignored: Ignored = self.fact("ignored", lambda: Ignored(self.root))
        return None if any(map(ignored, paths)) else False

    def linked(self, document: Document, *roles: str) -> Iterator[tuple[ConfigRef, Document]]:
        """The documents that one names, with the reference, for these roles (none: all)."""
        for reference in document.links:
            if not roles or reference.role in roles:
                named = self.follow(document, reference)
                if named is not None:
                    yield reference, named

    def referrers(self, document: Document) -> list[tuple[Document, ConfigRef]]:
        """The documents (and references) that name this one, among those read so far."""
        table = self.fact("referrers", self._referrers)
        found: list[tuple[Document, ConfigRef]] = table.get(id(document), [])
        return found

    def _referrers(self) -> dict[int, list[tuple[Document, ConfigRef]]]:
        table: dict[int, list[tuple[Document, ConfigRef]]] = defaultdict(list)
        for document in list(self.documents):
            for reference, named in self.linked(document):
                table[id(named)].append((document, reference))
            for launch in document.launches:
                for reference in launch.configs:
                    if reference.document is not None and reference not in document.links:
                        table[id(reference.document)].append((document, reference))
        return table

    def users(self, document: Document) -> list[Launch]:
        """The launches (commands, services) that use a document as their config."""
        return self._users[id(document)]

    def search_complete(self, document: Document) -> bool:
        """Whether everything that could use a document was read: only then is something that no
        user gives known to be missing."""
        if document.outer is not None:
            return True  # it is there for the commands of its script
        return self.search is not None and self.search(self, document)

    # -- jobs --------------------------------------------------------------------------------

    def jobs(self) -> list[list[Launch]]:
        """The groups of two and more launches that are nodes of one job."""
        groups: list[list[Launch]] = self.fact("jobs", lambda: _groups(self.launches))
        return groups


def _groups(launches: list[Launch]) -> list[list[Launch]]:
    seen: set[int] = set()
    groups = []
    for launch in launches:
        if launch.peers and id(launch) not in seen:
            group = [launch, *launch.peers]
            seen.update(map(id, group))
            groups.append(group)
    return groups


_NUMBER = lazy(r"\d+")
ROLE = lazy(r"(?<![a-z])(master|main|head|worker|rank|node|machine|host)(?![a-z])", re.I)


@lru_cache(maxsize=4096)
def stem_of_node_file(path: str) -> str | None:
    """A file's folder and name with its node number taken out, None where it has none."""
    folder, _, name = path.rpartition("/")
    stem, count = _NUMBER.subn("#", name)
    return f"{folder}/{stem}" if count else None


_NODE = lazy(r"(?<![a-z])(?:node|rank|worker|machine|host)[_.-]?(\d{1,5})(?!\d)", re.I)


def named_node(path: str) -> tuple[str, int] | None:
    """A file's folder and name without the number that follows a node's role in it, and that
    number; None where it has none."""
    folder, _, name = path.rpartition("/")
    found = _NODE.search(name)
    if found is None:
        return None
    return f"{folder}/{name[: found.start(1)]}#{name[found.end(1) :]}", int(found[1])


def master_key(launch: Launch) -> tuple[str, str] | None:
    """The master that a launch dials, as literal address and port; None where it names none that
    would tie two files together (a loopback address is everyone's)."""
    address = default_literal(launch.address.value) if launch.address else None
    if not address:
        return None
    lower = address.strip("[]").lower()
    if lower in ("localhost", "::1", "0.0.0.0", "::", "none") or lower.startswith("127."):
        return None
    from cfglint.network.addresses import is_documentation, is_placeholder

    if is_placeholder(lower) and not is_documentation(lower):
        # Everyone who copies the text writes another address there.
        lower = f"{os.path.dirname(launch.started_in.path)}/{lower}"
    port = default_literal(launch.port.value) if launch.port else launch.effective("master_port")
    return (lower, port or "")


def node_number(path: str) -> int | None:
    """The node number in a file's name, or in its folder's where the name has none."""
    folder, _, name = path.rpartition("/")
    for part in (name, folder.rpartition("/")[2]):
        numbers = _NUMBER.findall(part)
        if numbers:
            return int(numbers[-1]) if len(numbers[-1]) < 6 else None
    return None


def is_node_file(launch: Launch) -> bool:
    """Whether a file is called after a node: a role (master, worker, node ...) with or without a
    number, in its name or its folder's."""
    folder, _, name = launch.started_in.path.rpartition("/")
    return any(
        ROLE.search(part.replace("_", " ")) is not None
        for part in (name, folder.rpartition("/")[2])
    )


def _is_there(path: Path) -> bool | None:
    """Whether a path exists; None where a folder on the way may not be searched."""
    try:
        os.stat(path)
    except (PermissionError, InterruptedError):
        return None
    except (OSError, ValueError):
        return False
    return True
