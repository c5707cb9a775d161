"""The command line: one module for each command, loaded only when it is called.

`cfglint PATHS` is `cfglint check PATHS`; a folder that is called like a command is `./rules`.
"""

from __future__ import annotations

import contextlib
import errno
import gc
import importlib
import os
import sys
from collections.abc import Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:  # nothing large is loaded before `main`, which knows what to do with Ctrl-C
    from typing import NoReturn

DEFAULT = "check"
INTERRUPTED = 130  # as a shell says of what SIGINT has ended
# What a stream can fail with: closed, full, over a quota or limit, gone.
OUTPUT = (errno.EBADF, errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


class UsageError(Exception):
    """The tool was used wrongly: no such path, bad settings, an unknown rule. Exit code 2."""


def commands() -> list[str]:
    """The names of all commands: the modules of this package that are not private."""
    folder = os.path.dirname(__file__)
    names = (f[:-3] for f in os.listdir(folder) if f.endswith(".py") and not f.startswith("_"))
    return sorted(name.replace("_", "-") for name in names)


def main(args: Sequence[str] | None = None) -> None:
    """Run the command that the arguments name; ends the process with its exit code.

    Whatever the system refuses (a full disk, a closed stream, a folder that may not be searched)
    ends it with 2 and a line that says so; Ctrl-C with 130. Without `args` it is a program of its
    own (the words are those of the process) and nothing comes after it.
    """
    try:
        _guarded(list(sys.argv[1:] if args is None else args))
    except SystemExit as end:
        if args is None:
            _leave(end.code or 0)
        raise


def _guarded(words: list[str]) -> None:
    _fill_streams()
    try:
        try:
            _run(words)
        finally:
            sys.stdout.flush()  # here, where a full disk can still be told
    except UsageError as problem:
        _end(2, str(problem))
    except KeyboardInterrupt:
        _end(INTERRUPTED, "interrupted")
    except SystemExit as end:
        if end.code == INTERRUPTED:  # typer has caught it, and says nothing
            _end(INTERRUPTED, "interrupted")
        raise
    except BrokenPipeError:
        # The reader (head, less) has gone; nothing is wrong with the files.
        _end(1)
    except OSError as problem:
        _end(2, _refused(problem))


def _run(words: list[str]) -> None:
    # What is read stays in use to the end: the usual search for garbage is a fifth of a run.
    gc.set_threshold(1_000_000, 50, 100)
    name = words.pop(0) if words and words[0] in commands() else DEFAULT
    import typer

    module = importlib.import_module(f"cfglint.cli.{name.replace('-', '_')}")
    app = typer.Typer(
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    help_text = _paragraphs(module.run.__doc__ or "")
    app.command(help=help_text, epilog=getattr(module, "EPILOG", None))(module.run)
    app(args=words, prog_name="cfglint" if name == DEFAULT else f"cfglint {name}")


def _fill_streams() -> None:
    """Put something into the place of standard streams that are closed: what is written to it, or
    read from it, is an error like any other."""
    if sys.stdin is None:
        sys.stdin = os.fdopen(os.open(os.devnull, os.O_WRONLY), encoding="utf-8")
    if sys.stdout is None:
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")


def _end(code: int, message: str = "") -> NoReturn:
    """End the process; what standard output does not take is given up."""
    if message:
        # A path in it may hold anything.
        shown = message.encode("utf-8", "backslashreplace").decode()
        with contextlib.suppress(OSError):
            print(f"cfglint: {shown}", file=sys.stderr)
    try:
        sys.stdout.flush()
    except OSError:
        # Else the interpreter would try once more, and complain, when it ends.
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)


def _leave(code: object) -> None:
    """End the process without taking apart what it holds in memory: the system drops it anyway, and
    piece by piece it costs a tenth of the run on a small file. mypy ends in this way, too.

    Returns where somebody looks on who has still something to do: a debugger, a profiler.
    """
    watched = sys.flags.inspect or sys.gettrace() or sys.getprofile()
    if watched or not isinstance(code, int):
        return
    import atexit

    atexit._run_exitfuncs()
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code & 0xFF)


def _refused(problem: OSError) -> str:
    """What the system refused, in words."""
    why = problem.strerror or str(problem)
    if problem.filename is not None:
        return f"{os.fsdecode(problem.filename)}: {why}"
    try:
        os.getcwd()
    except OSError:
        return "the working directory does not exist any more"
    return f"cannot write to standard output: {why}" if problem.errno in OUTPUT else why


def _paragraphs(docstring: str) -> str:
    """A docstring with the line breaks inside its paragraphs taken out: the terminal makes them."""
    return "\n\n".join(" ".join(part.split()) for part in docstring.split("\n\n"))


__all__ = ["UsageError", "commands", "main"]
