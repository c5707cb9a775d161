"""What `cfglint schema NAME` prints for editors: the schema of a config or of the settings."""

from __future__ import annotations

from typing import Any

from cfglint.releases.data import load
from cfglint.releases.jsonschemas import TITLES, document


def build(name: str, version: str | None = None) -> dict[str, Any]:
    """The schema of "accelerate", "deepspeed", "llamafactory" or "cfglint" (its settings).

    `version` is a release of the package, None the newest. Raises KeyError for other names.
    """
    if name == "cfglint":
        from cfglint import settings

        return settings.schema()
    if name == "llamafactory":
        from cfglint.llamafactory import schema as llamafactory_schema

        return llamafactory_schema.build(version)
    release = load(name).at(version)
    return document(release, f"{TITLES[name]} ({name} {release.version})")
