"""Replacing files on disk: atomically, with mode, owner and everything else as it was."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from pathlib import Path


class WriteError(Exception):
    """A file that was not written; the message says which and why."""


def replace(path: Path, old: bytes, new: bytes, root: Path) -> None:
    """Replace a file's bytes, if they are still `old`. A link inside `root` is followed.

    Raises WriteError when the file changed meanwhile, a link leaves `root`, or writing fails; the
    file is then untouched.
    """
    target = Path(os.path.realpath(path))
    if path.is_symlink():
        top = os.path.realpath(root)
        if not str(target).startswith(top + os.sep):
            raise WriteError(f"{path}: not written: the link leads out of the tree, to {target}")
    try:
        if target.read_bytes() != old:
            raise WriteError(f"{path}: not written: it changed while it was being linted")
        status = target.stat()
        if not status.st_mode & stat.S_IWUSR and not os.access(target, os.W_OK):
            raise WriteError(f"{path}: not written: it is read-only")
        _swap(target, new, status)
    except OSError as problem:
        raise WriteError(f"{path}: not written: {problem.strerror or problem}") from None


def _swap(target: Path, new: bytes, status: os.stat_result) -> None:
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:40]}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(new)
            file.flush()
            os.fsync(file.fileno())
        if hasattr(os, "chown"):
            with contextlib.suppress(PermissionError):
                os.chown(name, status.st_uid, status.st_gid)
        os.chmod(name, stat.S_IMODE(status.st_mode))
        os.replace(name, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
