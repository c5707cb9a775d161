"""Derive schemas/docker.json: the options of `docker run`.

    python schemas/derive/docker.py [--docker /usr/local/bin/docker]

Docker's own command lists them (`docker run --help`, which needs no daemon); those in `HIDDEN`,
which it takes without listing, are marked so in its source (docker/cli, cli/command/container/
opts.go, `MarkHidden`).

The file: {"source": VERSION, "options": [...], "alone": [...]}; options without their hyphens,
those of them that take no value.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
from pathlib import Path

OUT = Path(__file__).resolve().parent.parent / "docker.json"
HIDDEN = ("net", "net-alias", "dns-opt")
_OPTION = re.compile(r"^\s+(?:-\w, )?--([a-z][a-z0-9-]*)(?= |$)", re.M)
_ALONE = re.compile(r"^\s+(?:-\w, )?--([a-z][a-z0-9-]*)(?= {2}|$)", re.M)


def alone(help_text: str) -> list[str]:
    """The long options behind which a help text shows no type of a value, in order."""
    return sorted(set(_ALONE.findall(help_text)))


def options(help_text: str) -> list[str]:
    """The long options that a help text lists, and the hidden ones, in order."""
    found = set(_OPTION.findall(help_text))
    if "gpus" not in found:
        raise ValueError("this is not the help of `docker run`")
    return sorted({*found, *HIDDEN})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--docker", default="docker")
    docker = parser.parse_args().docker

    def told(*words: str) -> str:
        return subprocess.run([docker, *words], capture_output=True, text=True, check=True).stdout

    version = re.search(r"[\d.]+\d", told("--version"))
    text = told("run", "--help")
    source = version[0] if version else ""
    data = {"source": source, "options": options(text), "alone": alone(text)}
    OUT.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
