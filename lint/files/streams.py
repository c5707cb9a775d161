"""Text that comes without a file of its own: standard input, pipes, devices, `<(command)`."""

from __future__ import annotations

import os
import re
import stat
import sys
from pathlib import Path

from cfglint.patterns import lazy

# Where a process finds what is open in it: such a name says nothing of the content.
_OPEN = lazy(r"/dev/(stdin|fd/\d+)|/proc/[^/]+/fd/\d+")
# A line that starts a job: a launcher, behind assignments and commands that start others, if any.
# A word that ends in a colon is a key of YAML.
_LAUNCH = lazy(
    r"^(?![-#])(?:[^\s#]*[^\s#:][ \t]+){0,8}?(?:torchrun|accelerate[ \t]+launch|deepspeed"
    r"|horovodrun|mpirun|mpiexec|srun|llamafactory-cli|swift[ \t]+\w+"
    r"|python[\d.]*[ \t]+(?:-\w[ \t]+)*-m[ \t]+torch\.distributed\.\w+)(?:[ \t\r\\]|$)",
    re.M,
)
HEAD = 200_000  # bytes that are read at least, to tell the kind of what is over the limit
_BATCH = lazy(r"^#SBATCH\b", re.M)


def is_stream(path: Path) -> bool:
    """Whether a path leads to no file on disk, or by a name that is not the file's own."""
    if _OPEN.fullmatch(os.path.abspath(path)):
        return True
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False  # whoever opens it will say so
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def read(path: Path, limit: int) -> bytes | None:
    """What a stream holds, of endless ones a little more than `limit` bytes.

    None where it cannot be read. A named pipe may keep its reader waiting for ever: that it is
    waited for is said.
    """
    try:
        if stat.S_ISFIFO(os.stat(path).st_mode) and not _OPEN.fullmatch(os.path.abspath(path)):
            print(
                f"cfglint: {path} is a named pipe; waiting for what is written to it",
                file=sys.stderr,
                flush=True,
            )
        with open(path, "rb") as file:
            return file.read(max(limit, HEAD) + 1)
    except OSError:
        return None  # as is_stream


def guess_name(text: str) -> str:
    """A file name for text that came without one, so that its kind can be told."""
    start = text.lstrip("\ufeff \t\r\n")[:5]
    if start.startswith("#!"):
        return "stdin.sh"
    if start.startswith(("{", "[")):
        return "stdin.json"
    if start.upper() in ("FROM ", "ARG  "):
        return "stdin.dockerfile"
    return "stdin.sh" if _LAUNCH.search(text) or _BATCH.search(text) else "stdin.yaml"
