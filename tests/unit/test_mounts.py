"""Paths of a container lead to what its image copies and its service binds."""

from __future__ import annotations

from pathlib import Path

import pytest

from cfglint.model.document import Document
from cfglint.readers.dockerfile import build
from cfglint.syntax.dockerfile import parse
from cfglint.text import SourceText

HEAD = "FROM a\nWORKDIR /w\n"


@pytest.mark.parametrize(
    ("lines", "path", "place"),
    [
        ("COPY . .\n", "conf/a.yaml", "conf/a.yaml"),
        ("COPY . .\n", "/w/conf/a.yaml", "conf/a.yaml"),
        ("COPY . .\n", "/other/a.yaml", ""),
        ("COPY . .\n", "../a.yaml", ""),
        ("COPY conf /w/c\n", "c/a.yaml", "conf/a.yaml"),
        ("COPY a.yaml b.py /w/\n", "a.yaml", "a.yaml"),
        ("COPY a.yaml /w/default.yaml\n", "default.yaml", "a.yaml"),
        ('COPY ["conf dir", "/w/c"]\n', "c/a.yaml", "conf dir/a.yaml"),
        ("COPY . .\nCOPY other/ conf/\n", "conf/a.yaml", "other/a.yaml"),
        ("COPY . .\nCOPY --from=x /c conf/\n", "conf/a.yaml", ""),
        ("COPY . .\nADD c.tar.gz conf/\n", "conf/a.yaml", ""),
        ("COPY . .\nADD more .\n", "conf/a.yaml", "more/conf/a.yaml"),
        ("COPY . .\nRUN touch conf/a.yaml\n", "conf/a.yaml", ""),
        ("COPY . .\nCOPY x $HOME/\n", "conf/a.yaml", ""),
        ("COPY . .\n", "$CONF/a.yaml", ""),
        ("WORKDIR sub\nCOPY . .\n", "a.yaml", "a.yaml"),
        ("WORKDIR $X\nCOPY . .\n", "a.yaml", ""),
    ],
)
def test_places_in_an_image(lines: str, path: str, place: str) -> None:
    source = SourceText(HEAD + lines)
    document = Document("Dockerfile", Path("Dockerfile"), source, kind="dockerfile")
    file = parse(source)
    assert build(document, file, file.stages[-1]).mounts.place(path) == place


def test_a_base_without_a_working_directory_leaves_it_open() -> None:
    source = SourceText("FROM a\nCOPY . /w\n")
    document = Document("Dockerfile", Path("Dockerfile"), source, kind="dockerfile")
    file = parse(source)
    mounts = build(document, file, file.stages[-1]).mounts
    assert mounts.place("a.yaml") == ""
    assert mounts.place("/w/a.yaml") == "a.yaml"
