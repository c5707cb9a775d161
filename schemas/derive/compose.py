"""Derive schemas/compose.json: the keys of a Compose file, and what each may hold.

    python schemas/derive/compose.py CLONE [--tag v2.13.0]

`CLONE` is a clone of github.com/compose-spec/compose-go, the library by which `docker compose`
loads its files (a bare clone will do). It checks every file against schema/compose-spec.json;
that schema is what is read here. A key that a release once took is still in it (the 112 tags
until v2.13.0 were compared; `provider.configs`, which three of them had, is the one exception).

The file: {"source": TAG, "file": PLACE}. A PLACE is a string of type names, or {"types": ...,
"keys": {NAME: PLACE}, "any": PLACE, "items": PLACE, "open": true}: a mapping takes `keys`, or any
name with values like `any`; with `keys` alone other names are refused, those that begin with `x-`
excepted, unless the place is `open`. `items` is what a list holds.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from pathlib import Path
from typing import Any

OUT = Path(__file__).resolve().parent.parent / "compose.json"
TYPES = {
    "string": "str", "integer": "int", "number": "number", "boolean": "bool", "null": "null",
    "array": "list", "object": "mapping",
}  # fmt: skip
ORDER = list(TYPES.values())
EXTENSION = "^x-"
Place = dict[str, Any]


def place(schema: Any, definitions: dict[str, Any]) -> Place:
    """What a schema allows, alternatives put together; references are followed."""
    if not isinstance(schema, dict):
        return {"types": set(ORDER), "open": True}
    if "$ref" in schema:
        return place(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    for word in ("oneOf", "anyOf"):
        if word in schema:
            found: Place = {"types": set()}
            for one in schema[word]:
                merge(found, place(one, definitions))
            return found
    named = schema.get("type", ORDER if "enum" not in schema else "string")
    listed = [named] if isinstance(named, str) else named
    found = {"types": {TYPES.get(name, name) for name in listed}}
    if "mapping" in found["types"]:
        _mapping(schema, definitions, found)
    if "list" in found["types"] and "items" in schema:
        found["items"] = place(schema["items"], definitions)
    return found


def _mapping(schema: dict[str, Any], definitions: dict[str, Any], found: Place) -> None:
    if "properties" in schema:
        found["keys"] = {n: place(s, definitions) for n, s in schema["properties"].items()}
    for pattern, one in schema.get("patternProperties", {}).items():
        if pattern != EXTENSION:
            found["any"] = place(one, definitions)
    other = schema.get("additionalProperties")
    if isinstance(other, dict):
        found["any"] = place(other, definitions)
    elif other is not False and "any" not in found:
        found["open"] = True


def merge(into: Place, other: Place) -> None:
    """Put another alternative beside what `into` allows already."""
    mapped = "mapping" in into["types"] and "mapping" in other["types"]
    into["types"] |= other["types"]
    if mapped and bool(into.get("keys")) != bool(other.get("keys")):
        into["open"] = True
    for part in ("any", "items"):
        if part in other and part in into:
            merge(into[part], other[part])
        elif part in other:
            into[part] = other[part]
    for name, one in other.get("keys", {}).items():
        known = into.setdefault("keys", {})
        if name in known:
            merge(known[name], one)
        else:
            known[name] = one
    if other.get("open"):
        into["open"] = True


def compact(found: Place) -> Any:
    """The place as the file has it: a string of types where there is no more to say."""
    words = " ".join(sorted(found["types"], key=ORDER.index))
    parts: dict[str, Any] = {"types": words}
    if "keys" in found:
        parts["keys"] = {name: compact(found["keys"][name]) for name in sorted(found["keys"])}
    for part in ("any", "items"):
        if part in found:
            parts[part] = compact(found[part])
    if found.get("open") and "keys" in parts:
        parts["open"] = True
    return words if len(parts) == 1 else parts


def derive(clone: Path, tag: str) -> dict[str, Any]:
    """The content of the data file for a tag of the clone."""
    text = subprocess.run(
        ["git", "-C", str(clone), "show", f"{tag}:schema/compose-spec.json"],
        check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    schema = json.loads(text)
    definitions = schema.get("$defs") or schema.get("definitions") or {}
    return {"source": f"compose-go {tag}", "file": compact(place(schema, definitions))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("clone", type=Path)
    parser.add_argument("--tag", default="v2.13.0")
    parser.add_argument("--output", type=Path, default=OUT)
    given = parser.parse_args()
    data = derive(given.clone, given.tag)
    given.output.write_text(json.dumps(data, indent=1) + "\n")


if __name__ == "__main__":
    main()
