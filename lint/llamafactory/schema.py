"""The JSON Schema of LLaMA-Factory's config files: one branch for each form, told by its keys."""

from __future__ import annotations

from typing import Any

from cfglint.releases import jsonschemas
from cfglint.releases.data import Release, Section, combine, load
from cfglint.releases.versions import allows

PART = "&transformers"


def build(version: str | None = None) -> dict[str, Any]:
    """The schema for a release of LLaMA-Factory (None: the newest) with the newest transformers
    that it allows."""
    release = load("llamafactory").at(version)
    base = load("transformers").at(_newest_allowed(release))
    train = _form(release, base, "train")
    train["properties"] |= {
        "template": _names(release.table("templates")),
        "tool_format": _names(release.table("tool_formats")),
    }
    rest: dict[str, Any] = {"$ref": "#/$defs/train"}
    definitions = {"train": train}
    for form, test in (
        ("eval", {"required": ["task"], "not": {"required": ["stage"]}}),
        ("v1", {"required": ["model"], "not": {"required": ["model_name_or_path"]}}),
    ):
        if release.table(f"form:{form}"):
            definitions[form] = _form(release, base, form)
            rest = {"if": test, "then": {"$ref": f"#/$defs/{form}"}, "else": rest}
    title = f"{jsonschemas.TITLES['llamafactory']} (LLaMA-Factory {release.version}"
    return {
        "$schema": jsonschemas.DIALECT,
        "title": f"{title}, transformers {base.version})",
        "type": "object",
        **rest,
        "$defs": definitions,
    }


def _form(release: Release, base: Release, form: str) -> dict[str, Any]:
    parts: list[Section | None] = [
        base.section("") if part == PART else release.section(part)
        for part in release.table(f"form:{form}")
    ]
    return jsonschemas.of_section(combine(*parts))


def _names(names: tuple[Any, ...]) -> dict[str, Any]:
    return {"enum": [*names, None], "default": None}


def _newest_allowed(release: Release) -> str:
    """The newest transformers that a LLaMA-Factory release tests for."""
    spec = next((r for r in release.table("requires") if r.startswith("transformers")), "")
    versions = load("transformers").versions
    bounds = spec.removeprefix("transformers")
    return next((v for v in reversed(versions) if allows(bounds, v)), versions[-1])
