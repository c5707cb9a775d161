"""`cfglint schema NAME`: a JSON Schema, for editors."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from cfglint.cli import UsageError

WORDS = ("accelerate", "deepspeed", "llamafactory", "cfglint")
EPILOG = (
    "In VS Code, yaml.schemas (YAML extension) and json.schemas map the printed file to your"
    " configs. cfglint is its own settings file, [tool.cfglint] and cfglint.toml."
)


def run(
    name: Annotated[str, typer.Argument(help="accelerate, deepspeed, llamafactory or cfglint.")],
    version: Annotated[
        str | None, typer.Option(help="Of the package; the newest that is known without it.")
    ] = None,
) -> None:
    """Print the JSON Schema of a kind of config, derived from the package that reads it."""
    from cfglint.spelling import near

    if name not in WORDS:
        guess = near(name, WORDS)
        meant = f"; did you mean {guess}?" if guess else f"; known are {', '.join(WORDS)}"
        raise UsageError(f"there is no schema {name!r}{meant}")
    if version is not None and (name == "cfglint" or not version[:1].isdigit()):
        raise UsageError(f"{version!r} is no version of {name}")
    from cfglint import jsonschemas

    print(json.dumps(jsonschemas.build(name, version), indent=1, ensure_ascii=False))
