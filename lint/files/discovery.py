"""Paths to files: what a run looks at.

A folder is walked: .gitignore is honoured, version control, virtual environments and caches are
left out, hidden files that start jobs (.env, .deepspeed_env) are taken in, and of those without an
ending the scripts. A file that is named is always taken. Links that lead out of the tree are not
followed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from copy import copy
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from cfglint.skipped import SKIPPED

ENDINGS = (
    ".yaml", ".yml", ".json", ".sh", ".bash", ".zsh", ".ksh", ".slurm", ".sbatch", ".sub", ".job",
    ".env", ".ipynb", ".mk", ".just", ".dockerfile", ".hostfile", ".pbs", ".lsf", ".cmd", ".run",
    ".conf", ".qsub", ".bsub", ".batch", ".submit", ".srun", ".sl", ".slm", ".slr", ".slrm", ".sb",
)  # fmt: skip
NAMES = (
    "makefile",
    "gnumakefile",
    "justfile",
    ".justfile",
    ".deepspeed_env",
    "dockerfile",
    "containerfile",
)
PARTS = ("dockerfile", "containerfile", "machinefile")


class NoSuchPathError(Exception):
    """A path that was named does not exist."""


def is_candidate(name: str) -> bool:
    """Whether a file of this name can be of a kind that starts jobs."""
    lower = name.lower()
    if lower.endswith(ENDINGS) or lower in NAMES:
        return True
    if lower.startswith(".env") or lower.endswith("_env") or ".env." in lower:
        return True
    return "host" in lower or any(part in lower for part in PARTS) or "." not in lower


def name_pattern() -> str:
    """What `is_candidate` says, as a regular expression to be searched in a path."""
    endings = "|".join(ending[1:] for ending in ENDINGS)
    names = "|".join(name.replace(".", r"\.") for name in NAMES)
    parts = "|".join(("host", *PARTS))
    return (
        rf"(?i)(\.({endings})|(^|/)\.env[^/]*|_env|\.env\.[^/]*|(^|/)({names})"
        rf"|(^|/)[^/]*({parts})[^/]*|(^|/)[^./]+)$"
    )


def find(
    paths: list[Path],
    exclude: tuple[str, ...] = (),
    root: Path | None = None,
    force: bool = False,
    extra: tuple[str, ...] = (),
    unlisted: list[str] | None = None,
) -> Iterator[Path]:
    """Every file to look at, sorted within its folder, none twice.

    `exclude` holds globs relative to `root`; named files escape them unless `force`. Files with one
    of the `extra` endings are found too. Why a folder could not be listed goes into `unlisted`.
    Raises NoSuchPathError for a path that is not there.
    """
    base = (root or Path.cwd()).resolve()
    seen: set[str] = set()
    for path in paths:
        if path.is_dir():
            files = _walk(path, exclude, base, extra, unlisted)
        elif path.exists():
            files = iter([] if force and is_excluded(path, exclude, base) else [path])
        else:
            raise NoSuchPathError(str(path))
        if len(paths) == 1:
            yield from files  # one walk meets no file twice
            continue
        for file in files:
            key = os.path.abspath(file)
            if key not in seen:
                seen.add(key)
                yield file


def is_excluded(path: str | Path, exclude: tuple[str, ...], base: Path) -> bool:
    """Whether a path matches one of the globs, which are relative to `base`."""
    if not exclude:
        return False
    absolute = os.path.abspath(path)
    relative = os.path.relpath(absolute, base).replace(os.sep, "/")
    return matches(relative, exclude)


def matches(relative: str, globs: tuple[str, ...] | list[str]) -> bool:
    """Whether a relative path, its name or a folder above it matches one of the globs."""
    parts = relative.split("/")
    for raw in globs:
        glob = raw.rstrip("/")
        glob = glob[2:] if glob.startswith("./") else glob
        for end in range(1, len(parts) + 1):
            if fnmatch("/".join(parts[:end]), glob) or fnmatch(parts[end - 1], glob):
                return True
        if glob.startswith("**/") and fnmatch(relative, glob[3:]):
            return True
    return False


def is_below(path: str | Path, top: str | Path) -> bool:
    """Whether an absolute path is `top` or lies in it, as the names say (no link is followed)."""
    name, folder = str(path), str(top)
    return name == folder or name.startswith(folder if folder.endswith(os.sep) else folder + os.sep)


def _walk(
    top: Path,
    exclude: tuple[str, ...],
    base: Path,
    extra: tuple[str, ...],
    unlisted: list[str] | None,
) -> Iterator[Path]:
    """Every candidate below a folder, each folder's own files before those of its subfolders."""
    ignores = _Ignores(top)
    real_top = os.path.realpath(top)
    folders = [str(top)]
    while folders:
        folder = folders.pop()
        try:
            with os.scandir(folder) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError as problem:
            if unlisted is not None:
                unlisted.append(f"{folder}: cannot be listed: {problem.strerror or problem}")
            continue
        ignores.enter(folder, any(entry.name == ".gitignore" for entry in entries))
        inner = []
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if _is_left_out(entry) or ignores.match(entry.path, True):
                    continue
                if not is_excluded(entry.path, exclude, base):
                    inner.append(entry.path)
            elif _is_wanted(entry, extra, real_top) and not (
                ignores.match(entry.path, False) or is_excluded(entry.path, exclude, base)
            ):
                yield Path(entry.path)
        folders.extend(reversed(inner))


