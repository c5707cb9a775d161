"""What a run says beside its findings: of releases in the settings that cfglint does not know, and
of files that no finding can speak of: those of no known kind, and those whose bytes nobody has
seen, so that their kind cannot be known."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from cfglint.model.document import Document

if TYPE_CHECKING:
    from cfglint.cli._running import Run
    from cfglint.settings import Settings

DESCRIBED = ("accelerate", "deepspeed", "llamafactory", "transformers")
SHOWN = 5  # names in one line


def notes(run: Run, documents: list[Document]) -> Iterator[str]:
    """Lines for standard error about the files that were asked for.

    Names go out as reports show them.
    """
    from cfglint.wording import visible

    yield from unknown_releases(run.settings)
    for document in documents:
        if document.is_unseen:
            yield visible(f"{document.path}: {document.problems[0].message}")
    if run.options.force_exclude:  # a hook hands over whatever was changed
        return
    named = {os.path.abspath(path) for path in run.given}
    strange = [
        d.path
        for d in documents
        if d.kind is None and not d.is_unseen and os.path.abspath(d.file) in named
    ]
    if not strange:
        return
    if run.is_standard_input:
        hint = "" if run.options.stdin_filename else "; --stdin-filename says what it is called"
        yield f"standard input: no mark of a kind that cfglint knows{hint}"
        return
    shown = ", ".join(visible(path) for path in strange[:SHOWN])
    more = f" and {len(strange) - SHOWN} more" if len(strange) > SHOWN else ""
    yield f"no mark of a kind that cfglint knows: {shown}{more}"


def unknown_releases(settings: Settings) -> Iterator[str]:
    """Lines about `[versions]` that lie outside of the releases that are described."""
    for package, version in settings.versions.items():
        if package not in DESCRIBED:
            continue
        from cfglint.releases import data as schemadata
        from cfglint.releases.versions import order
        from cfglint.settings import shown

        releases = schemadata.load(package).versions
        if any(release.startswith(f"{version}.") for release in releases):
            continue  # a series: the last of it counts
        for end, word in ((releases[-1], "newest"), (releases[0], "oldest")):
            beyond = (
                order(version) > order(end) if word == "newest" else order(version) < order(end)
            )
            if beyond:
                file, _, line = settings.origins.get(f"versions.{package}", "").rpartition(":")
                where = f"{shown(Path(file))}:{line}: " if file else ""
                yield (
                    f"{where}{package} {version} is not known here; its files are held against"
                    f" {end}, the {word} release that is"
                )
