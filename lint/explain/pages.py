"""A rule's page: the docstring in parts, and the examples in it as files that can be linted.

`docs/writing-rules.md` says how a page is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cfglint.record import dataclass

FILE_LINE = re.compile(r"=== (?P<name>[^\s=][^=]*?)\s*(?:===)?")
# Signs that stand in an example for what an editor would strip or hide.
SIGNS = {"␠": " ", "␉": "\t"}
LANGUAGES = {
    "yaml": "yaml", "yml": "yaml", "json": "json", "sh": "bash", "sbatch": "bash", "env": "bash",
    "toml": "toml", "Dockerfile": "dockerfile",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Block:
    """A code block of a page. `lead` is the paragraph above it."""

    text: str
    lead: str = ""

    @property
    def is_repair(self) -> bool:
        """Whether the block shows the repaired files."""
        return self.lead.startswith("Repair")


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page under its heading ("" for the lead), as paragraphs and blocks in order."""

    title: str
    parts: tuple[str | Block, ...]

    @property
    def blocks(self) -> Iterator[Block]:
        """The code blocks."""
        return (part for part in self.parts if isinstance(part, Block))


@dataclass(frozen=True, slots=True)
class Example:
    """Files with the fault, and the same files repaired (None where the page shows no repair)."""

    bad: dict[str, str]
    repair: dict[str, str] | None = None


def sections(page: str) -> list[Section]:
    """The parts of a page; the first, without a title, is the lead."""
    found: list[Section] = []
    title = ""
    lines: list[str] = []
    fenced = False
    for line in page.splitlines():
        fenced ^= line.startswith("```")
        if line.startswith("## ") and not fenced:
            found.append(Section(title, tuple(_parts(lines))))
            title, lines = line[3:].strip(), []
        else:
            lines.append(line)
    found.append(Section(title, tuple(_parts(lines))))
    return found


def _parts(lines: list[str]) -> Iterator[str | Block]:
    """Paragraphs and code blocks (indented by 4, or fenced) of a section's lines."""
    lead = ""
    at = 0
    while at < len(lines):
        line = lines[at]
        if not line.strip():
            at += 1
            continue
        start = at
        if line.startswith("```"):
            at += 1
            while at < len(lines) and not lines[at].startswith("```"):
                at += 1
            yield Block("\n".join(lines[start + 1 : at]) + "\n", lead)
            at += 1
        elif line.startswith("    "):
            while at < len(lines) and (lines[at].startswith("    ") or not lines[at].strip()):
                at += 1
            text = "\n".join(part[4:] for part in lines[start:at])
            yield Block(text.strip("\n") + "\n", lead)
        else:
            while at < len(lines) and lines[at].strip() and not lines[at].startswith("```"):
                at += 1
            lead = "\n".join(lines[start:at])
            yield lead


def examples(page: str) -> list[Example]:
    """The examples of a page: each bad block with the repair that follows it."""
    found: list[Example] = []
    for section in sections(page):
        if not section.title.startswith("Example"):
            continue
        for block in section.blocks:
            named = files(block.text)
            if not block.is_repair:
                found.append(Example(named))
            elif found and found[-1].repair is None:
                found[-1] = Example(found[-1].bad, {**found[-1].bad, **named})
    return found


def files(block: str) -> dict[str, str]:
    """The files that a block shows: name to text. A block without names is one file."""
    named: dict[str, list[str]] = {}
    current: list[str] | None = None
    for line in block.splitlines(keepends=True):
        match = FILE_LINE.fullmatch(line.rstrip())
        if match:
            current = named.setdefault(match["name"], [])
        elif current is not None:
            current.append(line)
        else:
            text = _with_signs(block)
            return {name_for(text): text}
    return {name: _with_signs("".join(lines)).strip("\n") + "\n" for name, lines in named.items()}


def _with_signs(text: str) -> str:
    for sign, meant in SIGNS.items():
        text = text.replace(sign, meant)
    return text


_DOCKERFILE = re.compile(r"\A(\s*#[^\n]*\n)*\s*(FROM|ARG)\s", re.I)
_YAML_KEY = re.compile(r"[\w.-]+:(\s|$)|- ")


def name_for(text: str) -> str:
    """The file name under which an example without one is linted, told by its content."""
    first = next((s for s in map(str.strip, text.splitlines()) if s and s[0] != "#"), "")
    if first.startswith("{"):
        return "config.json"
    if _DOCKERFILE.match(text):
        return "Dockerfile"
    if re.search(r"^#SBATCH", text, re.M):
        return "job.sbatch"
    if re.search(r"^\S+\s+slots=", text, re.M):
        return "hostfile"
    if _YAML_KEY.match(first):
        return "compose.yaml" if re.search(r"^services:", text, re.M) else "config.yaml"
    return "run.sh"


def language(name: str) -> str:
    """The word that names a file's syntax in a Markdown fence, "" where there is none."""
    base = name.rpartition("/")[2]
    if base.startswith("Dockerfile"):
        return "dockerfile"
    return LANGUAGES.get(base.rpartition(".")[2], "")


def markdown(page: str, level: int = 2) -> str:
    """The page as Markdown for other readers: examples in fences, each with its file's name.

    `level` is the depth that its headings get.
    """
    out: list[str] = []
    for section in sections(page):
        if section.title:
            out.append(f"{'#' * level} {section.title}")
        shown = section.title.startswith("Example")
        for part in section.parts:
            if isinstance(part, str):
                out.append(part)
            elif not shown:
                out.append(_fence(part.text, ""))
            else:
                out.extend(_fenced_files(part.text))
    return "\n\n".join(out) + "\n"


def _fenced_files(block: str) -> Iterator[str]:
    named = files(block)
    titled = FILE_LINE.match(block) is not None
    for name, text in named.items():
        shown = text.rstrip("\n") + "\n"
        yield (f"`{name}`\n\n" if titled else "") + _fence(shown, language(name))


def _fence(text: str, word: str) -> str:
    ticks = "```"
    while ticks in text:
        ticks += "`"
    return f"{ticks}{word}\n{text.rstrip(chr(10))}\n{ticks}"
