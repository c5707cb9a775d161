"""Derive schemas/launchers.json: the command-line options of the launchers, by version.

    python schemas/derive/launchers.py OUTPUT PACKAGE=VERSION=FOLDER ...

PACKAGE is torch, accelerate or deepspeed; FOLDER is where that version lies unpacked (the folder
that holds `torch/`, `accelerate/` or `deepspeed/`). The parsers are read from the source, since
importing the packages needs their own dependencies. Help texts are left out.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
from pathlib import Path
from typing import Any

# Launcher -> package, file and function whose parser it is, parser it extends, spelling habits.
PARSERS: dict[str, dict[str, Any]] = {
    "torchrun": {"package": "torch", "file": "torch/distributed/run.py",
                 "function": "get_args_parser", "abbreviations": True, "dashes": False},
    "torch.distributed.launch": {"package": "torch", "file": "torch/distributed/launch.py",
                                 "function": "parse_args", "extends": "torchrun",
                                 "abbreviations": True, "dashes": False},
    "accelerate": {"package": "accelerate", "file": "accelerate/commands/launch.py",
                   "function": "launch_command_parser", "abbreviations": False, "dashes": True},
    "deepspeed": {"package": "deepspeed", "file": "deepspeed/launcher/runner.py",
                  "function": "parse_args", "abbreviations": True, "dashes": False,
                  "constants": ["deepspeed/constants.py", "deepspeed/launcher/constants.py"]},
}  # fmt: skip
NO_VALUE = {"store_true", "store_false", "store_const", "check_env", "help", "version", "count"}


def constants(path: Path) -> dict[str, Any]:
    """Literal constants of a module's top level."""
    found: dict[str, Any] = {}
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            try:
                found[node.targets[0].id] = ast.literal_eval(node.value)
            except ValueError:
                continue
    return found


def plain(node: ast.expr, names: dict[str, Any]) -> Any:
    """A literal or a known constant; ... where it is neither."""
    if isinstance(node, ast.Name) and node.id in names:
        return names[node.id]
    try:
        return ast.literal_eval(node)
    except ValueError:
        return ...


def option(call: ast.Call, names: dict[str, Any]) -> dict[str, Any] | None:
    """What one add_argument call declares, None for a positional argument."""
    spellings = [a.value for a in call.args if isinstance(a, ast.Constant)]
    if not spellings or not spellings[0].startswith("-"):
        return None
    keywords = {k.arg: k.value for k in call.keywords}
    action = keywords.get("action")
    kind = action.id if isinstance(action, ast.Name) else action and plain(action, names)
    long = [s for s in spellings if s.startswith("--")]
    dest = keywords.get("dest")
    name = plain(dest, names) if dest else (long or spellings)[0].lstrip("-").replace("-", "_")
    found: dict[str, Any] = {"names": spellings, "dest": name}
    nargs = plain(keywords["nargs"], names) if "nargs" in keywords else None
    if kind in NO_VALUE or nargs == 0:
        found["takes"] = "none"
    elif nargs in ("?", "*"):
        found["takes"] = "optional"
    else:
        found["takes"] = "value"
    if kind in ("env", "check_env"):
        found["env"] = f"PET_{name.upper()}"
    type_ = keywords.get("type")
    if isinstance(type_, ast.Name) and type_.id in ("int", "float"):
        found["type"] = type_.id
    for key in ("choices", "default"):
        value = plain(keywords[key], names) if key in keywords else ...
        if value is not ... and value is not None and found["takes"] != "none":
            found[key] = list(value) if key == "choices" else value
    return found


def options(root: Path, parser: dict[str, Any]) -> list[dict[str, Any]]:
    """All options of a launcher's parser in one unpacked version."""
    path = root / parser["file"]
    names = constants(path)
    for extra in parser.get("constants", []):
        if (root / extra).exists():
            names = {**constants(root / extra), **names}
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef) and node.name == parser["function"]:
            calls = [c for c in ast.walk(node) if isinstance(c, ast.Call)]
            calls = [c for c in calls if getattr(c.func, "attr", "") == "add_argument"]
            calls.sort(key=lambda c: (c.lineno, c.col_offset))
            return [found for c in calls if (found := option(c, names))]
    raise SystemExit(f"{path} has no function {parser['function']}")


def release(version: str) -> tuple[int, ...]:
    return tuple(int(n) for n in re.findall(r"\d+", version)[:3])


def merge(versions: dict[str, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """One list of options: the newest declaration of each, with the versions that know it."""
    order = sorted(versions, key=release)
    merged: dict[str, dict[str, Any]] = {}
    for version in order:
        for found in versions[version]:
            old = merged.get(found["dest"], {})
            spellings = list(dict.fromkeys([*found["names"], *old.get("names", [])]))
            merged[found["dest"]] = {
                **found,
                "names": spellings,
                "since": old.get("since", version),
                "until": version,
            }
    for found in merged.values():
        if found["since"] == order[0]:
            del found["since"]
        if found["until"] == order[-1]:
            del found["until"]
    return sorted(merged.values(), key=lambda f: f["dest"])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("output", type=Path)
    parser.add_argument("sources", nargs="+", metavar="PACKAGE=VERSION=FOLDER")
    args = parser.parse_args()
    folders: dict[str, dict[str, Path]] = {}
    for source in args.sources:
        package, version, folder = (*source.split("=", 2), "", "")[:3]
        if not Path(folder, package).is_dir():
            parser.error(f"{source}: no folder {package}/ in {folder or 'it'}")
        folders.setdefault(package, {})[version] = Path(folder)
    missing = {description["package"] for description in PARSERS.values()} - folders.keys()
    if missing:
        parser.error(f"no source of {', '.join(sorted(missing))}")
    result: dict[str, Any] = {}
    for launcher, form in PARSERS.items():
        roots = folders[form["package"]]
        result[launcher] = {
            "package": form["package"],
            "versions": sorted(roots, key=release),
            "abbreviations": form["abbreviations"],
            "dashes": form["dashes"],
            "options": merge({v: options(root, form) for v, root in roots.items()}),
        }
        if "extends" in form:
            result[launcher]["extends"] = form["extends"]
    args.output.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
