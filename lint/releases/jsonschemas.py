"""JSON Schemas (draft 2020-12) from the data of a package.

`document` is what editors are given: it takes what the real loader takes, so unknown keys pass
where the loader ignores them. `of_section` is the closed form that the validator holds a file
against.
"""

from __future__ import annotations

import re
from typing import Any

from cfglint.releases.data import (
    FALSE_WORDS,
    TEXTS,
    TRUE_WORDS,
    Release,
    Section,
    Spec,
    kind_of,
)

DIALECT = "https://json-schema.org/draft/2020-12/schema"
TITLES = {
    "accelerate": "accelerate launch configuration",
    "deepspeed": "DeepSpeed configuration",
    "llamafactory": "LLaMA-Factory arguments",
}
NAMES = {"bool": "boolean", "int": "integer", "number": "number", "str": "string"}
NAMES |= {"list": "array", "mapping": "object", "null": "null"}
AUTO = {"const": "auto"}


def document(release: Release, title: str) -> dict[str, Any]:
    """The schema of a whole file: its top, its sections, and the other forms its top can take."""
    described: dict[str, Any] = release.package.raw["sections"]
    definitions: dict[str, Any] = {}
    for name in described:
        section = release.section(name)
        if section is not None and "@" not in name[1:]:  # a.b@TYPE holds for one a.type only
            definitions[name] = of_section(section, closed=section.refuses, refer=True)
    for key in (row[0] for row in release.table("trainer")):
        _allow_auto(definitions, key)
    top = definitions.pop("")
    forms = [(name, section["when"]) for name, section in described.items() if "when" in section]
    head: dict[str, Any] = {"$schema": DIALECT, "title": title, "type": "object"}
    if forms:
        definitions["(top)"] = top
        return {**head, **_alternatives(forms), "$defs": dict(sorted(definitions.items()))}
    rest = {"$defs": dict(sorted(definitions.items()))} if definitions else {}
    return {**head, **top, **rest}


def _allow_auto(definitions: dict[str, Any], path: str) -> None:
    """Let a key be "auto": Hugging Face's integration puts the trainer's own value there."""
    section, _, key = path.rpartition(".")
    properties = definitions.get(section, {}).get("properties", {})
    value = properties.get(key)
    if value is not None and AUTO not in value.get("anyOf", ()):
        properties[key] = {"anyOf": [AUTO, value]}


def _alternatives(forms: list[tuple[str, dict[str, Any]]]) -> dict[str, Any]:
    """A chain of conditions that ends at the usual top of the file."""
    rest: dict[str, Any] = {"$ref": _reference("(top)")}
    for name, when in reversed(forms):
        test = {"properties": {when["key"]: {"enum": when["values"]}}, "required": [when["key"]]}
        rest = {"if": test, "then": {"$ref": _reference(name)}, "else": rest}
    return rest


def of_section(section: Section, closed: bool = True, refer: bool = False) -> dict[str, Any]:
    """The schema of one mapping.

    `closed` refuses unknown keys. With `refer`, known mappings below it are references into the
    `$defs` of the whole; without, they may be any mapping (the validator descends by itself).
    """
    properties: dict[str, Any] = {}
    for key, spec in section.keys.items():
        below = section.below(key) if refer else None
        properties[key] = of_value(spec, below)
        if section.auto:
            properties[key] = {"anyOf": [AUTO, properties[key]]}
        names = [*spec.aliases]
        if section.prefix and key.startswith(section.prefix):
            names.append(key.removeprefix(section.prefix))
        for name in names:
            if section.canonical(name) == key and name not in section.keys:
                properties[name] = properties[key]
    made: dict[str, Any] = {"type": "object", "properties": dict(sorted(properties.items()))}
    required = sorted(k for k, spec in section.keys.items() if spec.required)
    if required:
        made["required"] = required
    if closed:
        made["additionalProperties"] = AUTO if section.auto else False
    return made


