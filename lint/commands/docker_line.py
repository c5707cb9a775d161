"""The command line of `docker run` and podman: options, the image, what stands behind it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cfglint.commands.docker_options import meant, takes_value
from cfglint.commands.options import is_opaque
from cfglint.commands.wrapping import without
from cfglint.model.edit import Edit
from cfglint.model.readings import Unshelled
from cfglint.record import dataclass, field
from cfglint.syntax.shell_words import ShellWord
from cfglint.text import Span

# Options of one letter that stand alone; all others take a value.
_SHORT_ALONE = frozenset("ditPq")


@dataclass(slots=True)
class Given:
    """An option of the container's command: its name, its value, and the words it takes. `written`
    is the name as it stands there, where docker has no such option."""

    name: str
    value: ShellWord | None
    first: ShellWord
    last: ShellWord
    before: ShellWord
    written: str = ""

    @property
    def name_span(self) -> Span:
        at = self.first.span.start
        return Span(at, at + len(self.written or self.name))

    def respell(self) -> Edit | None:
        """The edit that writes the option that is meant."""
        word = self.first
        if not word.raw.startswith(self.written):
            return None
        return word.fragment.edit(word.start, word.start + len(self.written), self.name)

    def remove(self) -> Edit | None:
        return without(self.before, self.first, self.last)


@dataclass(slots=True)
class Run:
    """A `docker run` command line."""

    head: ShellWord  # the word `run`
    given: list[Given] = field(default_factory=list)
    rest: Sequence[ShellWord] = ()

    def values(self, *names: str) -> list[ShellWord]:
        return [g.value for g in self.given if g.name in names and g.value is not None]

    def last(self, *names: str) -> ShellWord | None:
        return next(reversed(self.values(*names)), None)

    @property
    def is_detached(self) -> bool:
        """Whether docker returns at once: -d, alone or among other letters, or --detach."""
        return any(
            g.name == "--detach" or (g.name[1:2] != "-" and "d" in g.name and g.value is None)
            for g in self.given
        )

    def insert(self, text: str) -> Edit | None:
        if not self.head.shell:
            return None
        return self.head.fragment.edit(self.head.end, self.head.end, f" {text}")


def read(words: Sequence[ShellWord], at: int, program: str = "") -> Run:
    """The options from a word on. `program` is what reads them, where a name that it does not have
    is to be taken for the one that is meant: "docker", or "podman" for its like."""
    run = Run(words[at - 1])
    while words[at : at + 1]:
        word = words[at]
        text = word.prefix()
        before = words[at - 1]
        if not text.startswith("-"):
            if is_opaque(word) and not _is_image(words, at):
                at += 1  # `$DOCKER_ARGS`: options, most likely
                run.given.append(Given("?", None, word, word, before))
                continue
            if _VARIABLE.match(text):  # no name of an image has the sign
                _note_variable(word, words[0])
                run.given.append(Given("-e", word, word, word, before))
                at += 1
                continue
            break
        sign = word.find("=")
        name = text.split("=")[0]
        whole = word.text is not None or sign == len(name)  # no variable within the name
        judged = program and whole and len(name) > 2
        right = meant(name, program == "podman") if judged else None
        written = name if right else ""
        if name.startswith("--") or right:
            end, name = len(name), right or name
            if sign == end:
                run.given.append(Given(name, word.cut(sign + 1), word, word, before, written))
                at += 1
                continue
            valued = takes_value(name)
            alone = valued is False
            if program == "docker" and valued is None:
                # Whether it takes a value is not known: what begins like an option is none.
                run.given.append(Given("?", None, word, word, before))
                alone = at + 1 < len(words) and words[at + 1].prefix().startswith("-")
        else:
            alone = set(name[1:]) <= _SHORT_ALONE
            name, alone, joined = _short(word, name, alone)
            if joined is not None:
                run.given.append(Given(name, joined, word, word, before))
                at += 1
                continue
        if alone or at + 1 >= len(words):
            run.given.append(Given(name, None, word, word, before, written))
            at += 1
        else:
            run.given.append(Given(name, words[at + 1], word, words[at + 1], before, written))
            at += 2
    run.rest = words[at:]
    return run


_PROGRAM = re.compile(
    r"(?:.*/)?(?:ba|z|da)?sh$|(?:.*/)?(?:python[\d.]*|torchrun|accelerate|deepspeed|llamafactory-cli|lmf"
    r"|swift|nohup|env|nsys|mpirun|tini|numactl|stdbuf|time|exec)$"
)


_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*=")


def _note_variable(word: ShellWord, program: ShellWord) -> None:
    """Note a variable that no `-e` hands over."""
    shell = word.fragment.item is None
    edit = word.fragment.edit(word.start, word.start, "-e ") if shell else None
    name = (program.text or "docker").rsplit("/", 1)[-1]
    found = Unshelled("image", word.raw, word.span, [edit] if edit else None, name)
    word.document.unshelled[word.span.start] = found


def _is_image(words: Sequence[ShellWord], at: int) -> bool:
    """Whether a variable is the image and not options: a program follows, or nothing."""
    following = words[at + 1 : at + 2]
    return not following or _PROGRAM.match(following[0].text or "") is not None


def _short(word: ShellWord, name: str, alone: bool) -> tuple[str, bool, ShellWord | None]:
    """A cluster of short options: `-it`, `-p 80:80`, `-p80:80`, `-eNAME=1`, `-itv a:b`."""
    if alone:
        return name, True, None
    for i, sign in enumerate(name[1:], 1):
        if sign not in _SHORT_ALONE:
            whole = i == len(name) - 1 and word.text is not None and len(word.text) == len(name)
            return f"-{sign}", False, None if whole else word.cut(i + 1)
    return name, alone, None


# Options that no program takes: with one of them behind the image, the others are docker's as well.
_TELLING = frozenset(
    ("--gpus", "--shm-size", "--ipc", "--network", "--net", "--runtime", "--ulimit", "--rm",
     "--cap-add", "--privileged", "-it", "-ti")
)  # fmt: skip


def behind_image(found: Run) -> Run | None:
    """Options of docker that stand behind the image, in front of the container's program."""
    if not found.rest[1:2] or not found.rest[1].prefix().startswith("-"):
        return None
    behind = read(found.rest, 1)
    program = behind.rest[0].text if behind.rest else None
    if program is None or not _PROGRAM.match(program):
        return None
    return behind if any(g.name in _TELLING for g in behind.given) else None


def to_front(found: Run, behind: Run) -> list[Edit] | None:
    edits = [given.remove() for given in behind.given]
    texts = [
        g.first.raw if g.first is g.last else f"{g.first.raw} {g.last.raw}" for g in behind.given
    ]
    edits.append(found.insert(" ".join(texts)))
    return None if None in edits else [edit for edit in edits if edit is not None]
