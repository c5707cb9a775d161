"""Which package versions the files of a tree name: requirements, lock files, images, checkouts.

Files are read as text, line by line, for the few packages that matter here: a full reading of each
format would cost more than it tells. `pins_of` gives what one file says; a version that a build
argument without default leaves open is not given, nor one whose marker never holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cfglint.patterns import lazy
from cfglint.record import dataclass, replace
from cfglint.releases.markers import holds

# Package names as installers and images spell them, by the name that settings use.
PACKAGES = {
    "accelerate": "accelerate", "deepspeed": "deepspeed", "llamafactory": "llamafactory",
    "llama-factory": "llamafactory", "transformers": "transformers", "torch": "torch",
    "pytorch": "torch",
}  # fmt: skip
TITLES = {
    "accelerate": "accelerate", "deepspeed": "DeepSpeed", "llamafactory": "LLaMA-Factory",
    "transformers": "transformers", "torch": "torch",
}  # fmt: skip
REPOSITORIES = {
    "hiyouga/llama-factory": "llamafactory", "hiyouga/llamafactory": "llamafactory",
    "huggingface/accelerate": "accelerate", "huggingface/transformers": "transformers",
    "deepspeedai/deepspeed": "deepspeed", "microsoft/deepspeed": "deepspeed",
    "pytorch/pytorch": "torch",
}  # fmt: skip
IMAGES = {
    "pytorch/pytorch": "torch", "hiyouga/llamafactory": "llamafactory",
    "deepspeed/deepspeed": "deepspeed", "huggingface/transformers-pytorch-gpu": "transformers",
}  # fmt: skip

_NAMES = "|".join(sorted(PACKAGES, key=len, reverse=True))
_VERSION = r"\d+(?:\.\d+)+(?:\.?(?:post|rc|a|b|dev)\d*)*"
_SPEC = r"(?:===?|[!<>~]=|[<>])\s*v?[\w.*+!-]+"
# `name[extras] == 1.2, >= 3 ; marker`, in a requirements line, a TOML string or a command.
REQUIREMENT = lazy(
    rf"""(?<![\w./-])(?P<name>{_NAMES})\s*(?:\[[\w,\s.-]*\])?
    \s*\(?(?P<spec>{_SPEC}(?:\s*,\s*{_SPEC})*)\)?(?=(?P<rest>[^"'\n]*))""",
    re.IGNORECASE | re.VERBOSE,
)
CONDA = lazy(
    rf"^\s*-\s*[\"']?(?:[\w-]+::)?(?P<name>{_NAMES})\s*=\s*(?P<version>{_VERSION})",
    re.IGNORECASE,
)
POETRY = lazy(
    rf"""^\s*["']?(?P<name>{_NAMES})["']?\s*=\s*(?:\{{.*?version\s*=\s*)?["'](?P<spec>[^"']+)["']""",
    re.IGNORECASE,
)
LOCK_NAME = lazy(rf"""^name\s*=\s*["'](?P<name>{_NAMES})["']""", re.IGNORECASE)
LOCK_VERSION = lazy(rf"""^version\s*=\s*["'](?P<version>{_VERSION})[^"']*["']""")
# Poetry, PDM and pylock.toml; uv says it of the versions that a package has side by side. Poetry's
# table leaves out the groups for which none holds.
LOCK_MARKERS = lazy(r"^(?:markers?|resolution-markers)\s*=\s*(?P<value>.*)")
LOCK_GROUPS = lazy(r"^groups\s*=\s*\[(?P<value>.*)\]")
_TOML_STRING = lazy(r"""(?P<basic>"(?:[^"\\]|\\.)*")|'(?P<literal>[^']*)'""")
REPOSITORY = lazy(
    rf"(?P<repository>{'|'.join(map(re.escape, REPOSITORIES))})(?:\.git)?(?P<after>@[\w./-]+)?",
    re.IGNORECASE,
)
TABLE_CONDITION = lazy(
    r"""[{,]\s*(?P<name>python|platform|markers|sys_platform|os_name|platform_machine
    |platform_system|python_version)\s*=\s*(?:"(?P<basic>(?:[^"\\]|\\.)*)"|'(?P<literal>[^']*)')""",
    re.VERBOSE,
)
TAG = lazy(rf"^@?v?(?P<version>{_VERSION})$")
BRANCH = lazy(rf"(?:-b|--branch)[ =]+v?(?P<version>{_VERSION})\b")
IMAGE = lazy(
    rf"^\s*(?:-\s*)?(?:FROM|image\s*:|\S*image\s*=)\s*(?:--platform=\S+\s+)?[\"']?(?:[\w.:-]+/)?"
    rf"(?P<image>{'|'.join(map(re.escape, IMAGES))}):v?(?P<version>{_VERSION})(?![\d.])",
    re.IGNORECASE,
)
ARGUMENT = lazy(r"^\s*(?:ARG|ENV)\s+(?P<name>\w+)[= ]\s*[\"']?(?P<value>[\w.+-]+)[\"']?\s*$")
SOURCE_VERSION = lazy(rf"""^VERSION\s*=\s*["'](?P<version>{_VERSION})["']""")


@dataclass(frozen=True, slots=True)
class Pin:
    """What a file says of a package: an exact `version`, else the bounds in `spec`.

    `path` and `line` (from 1) say where; `verb` how: "pinned", "locked", "checked out". `partly`: a
    marker leaves it out on some Pythons or machines.
    """

    package: str
    path: str
    line: int
    version: str | None = None
    spec: str = ""
    verb: str = "pinned"
    partly: bool = False


def is_pin_file(path: str) -> str | None:
    """The way in which a file of this path is read, None for a file that says nothing here."""
    folder, _, name = path.rpartition("/")
    lower = name.lower()
    if lower.endswith((".yml", ".yaml")):  # first: these are the most
        if "environment" in lower or "conda" in lower:
            return "conda"
        return "image" if "compose" in lower else None
    if lower.endswith((".txt", ".in")) and ("require" in lower or "constraint" in lower):
        return "requirements"
    if lower.endswith((".txt", ".in")) and folder.rpartition("/")[2] == "requirements":
        return "requirements"
    if lower in ("pyproject.toml", "setup.cfg", "setup.py", "pipfile"):
        return "project"
    if lower in ("uv.lock", "poetry.lock", "pdm.lock", "pylock.toml"):
        return "lock"
    if "dockerfile" in lower or "containerfile" in lower or lower.endswith(".def"):
        return "dockerfile"
    if path.endswith("llamafactory/extras/env.py"):
        return "source"
    return None


def pins_of(path: str, text: str) -> Iterator[Pin]:
    """What the text of a file says of the packages that matter."""
    form = is_pin_file(path)
    lines = text.splitlines()
    if form == "lock":
        yield from _locked(path, lines)
        return
    arguments: dict[str, str] = {}
    waiting = ""
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith("#"):
            continue
        if form == "dockerfile":
            argument = ARGUMENT.match(line)
            if argument:
                arguments[argument["name"]] = argument["value"]
            line = _filled(line, arguments)
        if form in ("dockerfile", "image") and "/" in line:  # each image is someone's
            yield from _of_image(path, number, line)
        if form == "conda":
            yield from _of_conda(path, number, line)
        if form == "source" and (found := SOURCE_VERSION.match(line)):
            yield Pin("llamafactory", path, number, *_exactly(found["version"]), verb="checked out")
        if form == "project" and (entry := POETRY.match(line)):
            some, every = _of_table(line[entry.end("name") :])
            if some:
                yield _pin(entry["name"], _caret(entry["spec"]), path, number, not every)
            continue
        if form in ("requirements", "project", "conda", "dockerfile"):
            yield from _of_requirements(path, number, line, form)
            yield from _of_repository(path, number, line, waiting)
            waiting = line if line.rstrip().endswith("\\") else ""


def _filled(line: str, arguments: dict[str, str]) -> str:
    """A Dockerfile line with the build arguments that have a default."""
    return re.sub(r"\$\{?(\w+)\}?", lambda found: arguments.get(found[1], found[0]), line)


def _of_requirements(path: str, number: int, line: str, form: str) -> Iterator[Pin]:
    line = re.sub(r"(^|\s)#.*", "", line)
    for found in REQUIREMENT.finditer(line):
        if "$" in found["spec"]:
            continue
        some, every = True, True
        if re.match(r"\s*;\s*\w", found["rest"]) and "&&" not in found["rest"]:
            quote = line[: found.start()].rstrip()[-1:]
            quote = quote if quote in ("'", '"') else ""
            if form == "dockerfile" and not quote:
                continue  # the shell's `;`: the line says more than one thing
            some, every = holds(_marker(line[found.end("spec") :], quote))
        if some:
            yield _pin(found["name"], found["spec"], path, number, not every)


def _marker(text: str, quote: str) -> str:
    """The marker in what stands behind a requirement, up to the quote that ends its string or up to
    pip's own options."""
    text = text.partition(";")[2]
    text = text.partition(quote)[0] if quote else re.split(r"\s--\w|\\\s*$", text)[0]
    return text.strip()


def _of_table(text: str) -> tuple[bool, bool]:
    """Where an entry of Poetry or Pipenv holds (see `holds`), by its inline table's conditions."""
    some, every = True, True
    for found in TABLE_CONDITION.finditer(text if re.match(r"[\"'\s]*=\s*\{", text) else ""):
        name, value = found["name"], found["basic"] or found["literal"] or ""
        if name == "python":
            every = False  # a range of Pythons in Poetry's own spelling
            continue
        value = value.replace('\\"', '"')
        if name == "platform":
            value = f"sys_platform == '{value}'"
        elif name != "markers":
            value = f"{name} {value}"  # Pipenv: sys_platform = "== 'linux'"
        here = holds(value)
        some, every = some and here[0], every and here[1]
    return some, every


def _of_repository(path: str, number: int, line: str, before: str) -> Iterator[Pin]:
    for found in REPOSITORY.finditer(line):
        package = REPOSITORIES[found["repository"].lower()]
        tag = TAG.match((found["after"] or "").strip())
        branch = BRANCH.search(line) or BRANCH.search(before)
        version = tag["version"] if tag else branch["version"] if branch else None
        if version:
            yield Pin(package, path, number, *_exactly(version), verb="checked out")


def _of_image(path: str, number: int, line: str) -> Iterator[Pin]:
    found = IMAGE.match(line)
    if found:
        package = IMAGES[found["image"].lower()]
        yield Pin(package, path, number, *_exactly(found["version"]), verb="in the image")


def _of_conda(path: str, number: int, line: str) -> Iterator[Pin]:
    found = CONDA.match(line)
    if found:
        version = found["version"]
        if version.count(".") >= 2:
            yield Pin(PACKAGES[found["name"].lower()], path, number, version)
        else:
            yield _pin(found["name"], f"=={version}.*", path, number)


def _locked(path: str, lines: list[str]) -> Iterator[Pin]:
    name = ""
    pin: Pin | None = None
    markers: list[str] = []
    groups = at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if line.startswith("["):
            yield from _where_it_holds(pin, markers)
            name, pin, markers, groups = "", None, [], 0
        elif found := LOCK_NAME.match(line):
            name = PACKAGES[found["name"].lower()]
        elif name and pin is None and (version := LOCK_VERSION.match(line)):
            pin = Pin(name, path, at, version["version"], verb="locked")
        elif name and (among := LOCK_GROUPS.match(line)):
            groups = len(_strings(among["value"]))
        elif name and (said := LOCK_MARKERS.match(line)):
            found_here = _strings(said["value"])
            if said["value"][:1] != "{" or len(found_here) >= groups:
                markers += found_here
            while said["value"].strip() == "[" and at < len(lines) and lines[at][:1] != "]":
                markers += _strings(lines[at])
                at += 1
    yield from _where_it_holds(pin, markers)


def _strings(text: str) -> list[str]:
    """The strings of a line of TOML."""
    return [
        found["literal"]
        if found["basic"] is None
        else re.sub(r"\\(.)", r"\1", found["basic"][1:-1])
        for found in _TOML_STRING.finditer(text)
    ]


def _where_it_holds(pin: Pin | None, markers: list[str]) -> Iterator[Pin]:
    """A pin that one of several markers lets in: each is that of a group or a resolution."""
    if pin is None:
        return
    answers = list(map(holds, markers))
    if not answers or any(some for some, _ in answers):
        every = not answers or any(every for _, every in answers)
        yield pin if every else replace(pin, partly=True)


def _caret(spec: str) -> str:
    """Poetry's spelling of a range as the others write it."""
    spec = spec.strip()
    if re.fullmatch(_VERSION, spec):
        return f"=={spec}"
    if spec.startswith("^"):
        version = spec[1:].strip()
        parts = version.split(".")
        kept = next((i for i, part in enumerate(parts) if part != "0"), 0)
        upper = (
            ".".join([*parts[:kept], str(int(parts[kept]) + 1)]) if parts[kept].isdigit() else ""
        )
        return f">={version},<{upper}" if upper else f">={version}"
    return spec


def _exactly(version: str) -> tuple[str | None, str]:
    """The version and the bounds that a number stands for: a release is itself, a development
    version lies between releases and only bounds them."""
    if "dev" in version:
        return None, f"<={re.split(r'[.]?dev', version)[0]}"
    return version, ""


def _pin(name: str, spec: str, path: str, line: int, partly: bool = False) -> Pin:
    spec = re.sub(r"\s+", "", spec)
    exact = re.fullmatch(rf"={{2,3}}v?({_VERSION})(\+[\w.]+)?", spec)
    package = PACKAGES[name.lower()]
    if exact:
        return Pin(package, path, line, *_exactly(exact[1]), partly=partly)
    return Pin(package, path, line, spec=spec, partly=partly)
