"""The command line: one module for each command, loaded only when it is called.

`cfglint PATHS` is `cfglint check PATHS`; a folder that is called like a command is `./rules`.
"""

from __future__ import annotations

import gc
import importlib
import os
import sys
from collections.abc import Sequence

DEFAULT = "check"


class UsageError(Exception):
    """The tool was used wrongly: no such path, bad settings, an unknown rule. Exit code 2."""


def commands() -> list[str]:
    """The names of all commands: the modules of this package that are not private."""
    folder = os.path.dirname(__file__)
    names = (f[:-3] for f in os.listdir(folder) if f.endswith(".py") and not f.startswith("_"))
    return sorted(name.replace("_", "-") for name in names)


def main(args: Sequence[str] | None = None) -> None:
    """Run the command that the arguments name; ends the process with its exit code."""
    # What is read stays in use to the end: the usual search for garbage is a fifth of a run.
    gc.set_threshold(1_000_000, 50, 100)
    words = list(sys.argv[1:] if args is None else args)
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
    try:
        app(args=words, prog_name="cfglint" if name == DEFAULT else f"cfglint {name}")
    except UsageError as problem:
        print(f"cfglint: {problem}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:
        # The reader (head, less) has gone; nothing is wrong with the files.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


def _paragraphs(docstring: str) -> str:
    """A docstring with the line breaks inside its paragraphs taken out: the terminal makes them."""
    return "\n\n".join(" ".join(part.split()) for part in docstring.split("\n\n"))


__all__ = ["UsageError", "commands", "main"]