def _is_left_out(folder: os.DirEntry[str]) -> bool:
    return folder.name in SKIPPED or os.path.exists(os.path.join(folder.path, "pyvenv.cfg"))


def _is_wanted(entry: os.DirEntry[str], extra: tuple[str, ...], real_top: str) -> bool:
    """Whether a directory entry is a regular file, in the tree, that may be of some kind."""
    name = entry.name
    if not is_candidate(name) and not name.endswith(extra or ("\0",)):
        return False
    if entry.is_symlink():
        try:
            real = os.path.realpath(entry.path)
        except OSError:
            return False  # a link that may not be read, as /proc/1/cwd: it leads nowhere
        if not is_below(real, real_top) or not os.path.isfile(real):
            return False
    elif not entry.is_file():
        return False
    return "." in name or _is_text_start(entry.path, name)


def _is_text_start(path: str, name: str) -> bool:
    """Whether a file without an ending is a script, by how it begins, or one of the known names."""
    lower = name.lower()
    if lower in NAMES or "host" in lower or any(part in lower for part in PARTS):
        return True
    from cfglint.files.bare_scripts import HEAD, is_launch_script

    try:
        with open(path, "rb", buffering=0) as file:
            head = file.read(HEAD)
    except OSError:
        return True
    if len(head) == HEAD:
        head = head[: head.rfind(b"\n") + 1]
    return head[:2] == b"#!" or is_launch_script(head.decode("utf-8", "replace"))


def without_links(files: Iterable[Path]) -> list[Path]:
    """The files, without links to others of them: one file is judged, and written, once."""
    files = list(files)
    links = {file: os.path.realpath(file) for file in files if os.path.islink(file)}
    if not links:
        return files
    seen = {os.path.realpath(file) for file in files if file not in links}
    kept = []
    for file in files:
        real = links.get(file)
        if real is None or real not in seen:
            kept.append(file)
        if real is not None:
            seen.add(real)
    return kept


class Ignored:
    """Whether the .gitignore files of a root and of the folders below it leave a path out."""

    def __init__(self, root: Path) -> None:
        self._top = os.path.abspath(root)
        first = _Ignores(root)
        first.enter(self._top, True)
        # What counts in a folder, None where it is left out itself.
        self._folders: dict[str, _Ignores | None] = {self._top: first}

    def __call__(self, path: Path) -> bool:
        absolute = os.path.abspath(path)
        if not is_below(absolute, self._top):
            return False
        ignores = self._of(os.path.dirname(absolute))
        return ignores is None or ignores.match(absolute, False)

    def _of(self, folder: str) -> _Ignores | None:
        if folder not in self._folders:
            above = self._of(os.path.dirname(folder))
            seen = above is not None and not above.match(folder, True)
            self._folders[folder] = above.inside(folder) if above is not None and seen else None
        return self._folders[folder]


class _Ignores:
    """The .gitignore files from the repository's top down to the folder at hand."""

    def __init__(self, top: Path) -> None:
        self.specs: list[tuple[str, Any]] = []
        absolute = Path(os.path.abspath(top))
        above = []
        for folder in [absolute, *absolute.parents]:
            above.append(folder)
            if os.path.exists(folder / ".git"):
                for one in reversed(above[1:]):
                    self._read(one)
                break

    def enter(self, folder: str, has_file: bool) -> None:
        """Take in a folder's own file; forget those of folders that do not hold this one."""
        absolute = os.path.abspath(folder)
        self.specs = [spec for spec in self.specs if is_below(absolute, spec[0])]
        if has_file:
            self._read(Path(absolute))

    def inside(self, folder: str) -> _Ignores:
        """What counts in a folder of the one at hand."""
        found = copy(self)
        found.enter(folder, True)
        return found

    def _read(self, folder: Path) -> None:
        file = folder / ".gitignore"
        if not os.path.isfile(file):
            return
        import pathspec

        try:
            lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
            spec = pathspec.GitIgnoreSpec.from_lines(lines)
        except (OSError, ValueError) as problem:
            print(f"cfglint: {file}: not honoured: {problem}", file=sys.stderr)
            return
        self.specs.append((str(folder), spec))

    def match(self, path: str, folder: bool) -> bool:
        """Whether the files leave a path out; the nearest one that speaks of it decides."""
        if not self.specs:
            return False
        verdict = False
        absolute = os.path.abspath(path)
        for base, spec in self.specs:
            relative = absolute[len(base.rstrip(os.sep)) + 1 :].replace(os.sep, "/")
            result = spec.check_file(relative + ("/" if folder else ""))
            if result.include is not None:
                verdict = bool(result.include)
        return verdict
