"""Derive schemas/environment.json: the variables that NCCL, torch, gloo and their kin read.

    python schemas/derive/environment.py --nccl CLONE [--torch 2.13.0 ...]

`CLONE` is a clone of github.com/NVIDIA/nccl with its tags (a bare one will do); torch wheels are
fetched with pip into the cache (`--cache`). Nothing is built or imported. What comes from where:

- NCCL: every name in a `..._PARAM(...)` and every string "NCCL_..." in the source of each release
  tag (and of HEAD) gives `since`, `until` and the default; a heading of the user guide
  (docs/userguide/source/env.rst) gives `documented` and, where its text says so, `since`;
- torch: the options of torch/distributed/run.py that take a default from the environment (PET_*),
  the names that run.py and elastic/ look up or give to the workers, those in the c10d headers and
  the strings of libtorch_cpu.so (gloo and tensorpipe are linked into it);
- environment_facts.json, written by hand: what no single expression says. Types other than
  numbers, choices, bounds, what replaced a name, who sets it, names that people invent, and the
  variables of other vendors' libraries. A name there that no source has and that is not marked
  `"elsewhere"` stops the script, and so does a choice that the sources never spell.

The file: {"sources": {...}, "variables": {NAME: {"read_by", "type", "choices", "min", "max",
"default", "since", "until", "documented", "replaced_by", "set_by", ...}}, "invented": {NAME: the
right name or null}, "vendors": {PREFIX: {...}}}. `since` and `until` count in releases of what
reads the variable; absent where it has always been there or still is.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from package_source import PackageSource, cache_folder
from shape import order

HERE = Path(__file__).resolve().parent
OUT = HERE.parent / "environment.json"
FACTS = HERE / "environment_facts.json"

TAG = re.compile(r"v(\d+\.\d+\.\d+)-\d+$")
PARAM = re.compile(r'NCCL_PARAM\(\s*\w+\s*,\s*"(\w+)"\s*,\s*([^)]*)\)')
LITERAL = re.compile(r'"(NCCL_[A-Z][A-Z0-9_]+)"')
DEFINED = re.compile(r"DEFINE_NCCL_PARAM\(\s*\w+\s*,[^,]*,\s*(NCCL_\w+)")
HEADING = re.compile(r"^(NCCL_\w+)(?: *\([^\n]*\))?\n[-=~^*]{4,}$", re.M)
SINCE = re.compile(r"\(since (2(?:\.\d+)+)|Since(?: NCCL)? (2(?:\.\d+)+)")
NUMBER = re.compile(r"-?\d+$")
TREES = ("src", "ext-net", "ext-tuner", "ext-profiler", "plugins", "contrib")
NAMES = re.compile(
    rb"(?:TORCH_NCCL|TORCH_FR|TORCH_GLOO|TORCH_DIST\w*|TORCHELASTIC|TORCH_ELASTIC|GLOO|NCCL|TP|UCX)"
    rb"_[A-Z][A-Z0-9_]+(?=\x00)"  # a whole C string, not part of a mangled name
)
WORDS = re.compile(r"^(?:[A-Z][A-Z0-9]*_)*[A-Z][A-Z0-9]+$")


class Clone:
    """A git clone, asked about its trees without checking anything out."""

    def __init__(self, folder: Path) -> None:
        bare = (folder / "HEAD").is_file()
        self._git = ["git", f"--git-dir={folder if bare else folder / '.git'}"]

    def run(self, *arguments: str) -> str:
        """The output of a git command. Raises SystemExit when it fails."""
        done = subprocess.run([*self._git, *arguments], capture_output=True, check=False)
        if done.returncode > 1:
            raise SystemExit(f"git {arguments[0]}: {done.stderr.decode(errors='replace').strip()}")
        return done.stdout.decode("utf-8", errors="replace")

    def releases(self) -> dict[str, str]:
        """Tags by release number, oldest first; of several tags of a release the last."""
        found = {m[1]: tag for tag in self.run("tag").split() if (m := TAG.match(tag))}
        return {v: found[v] for v in sorted(found, key=order)}

    def lines(self, tag: str, pattern: str) -> str:
        """The lines of the source of a tag that match an extended regular expression."""
        folders = self.run("ls-tree", "--name-only", tag).split()
        trees = [t for t in TREES if t in folders]
        return self.run("grep", "-hE", pattern, tag, "--", *trees)


def nccl(clone: Clone) -> dict[str, dict[str, Any]]:
    """The variables of NCCL with the releases that read them."""
    releases = clone.releases()
    if not releases:
        raise SystemExit("the NCCL clone has no release tags")
    versions = list(releases)
    defaults: dict[str, str] = {}
    seen: dict[str, list[str]] = {}
    for version, tag in [*releases.items(), (versions[-1], "HEAD")]:
        text = clone.lines(tag, r'NCCL_PARAM\(|"NCCL_[A-Z]')
        names = [*LITERAL.findall(text), *DEFINED.findall(text)]
        found = {f"NCCL_{m[1]}": m[2].strip() for m in PARAM.finditer(text)}
        defaults |= found
        for name in {*found, *names}:
            seen.setdefault(name, []).append(version)
    guide = clone.run("show", f"{releases[versions[-1]]}:docs/userguide/source/env.rst")
    documented = _documented(guide)
    variables: dict[str, dict[str, Any]] = {}
    for name in {*seen, *documented}:
        made: dict[str, Any] = {"read_by": "nccl", "documented": name in documented}
        if name in seen:
            first, last = seen[name][0], seen[name][-1]
            if first != versions[0]:
                made["since"] = first
            if last != versions[-1]:
                made["until"] = last
        since = documented.get(name)
        if since:
            made["since"] = since
        made["type"] = "int" if name in defaults else "str"
        if NUMBER.match(defaults.get(name, "")):
            made["default"] = defaults[name]
        variables[name] = made
    return variables


def _documented(guide: str) -> dict[str, str]:
    """The variables with a heading in the user guide, and the release it gives ("" for none)."""
    headings = list(HEADING.finditer(guide))
    found = {}
    for i, heading in enumerate(headings):
        end = headings[i + 1].start() if i + 1 < len(headings) else len(guide)
        since = SINCE.search(guide[heading.end() : end][:120])
        found[heading[1]] = (since[1] or since[2]) if since else ""
    return found


def torch(source: PackageSource, paths: Iterable[str]) -> dict[str, dict[str, Any]]:
    """The variables of one release of torch."""
    variables: dict[str, dict[str, Any]] = {}
    for path in paths:
        if path.endswith(".py") and path.startswith("torch/distributed/"):
            for name, reader in _python_names(source, path):
                variables.setdefault(name, {"read_by": reader})
        elif path.startswith("torch/include/torch/csrc/distributed/c10d/"):
            text = source.text(path) or ""
            for name in re.findall(r'"((?:TORCH|NCCL|GLOO)_[A-Z0-9_]+)"', text):
                variables.setdefault(name, {"read_by": "torch"})
    names = {raw.decode() for raw in NAMES.findall(_library(source))}
    for name in names:
        if name[-1] == "E" and name[:-1] in names:
            continue  # the end of a C++ symbol
        reader = "gloo" if name.startswith("GLOO") else "torch"
        if not name.startswith("NCCL") and not name.endswith("_"):
            variables.setdefault(name, {"read_by": reader})
    return variables


def _library(source: PackageSource) -> bytes:
    """The bytes of libtorch_cpu.so, b"" where the release has none."""
    if isinstance(source.root, Path):
        path = source.root / "torch/lib/libtorch_cpu.so"
        return path.read_bytes() if path.is_file() else b""
    try:
        return source.root.read("torch/lib/libtorch_cpu.so")
    except KeyError:
        return b""


def _python_names(source: PackageSource, path: str) -> Iterator[tuple[str, str]]:
    """The variables that a module looks up, with what reads them."""
    reader = "torchrun" if path == "torch/distributed/run.py" else "torch"
    for node in ast.walk(source.module(path)):
        if isinstance(node, ast.Call):
            function = ast.unparse(node.func)
            takes_default = any(
                k.arg == "action" and ast.unparse(k.value) in ("env", "check_env")
                for k in node.keywords
            )
            if function.endswith("add_argument") and takes_default:
                options = [a.value for a in node.args if isinstance(a, ast.Constant)]
                longest = next((o for o in options if str(o).startswith("--")), "")
                yield "PET_" + str(longest).lstrip("-").replace("-", "_").upper(), "torchrun"
            elif function in ("os.getenv", "os.environ.get", "getenv") and node.args:
                yield from ((name, reader) for name in _named(source, path, node.args[0]))
        elif isinstance(node, ast.Subscript) and ast.unparse(node.value) == "os.environ":
            yield from ((name, reader) for name in _named(source, path, node.slice))
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            if str(node.value.value).startswith(("TORCHELASTIC_", "TORCH_ELASTIC_")):
                yield str(node.value.value), reader
        elif isinstance(node, ast.Dict) and path.endswith("local_elastic_agent.py"):
            names = {str(k.value) for k in node.keys if isinstance(k, ast.Constant)}
            if "GROUP_RANK" in names:  # the environment that the agent gives each worker
                yield from ((name, "torch") for name in sorted(names))


def _named(source: PackageSource, path: str, node: ast.expr) -> Iterator[str]:
    """The variable that an expression names: a string, or a constant of the module."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        if WORDS.match(node.value):
            yield node.value
    elif isinstance(node, ast.Name):
        for statement in source.module(path).body:
            if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == node.id:
                yield from _named(source, path, statement.value)