def of_value(spec: Spec, below: Section | None = None) -> dict[str, Any]:
    """The schema of a key's value."""
    if spec.refused or spec.types == ("never",):
        return {"not": {}}
    branches = _branches(spec, below)
    if spec.auto and branches:
        branches.append({"enum": ["auto"]})
    made: dict[str, Any] = {} if not branches else branches[0]
    if len(branches) > 1:
        made = _joined(branches)
    if spec.default is not None:
        made = {**made, "default": spec.default}
    if spec.deprecated or spec.replaced_by:
        made = {**made, "deprecated": True}
    if spec.unread:
        made = {**made, "description": "Accepted, and read by nothing."}
    if spec.replaced_by:
        made = {**made, "description": f"Called {spec.replaced_by} now."}
    return made


def _branches(spec: Spec, below: Section | None) -> list[dict[str, Any]]:
    """One schema for each type a value may have."""
    branches: list[dict[str, Any]] = []
    if "any" in spec.types:
        return branches
    for kind in spec.types:
        if kind == "whole":
            numbers = [c for c in spec.choices if kind_of(c) == "int"]
            whole = {"type": "number", "multipleOf": 1, **_limits(spec)}
            branches.append({"enum": numbers} if numbers else whole)
            continue
        if kind in TEXTS:
            branches.append({"type": "string", "pattern": _text_pattern(kind)})
            continue
        branch: dict[str, Any] = {"type": NAMES[kind]}
        choices = [c for c in spec.choices if kind_of(c) == kind]
        if kind == "str" and choices:
            branches.append({"enum": choices})
            if not spec.fold:
                continue
            branch["pattern"] = _any_case(choices)
        elif choices:  # with the type: to JSON Schema 1, 1.0 and true are near one another
            branch["enum"] = choices
        elif kind in ("int", "number"):
            branch |= _limits(spec)
        elif kind == "str" and spec.pattern is not None:
            branch["pattern"] = spec.pattern
        elif kind == "list":
            branch |= _of_list(spec)
        elif kind == "mapping":
            if below is not None:
                branch = {"$ref": _reference(below.name)}
            elif spec.values:
                branch["additionalProperties"] = of_value(spec.values)
        branches.append(branch)
    return branches


def _joined(branches: list[dict[str, Any]]) -> dict[str, Any]:
    """Branches as one schema: plain types and plain choices together, anyOf for the rest."""
    types = [b["type"] for b in branches if set(b) == {"type"}]
    values = [v for b in branches if set(b) == {"enum"} for v in b["enum"]]
    rest = [b for b in branches if set(b) not in ({"type"}, {"enum"})]
    made: list[dict[str, Any]] = []
    if types:
        made.append({"type": types[0] if len(types) == 1 else types})
    if values:
        made.append({"enum": values})
    made += rest
    return made[0] if len(made) == 1 else {"anyOf": made}


def _limits(spec: Spec) -> dict[str, Any]:
    words = {"min": "minimum", "max": "maximum", "above": "exclusiveMinimum"}
    words["below"] = "exclusiveMaximum"
    return {words[k]: v for k, v in spec.limits.items()}


def _of_list(spec: Spec) -> dict[str, Any]:
    made: dict[str, Any] = {}
    if spec.items:
        made["items"] = of_value(spec.items)
    low, high = spec.length
    if low is not None:
        made["minItems"] = low
    if high is not None:
        made["maxItems"] = high
    return made


def _reference(section: str) -> str:
    return "#/$defs/" + section.replace("~", "~0").replace("/", "~1")


def _any_case(words: list[str]) -> str:
    """A pattern for words in any letter case; JSON Schema's patterns have no flags."""

    def spell(word: str) -> str:
        letters = (f"[{c.upper()}{c.lower()}]" if c.isalpha() else re.escape(c) for c in word)
        return "".join(letters)

    return "^(" + "|".join(map(spell, words)) + ")$"


def _text_pattern(kind: str) -> str:
    if kind == "truth_text":
        return _any_case([*TRUE_WORDS, *FALSE_WORDS])
    pattern = TEXTS[kind].pattern
    return "^(" + pattern.replace("inf|infinity|nan", "[iI]nf|[nN]a[nN]") + ")$"
