"""Which version of a package a file is judged by, and how that is known.

The settings say it outright (`[versions]`); else what the tree pins, the nearest file first (one
in the folder of the file that is judged, then the folders above); else the newest release that is
described. Ranges are bounds: the newest release they allow is taken, and it is not `pinned`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache, cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from cfglint.patterns import lazy
from cfglint.record import dataclass
from cfglint.releases.pins import TITLES, Pin, is_pin_file, pins_of

if TYPE_CHECKING:
    from cfglint.model.document import Document
    from cfglint.project import Project

SIDE_FOLDERS = frozenset(
    {
        "docker", "dockerfiles", "container", "containers", "env", "envs", "environment",
        "environments", "requirements", "reqs", "deploy", "deployment", "build", "infra", "setup",
        "install", "conda", ".devcontainer", "images", "image", "src", "llamafactory", "extras",
    }
)  # fmt: skip

# Files of a requirements/ folder that are for everyone.
WHOLE = frozenset(
    {"base", "main", "common", "core", "requirements", "default", "all", "prod", "train"}
)

Order = tuple[tuple[int, ...], int, tuple[int, ...]]


@cache
def order(version: str) -> Order:
    """A sort key for release numbers: trailing zeros make no difference, candidates come before
    their release, post-releases after it."""
    text = version.lower().partition("+")[0]
    numbers, suffix = _RELEASE.match(text).groups()  # type: ignore[union-attr]
    release = tuple(int(n) for n in numbers.split(".") if n)
    while release and release[-1] == 0:
        release = release[:-1]
    stage = 0 if not suffix else 1 if suffix.startswith("post") else -1
    return release, stage, tuple(int(n) for n in re.findall(r"\d+", suffix))


_RELEASE = lazy(r"v?([\d.]*)(.*)", re.DOTALL)
_BOUND = lazy(r"(===|==|!=|>=|<=|~=|>|<)v?([\w.+!]+?)(\.\*)?")


def allows(spec: str, version: str) -> bool:
    """Whether a comma-separated list of bounds (`>=0.9.2,<0.9.5`, `~=4.51`, `==2.3.*`) allows a
    version. What cannot be read allows everything."""
    return all(_allows_one(one, version) for one in spec.replace(" ", "").split(",") if one)


def _allows_one(bound: str, version: str) -> bool:
    found = _BOUND.fullmatch(bound)
    if not found:
        return True
    sign, wanted, star = found.groups()
    mine, theirs = order(version), order(wanted)
    if star or sign == "~=":
        length = len(wanted.split(".")) - (sign == "~=")
        numbers = re.findall(r"\d+", version) + ["0"] * length
        inside = numbers[:length] == re.findall(r"\d+", wanted)[:length]
        if sign == "~=":
            return inside and mine >= theirs
        return inside == (sign != "!=")
    return {
        "==": mine == theirs, "===": mine == theirs, "!=": mine != theirs, ">=": mine >= theirs,
        "<=": mine <= theirs, ">": mine > theirs, "<": mine < theirs,
    }[sign]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Version:
    """An answer. `number` is None where no release is described and nothing names one.

    `pinned` says that the settings or a pin name exactly this version: a rule that depends on it
    may be sure. `source` says how, for messages; `bounds` are the ranges that the tree gives.
    """

    package: str
    number: str | None
    pinned: bool
    source: str
    bounds: str = ""

    @property
    def title(self) -> str:
        """The package with its version: "LLaMA-Factory 0.9.3"."""
        name = TITLES.get(self.package, self.package)
        return f"{name} {self.number}" if self.number else name

    def __str__(self) -> str:
        return f"{self.title}, {self.source}" if self.source else self.title

    def before(self, version: str) -> bool:
        """Whether the version is known and older than this one."""
        return self.number is not None and order(self.number) < order(version)

    def may_be(self, version: str) -> bool:
        """Whether the deployed version can be this one, as far as the files say."""
        if self.pinned and self.number is not None:
            return order(self.number) == order(version)
        return allows(self.bounds, version)


class Versions:
    """The versions that hold in a tree.

    `chosen` are those of the settings; `pins` gives the pins of the tree when first asked;
    `releases` the described releases of a package, oldest first.
    """

    def __init__(
        self,
        chosen: dict[str, str],
        pins: Callable[[], Iterable[Pin]],
        releases: Callable[[str], list[str]],
    ) -> None:
        self._chosen = chosen
        self._find_pins = pins
        self._releases = releases
        self._answers: dict[tuple[str, str, str], Version] = {}
        self._known: dict[tuple[str, str], str | None] = {}  # the newest release within bounds

    def is_local(self, package: str) -> bool:
        """Whether the answer can depend on where a file lies."""
        return package not in self._chosen and package in self._pins

    @cached_property
    def _pins(self) -> dict[str, list[Pin]]:
        """The pins of the tree by package."""
        found: dict[str, list[Pin]] = {}
        for pin in self._find_pins():
            found.setdefault(pin.package, []).append(pin)
        return found

    def of(self, package: str, path: str = "", within: str = "", setter: str = "") -> Version:
        """The version of `package` by which the file at `path` (forward slashes, as the pins'
        paths) is judged. `within` are bounds that something else (`setter`) sets."""
        folder = path.rpartition("/")[0]
        key = (package, folder, within)
        if key not in self._answers:
            self._answers[key] = self._answer(package, folder, within, setter)
        return self._answers[key]

    def _answer(self, package: str, folder: str, within: str, setter: str) -> Version:
        chosen = self._chosen.get(package)
        if chosen:
            return Version(package, chosen, True, "as the settings say")
        near = self._nearest(package, folder)
        exact = {pin.version: pin for pin in near if pin.version}
        if len(exact) == 1:
            version, pin = next(iter(exact.items()))
            return Version(package, version, True, f"{pin.verb} in {pin.path}:{pin.line}")
        if len(exact) > 1:
            places = " and ".join(f"{p.version} in {p.path}:{p.line}" for p in exact.values())
            found = self._newest(package, within, [v for v in exact if v])
            return Version(package, found, False, f"of several that are pinned ({places})", within)
        spec = ",".join(dict.fromkeys(pin.spec for pin in near if pin.spec))
        bounds = ",".join(part for part in (spec, within) if part)
        number = self._newest(package, bounds)
        if spec and within and number and not allows(bounds, number):
            # The tree is another one than `within` speaks of, and says itself what it has.
            bounds, number = spec, self._newest(package, spec)
        if spec:
            pin = near[0]
            return Version(
                package, number, False, f"the newest that {pin.path}:{pin.line} allows", bounds
            )
        source = f"the newest that {setter} allows" if within else "the newest known"
        return Version(package, number, False, source if number else "", bounds)

    def _nearest(self, package: str, folder: str) -> list[Pin]:
        """The pins that speak for a folder, those of the nearest one that has any; lock files
        before what they lock."""
        ranked = [(_rank(pin.path, folder), pin) for pin in self._pins.get(package, ())]
        near: list[Pin] = []
        for best in sorted({rank for rank, _ in ranked if rank is not None}, reverse=True):
            near = [pin for rank, pin in ranked if rank == best]
            if not all(pin.version for pin in near):  # where a marker leaves one out, others hold
                near = [pin for pin in near if not pin.partly]
            if near:
                break
        locked = [pin for pin in near if pin.verb == "locked"]
        return locked or sorted(near, key=lambda pin: (pin.path.count("/"), pin.version is None))

    def _newest(self, package: str, bounds: str, among: list[str] | None = None) -> str | None:
        if among is None and (package, bounds) in self._known:
            return self._known[package, bounds]
        releases = sorted(among, key=order) if among is not None else self._releases(package)
        newest = releases[-1] if releases else None
        found = next((v for v in reversed(releases) if allows(bounds, v)), newest)
        if among is None:
            self._known[package, bounds] = found
        return found


def _rank(path: str, folder: str) -> tuple[int, int] | None:
    """How well a pin at `path` speaks for a folder; None where it speaks for others.

    It speaks for its own folder and those below, and so does one in a side folder for environments
    (docker/, requirements/): what such a folder lies in counts.
    """
    mine = [part for part in path.split("/")[:-1] if part != "."]
    theirs = [part for part in folder.split("/") if part not in ("", ".")]
    common = 0
    while common < min(len(mine), len(theirs)) and mine[common] == theirs[common]:
        common += 1
    aside = [part.lower() for part in mine[common:]]
    if not all(part in SIDE_FOLDERS for part in aside):
        return None
    stem = path.rpartition("/")[2].partition(".")[0].lower()
    if aside[-1:] in (["requirements"], ["reqs"]) and stem not in WHOLE:
        return None  # one of several sets to choose from
    return common, -len(aside)


def collect(files: Iterable[tuple[str, Callable[[], str | None]]]) -> list[Pin]:
    """The pins of some files, given as path and a function that reads the text."""
    pins: list[Pin] = []
    for path, read in files:
        if is_pin_file(path) and (text := read()) is not None:
            pins.extend(pins_of(path, text))
    return pins


# -- a project's versions ------------------------------------------------------------------------

FOLDERS = 2_000  # of a larger tree only as many are searched for pins
DEPTH = 4
COPY = "src/llamafactory/extras/env.py"  # says its version, however deep its folder lies


def of_tree(project: Project, kind: str | None, package: str) -> Version | None:
    """The version of a package that holds for all files of a kind in a tree, None where a pin may
    make a difference between folders."""
    versions: Versions = project.fact("versions", lambda: _versions(project))
    of_llamafactory = package == "transformers" and kind == "llamafactory"
    deciding = ("llamafactory", package) if of_llamafactory else (package,)
    if any(versions.is_local(one) for one in deciding):
        return None
    return _answer(project, str(project.root), package, kind)


def of_folder(
    project: Project, document: Document, package: str, kind: str | None = None
) -> Version:
    """The version of a package by which a document is judged, where its place decides."""
    folder = os.path.dirname(document.file)
    kind = (kind or document.kind) if package == "transformers" else None
    answer: Version = project.fact(
        ("version", package, folder, kind), lambda: _answer(project, folder, package, kind)
    )
    return answer


def _answer(project: Project, folder: str, package: str, kind: str | None) -> Version:
    versions: Versions = project.fact("versions", lambda: _versions(project))
    path = os.path.relpath(os.path.abspath(folder), project.root).replace(os.sep, "/") + "/"
    if package == "transformers" and kind == "llamafactory":
        llamafactory = versions.of("llamafactory", path)
        bounds: str = project.fact(
            ("transformers for LLaMA-Factory", llamafactory.number),
            lambda: _allowed_transformers(llamafactory),
        )
        return versions.of(package, path, bounds, llamafactory.title)
    return versions.of(package, path)


def _versions(project: Project) -> Versions:
    from cfglint.releases import data as schemadata

    def releases(package: str) -> list[str]:
        described = ("accelerate", "deepspeed", "llamafactory", "transformers")
        return schemadata.load(package).versions if package in described else []

    return Versions(project.settings.versions, lambda: collect(_pin_files(project)), releases)


def _allowed_transformers(llamafactory: Version) -> str:
    """The transformers versions that a LLaMA-Factory release tests for when it starts."""
    from cfglint.releases import data as schemadata

    package = schemadata.load("llamafactory")
    bounds = ""
    for number in package.versions[package.at(llamafactory.number).index :]:
        requires = package.at(number).table("requires")
        tested = next((r[12:] for r in requires if r.startswith("transformers")), "")
        upper = [one for one in tested.split(",") if one.startswith("<")]
        bounds = bounds or tested
        if upper:  # a release that sets no upper bound was made before those of the next one
            return ",".join(dict.fromkeys([*bounds.split(","), *upper]))
    return bounds


def _pin_files(project: Project) -> Iterator[tuple[str, Callable[[], str | None]]]:
    """The files that can pin something, by their path below the tree's root: those in its upper
    folders and those beside and above the documents at hand."""
    from cfglint.skipped import SKIPPED

    top = os.path.abspath(project.root)
    seen = set()
    for number, (folder, names, files) in enumerate(os.walk(top)):
        depth = 0 if folder == top else folder.removeprefix(top).strip(os.sep).count(os.sep) + 1
        if "src" in names and depth + COPY.count("/") > DEPTH:
            files.append(COPY)
        if number > FOLDERS or depth >= DEPTH or "pyvenv.cfg" in files:
            names.clear()
        names[:] = sorted(n for n in names if n not in SKIPPED)
        seen.add(folder)
        yield from _in_folder(project, top, folder, sorted(files))
    folders = dict.fromkeys(os.path.dirname(d.file) for d in project.documents)
    for folder in map(os.path.abspath, folders):
        while folder.startswith(top + os.sep) and folder not in seen:
            seen.add(folder)
            try:
                files = sorted(os.listdir(folder))
            except OSError:
                files = []  # it may not be listed, or text from standard input lies nowhere
            if "src" in files:
                files.append(COPY)
            yield from _in_folder(project, top, folder, files)
            folder = os.path.dirname(folder)


def _in_folder(
    project: Project, top: str, folder: str, names: list[str]
) -> Iterator[tuple[str, Callable[[], str | None]]]:
    relative = folder.removeprefix(top).strip(os.sep)
    above = relative.replace(os.sep, "/") + "/" if relative else ""
    for name in names:
        path = above + name
        if is_pin_file(path):
            yield path, partial(_text, os.path.join(folder, name), project)


def _text(path: str, project: Project) -> str | None:
    """A file's text, None where it is too large or cannot be read."""
    document = project.known(Path(path))
    if document is not None and document.readable and "\r" not in document.source.text:
        return document.source.text
    try:
        if not project.is_inside(Path(path)) or os.path.getsize(path) > 20_000_000:
            return None
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