def merge(
    found: dict[str, dict[str, Any]], facts: dict[str, Any], spelled: str
) -> dict[str, dict[str, Any]]:
    """The variables of the sources with what is known by hand on top. Raises SystemExit."""
    faults = []
    variables = {name: dict(form) for name, form in found.items()}
    for name, fact in facts["variables"].items():
        own = {k: v for k, v in fact.items() if k != "elsewhere"}
        if name not in variables and not fact.get("elsewhere"):
            faults.append(f"{name}: no source has it")
        for choice in fact.get("choices", ()):
            word = str(choice).split(":")[0]
            if not word.isdigit() and not fact.get("elsewhere") and word not in spelled:
                faults.append(f"{name}: no source spells {choice}")
        variables[name] = variables.get(name, {}) | own
    if faults:
        raise SystemExit("environment_facts.json: " + "; ".join(faults))
    for form in variables.values():
        form.setdefault("type", "str")
    return {name: dict(sorted(variables[name].items())) for name in sorted(variables)}


def dumps(data: dict[str, Any]) -> str:
    """The file's text: one variable a line."""
    lines = ["{", f' "sources": {json.dumps(data["sources"])},']
    for part in ("variables", "invented", "vendors"):
        entries = sorted(data[part].items())
        lines.append(f' "{part}": {{')
        for i, (name, form) in enumerate(entries):
            comma = "," if i + 1 < len(entries) else ""
            lines.append(f"  {json.dumps(name)}: {json.dumps(form, sort_keys=True)}{comma}")
        lines.append(" }," if part != "vendors" else " }")
    return "\n".join([*lines, "}"]) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--nccl", type=Path, required=True, help="a clone of NVIDIA/nccl")
    parser.add_argument(
        "--torch", nargs="+", help="releases, the newest last (the newest that pip can get)"
    )
    parser.add_argument("--cache", type=Path, default=cache_folder())
    parser.add_argument("--out", type=Path, default=OUT)
    args = parser.parse_args()
    if not args.torch:
        args.torch = [PackageSource.newest("torch")[0]]
    clone = Clone(args.nccl)
    found = nccl(clone)
    releases = clone.releases()
    newest = list(releases)[-1]
    spelled = clone.run("show", f"{releases[newest]}:docs/userguide/source/env.rst")
    spelled += clone.lines(releases[newest], r'"[A-Za-z0-9_]+"')
    for version in sorted(args.torch, key=order):
        source = PackageSource.of_release("torch", version)
        assert not isinstance(source.root, Path)
        paths = source.root.namelist()
        for name, form in torch(source, paths).items():
            if name.startswith("NCCL_") and name in found:
                continue
            found[name] = found.get(name, {}) | form
        texts = (p for p in paths if "/distributed/" in p and p.endswith((".py", ".hpp")))
        spelled += "".join(source.text(p) or "" for p in texts)
        words = set(re.findall(rb"[A-Z_]{2,12}", _library(source)))
        spelled += " ".join(sorted(w.decode() for w in words))
    facts = json.loads(FACTS.read_text(encoding="utf-8"))
    data = {
        "sources": {"nccl": newest, "torch": args.torch[-1]},
        "variables": merge(found, facts, spelled),
        "invented": facts["invented"],
        "vendors": facts["vendors"],
    }
    text = dumps(data)
    assert json.loads(text) == data
    args.out.write_text(text, encoding="utf-8")
    print(
        f"{args.out}: {len(data['variables'])} variables of NCCL {newest}, torch {args.torch[-1]}"
    )


if __name__ == "__main__":
    main()
