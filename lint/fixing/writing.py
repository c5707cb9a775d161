"""Replacing files on disk: atomically, with mode, owner and everything else as it was."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from pathlib import Path

from cfglint.files.discovery import is_below
from cfglint.record import dataclass


class WriteError(Exception):
    """A file that was not written; the message says which and why."""


@dataclass(slots=True)
class Change:
    """New bytes for a file that held `old` when it was linted."""

    path: Path
    old: bytes
    new: bytes


def replace(path: Path, old: bytes, new: bytes, root: Path) -> None:
    """Replace a file's bytes, if they are still `old`. A link inside `root` is followed.

    Raises WriteError when the file changed meanwhile, a link leaves `root`, or writing fails; the
    file is then untouched.
    """
    replace_all([Change(path, old, new)], root)


def replace_all(changes: list[Change], root: Path) -> None:
    """Replace several files that belong together: all are ready before the first is swapped.

    Raises WriteError as `replace` does; no file is touched then. (A swap itself is a rename within
    one folder; should one fail all the same, the files swapped before it are put back.)
    """
    staged: list[tuple[Change, Path, str]] = []
    try:
        for change in changes:
            target = _target(change.path, root)
            try:
                staged.append((change, target, _stage(change, target)))
            except OSError as problem:
                raise WriteError(_why(change.path, problem)) from None
        _swap(staged, root)
    finally:
        for _, _, name in staged:
            with contextlib.suppress(OSError):
                os.unlink(name)


def _target(path: Path, root: Path) -> Path:
    """The file that a path leads to, links followed. Raises WriteError if one leaves the tree."""
    target = os.path.realpath(path)
    inside = is_below(target, os.path.realpath(root))
    led = path.is_symlink() or is_below(os.path.abspath(path), os.path.abspath(root))
    if led and not inside:
        raise WriteError(f"{path}: not written: a link leads out of the tree, to {target}")
    return Path(target)


def _stage(change: Change, target: Path) -> str:
    """The name of a finished copy beside the file. Raises WriteError or OSError."""
    status = target.stat()
    if not stat.S_ISREG(status.st_mode):
        raise WriteError(f"{change.path}: not written: it is no regular file")
    if target.read_bytes() != change.old:
        raise WriteError(f"{change.path}: not written: it changed while it was being linted")
    if not status.st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH):
        raise WriteError(f"{change.path}: not written: it is read-only")
    if not os.access(target, os.W_OK):
        raise WriteError(f"{change.path}: not written: no permission to write it")
    handle, name = tempfile.mkstemp(
        dir=target.parent, prefix=f".{target.name[:40]}.", suffix=".tmp"
    )
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(change.new)
            file.flush()
            os.fsync(file.fileno())
        if hasattr(os, "chown"):
            with contextlib.suppress(PermissionError):
                os.chown(name, status.st_uid, status.st_gid)
        os.chmod(name, stat.S_IMODE(status.st_mode))
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
    return name


def _swap(staged: list[tuple[Change, Path, str]], root: Path) -> None:
    done: list[tuple[Change, Path]] = []
    for change, target, name in staged:
        try:
            os.replace(name, target)
        except OSError as problem:
            for earlier, where in done:
                with contextlib.suppress(OSError, WriteError):
                    replace(where, earlier.new, earlier.old, root)
            raise WriteError(_why(change.path, problem)) from None
        done.append((change, target))


def _why(path: Path, problem: OSError) -> str:
    return f"{path}: not written: {problem.strerror or problem}"
