"""What a repository holds, as `cfglint init` writes it into a first settings file."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from cfglint.model.values import default_literal
from cfglint.record import dataclass, field
from cfglint.wording import many, visible

if TYPE_CHECKING:
    from cfglint.model.launch import Launch
    from cfglint.project import Project
    from cfglint.result import Result

INTERFACES = ("NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME", "TP_SOCKET_IFNAME")
EPHEMERAL = "/proc/sys/net/ipv4/ip_local_port_range"
USUAL = (32768, 60999)
WIDTH = 96


@dataclass(slots=True)
class Survey:
    """What was found. Counters count launches or files; `versions` has number and source for each
    package that something pins."""

    files: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    versions: dict[str, Counter[tuple[str, str]]] = field(default_factory=dict)
    interfaces: Counter[str] = field(default_factory=Counter)
    ports: Counter[int] = field(default_factory=Counter)
    gpus: Counter[int] = field(default_factory=Counter)
    rules: Counter[str] = field(default_factory=Counter)


def survey(result: Result) -> Survey:
    """Look at the project of a run."""
    found = Survey()
    project = result.project
    for document in project.documents:
        if document.given:
            found.files += 1
            if document.kind is not None:
                found.kinds[document.kind] += 1
    _versions(project, found)
    for launch in project.launches:
        if launch.document.given:
            _launch(launch, found)
    found.rules = Counter(finding.rule.code for finding in result.findings)
    return found


def _versions(project: Project, found: Survey) -> None:
    from cfglint.settingkeys import PACKAGES

    for document in project.documents:
        if not document.given or document.kind in (None, "template"):
            continue
        for package in PACKAGES:
            try:
                version = project.versions(document, package)
            except KeyError:
                continue
            if version.pinned and version.number and not project.settings.versions.get(package):
                pins = found.versions.setdefault(package, Counter())
                pins[version.number, version.source] += 1


def _launch(launch: Launch, found: Survey) -> None:
    for name in INTERFACES:
        setting = launch.env.get(name)
        text = default_literal(setting.value) if setting is not None else None
        if text and not text.startswith(("^", "lo", "docker")):
            found.interfaces[text.lstrip("=")] += 1
    port = launch.port
    number = port.number if port is not None else None
    if number:
        found.ports[number] += 1
    gpus = launch.container.gpus if launch.container is not None else None
    if gpus is None and (each := launch.get("nproc_per_node")) is not None:
        gpus = each.number
    if gpus:
        found.gpus[gpus] += 1


def settings_text(found: Survey, baseline: str = "") -> str:
    """A commented cfglint.toml. `baseline` is the path of a baseline that was written."""
    return "\n".join(_lines(found, baseline)) + "\n"


def _lines(found: Survey, baseline: str) -> Iterator[str]:
    yield "# Settings of cfglint. `cfglint settings` shows what is in force for a file, and why;"
    yield "# `cfglint schema cfglint` prints the schema that editors use for completion."
    yield "#"
    kinds = ", ".join(f"{count} {kind}" for kind, count in found.kinds.most_common())
    files = many(found.files, "file")
    yield from _comment(f"Written after a look at {files}: {kinds or 'no config'}.")
    if found.rules:
        most = ", ".join(f"{code} {count}x" for code, count in found.rules.most_common(6))
        yield from _comment(f"Found then: {most}. `cfglint explain CODE` says what they mean.")
    yield ""
    yield "# From this severity on the exit code is 1: error, warning, info or never."
    yield 'fail-on = "warning"'
    yield ""
    if baseline:
        yield "# Known findings; `cfglint baseline prune` takes out what has been repaired."
        yield f"baseline = {json.dumps(baseline)}"
    else:
        yield "# Known findings, not to be reported: `cfglint baseline write` makes the file."
        yield '# baseline = "cfglint-baseline.json"'
    yield ""
    yield "# Rules to leave out everywhere: codes, prefixes, families or names (`cfglint rules`)."
    yield "ignore = []"
    yield "# Files and folders to leave out."
    yield "exclude = []"
    yield "# Ask for a reason behind every `# cfglint: ignore[CODE] -- reason`."
    yield "require-reason = false"
    yield ""
    yield "[per-file-ignores]"
    yield '# "legacy/**" = ["port-hardcoded"]'
    yield ""
    yield "[severity]"
    yield '# "NET" = "error"'
    yield ""
    yield "# Where the content of a file does not tell what it is (`cfglint kinds` says what it was"
    yield "# taken for)."
    yield "[kinds]"
    yield '# "configs/launch/*.yaml" = "accelerate"'
    yield ""
    yield "# What is deployed. Without an entry the pins in the tree count, else the newest."
    yield "[versions]"
    yield from _version_lines(found)
    yield ""
    yield "# What only the site knows. Fixes use it."
    yield "[site]"
    yield from _site_lines(found)


def _version_lines(found: Survey) -> Iterator[str]:
    from cfglint.settingkeys import PACKAGES

    for package in PACKAGES:
        pins = found.versions.get(package)
        if not pins:
            continue
        numbers = {number for number, _ in pins}
        (number, source), _ = pins.most_common(1)[0]
        if len(numbers) == 1:
            yield f"# {package} = {json.dumps(number)}  # {_one_line(source)}"
        else:
            yield from _comment(
                f"The tree pins {package} {', '.join(sorted(numbers))}; each file goes by the pin"
                " nearest to it unless one is named here:"
            )
            yield f"# {package} = {json.dumps(number)}"
    for package in ("accelerate", "deepspeed", "llamafactory"):
        if package not in found.versions:
            yield f'# {package} = "..."'


def _site_lines(found: Survey) -> Iterator[str]:
    yield "# The interface between the nodes, as NCCL_SOCKET_IFNAME takes it."
    names = [name for name, _ in found.interfaces.most_common()]
    if len(names) == 1:
        yield f"# socket-interface = {json.dumps(names[0])}  # as the files here say"
    elif names:
        yield from _comment(f"The files name {', '.join(names[:6])}; if they all have one, it is:")
        yield f"# socket-interface = {json.dumps(names[0])}"
    else:
        yield '# socket-interface = "eth0"'
    yield "# The ports that the team has agreed on for rendezvous, first and last."
    if found.ports:
        ports = ", ".join(f"{port} ({count}x)" for port, count in found.ports.most_common(6))
        yield from _comment(f"In use here: {ports}.")
    yield "# port-range = [20000, 20999]"
    yield "# GPUs of a host."
    if found.gpus:
        counts = ", ".join(f"{number} ({count}x)" for number, count in found.gpus.most_common(4))
        yield from _comment(f"Processes or GPUs that launches here ask for on one host: {counts}.")
    yield f"# gpus-per-node = {max(found.gpus) if found.gpus else 8}"
    yield "# net.ipv4.ip_local_port_range of the hosts: outgoing connections take ports from it."
    here = _ephemeral()
    if here is not None and here != USUAL:
        yield from _comment(f"This machine says {here[0]} to {here[1]}; do the hosts?")
    low, high = here or USUAL
    yield f"# ephemeral-port-range = [{low}, {high}]"
    yield "# Networks that look public and that the hosts own."
    yield '# private-networks = ["203.0.113.0/24"]'


def _ephemeral() -> tuple[int, int] | None:
    try:
        with open(EPHEMERAL, encoding="ascii") as file:
            low, high = file.read().split()
        return int(low), int(high)
    except (OSError, ValueError):
        return None


def _comment(text: str) -> Iterator[str]:
    import textwrap

    yield from (f"# {line}" for line in textwrap.wrap(_one_line(text), WIDTH))


def _one_line(text: str) -> str:
    """Text from files, fit for a comment: no control characters, one line."""
    return " ".join(visible(text).split())
