"""Command lines: what a shell text or an argument list launches."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from cfglint.commands import accelerate, deepspeed, programs, torchrun, unshelled
from cfglint.commands.behind import launcher_behind
from cfglint.commands.build import origin_word
from cfglint.commands.lookup import Lookup, resolve_part
from cfglint.commands.options import is_opaque
from cfglint.commands.scope import Scope
from cfglint.commands.wrappers import WRAPPERS
from cfglint.commands.wrapping import PER_NODE, Inner, shared
from cfglint.model.edit import Edit
from cfglint.model.fragment import Fragment
from cfglint.model.launch import Launch, Network
from cfglint.model.values import Literal
from cfglint.patterns import lazy
from cfglint.record import replace
from cfglint.syntax.shell_nested import Known, inner, interpolate
from cfglint.syntax.shell_split import split
from cfglint.syntax.shell_words import Part, ShellWord
from cfglint.syntax.shell_write import quoted_text

__all__ = ["Scope", "launches", "may_launch", "may_launch_in", "shell_launches"]

_LAUNCHERS = ("torchrun", "deepspeed", "accelerate", "torch.distributed", "llamafactory",
              "MASTER_ADDR", "MASTER_PORT", "WORLD_SIZE", "llmtuner")  # fmt: skip
_WHOLE = ("lmf", "swift", "RANK")  # too short to mean something inside another word


def may_launch(text: str) -> bool:
    """Whether a text can hold a launch: it names a launcher, or what a launcher reads."""
    if any(word in text for word in _LAUNCHERS):
        return True
    if "mpirun" in text and any(word in text for word in ("NCCL_", "--gpus", "nvidia")):
        return True  # of a job on GPUs
    if "--env-file" in text and _RUN.search(text):
        return True  # the file says whether it is one
    return any(word in text and re.search(rf"\b{word}\b", text) for word in _WHOLE)


_RUN = lazy(r"\b(?:docker|podman)\b[^\n]*\brun\b")
_RENDEZVOUS = ("MASTER_ADDR", "MASTER_PORT", "WORLD_SIZE", "RANK")


def may_launch_in(text: str) -> Callable[[str], bool]:
    """The test by which pieces of a text may hold a launch: where a rendezvous is given to what
    runs there, any Python program may be one."""
    if any(name in text for name in _RENDEZVOUS):
        return lambda piece: "python" in piece or may_launch(piece)
    return may_launch


_MAX_DEPTH = 5
_DASHES = re.compile(r"--(?=\s)(?<=\s--)")
_PYTHON = re.compile(r"(?:python|pypy)[0-9.]*$")
_WHICH = re.compile(r"(?:\$\(|`)\s*(?:which|command\s+-v|type\s+-[pP])\s+([\w.-]+)\s*(?:\)|`)$")
_MODULES = {
    "torch.distributed.run": "torchrun",
    "torch.distributed.launch": "torch.distributed.launch",
    "torch.distributed.launcher": "torch.distributed.launch",
    "accelerate.commands.launch": "accelerate",
    "deepspeed.launcher.runner": "deepspeed",
    "torchrun": "torchrun",  # which is no module, and is said so (RUN024), like the next
    "deepspeed": "deepspeed",
    "llamafactory.cli": "llamafactory",
    "llmtuner.cli": "llamafactory",
    "swift.cli.main": "swift",
}
_PROGRAMS = {
    "torchrun": "torchrun",
    "accelerate-launch": "accelerate",
    "deepspeed": "deepspeed",
    "deepspeed.pt": "deepspeed",
    "llamafactory-cli": "llamafactory",
    "lmf": "llamafactory",
    "swift": "swift",
}
# Programs, and modules of Python, that run the module behind a `-m` of their own.
_RUNNERS = frozenset(
    "coverage cProfile debugpy kernprof memray pdb scalene trace viztracer".split()  # noqa: SIM905
)
# Python's own options that take the next word.
_PYTHON_VALUES = ("-X", "-W", "--check-hash-based-pycs")


def launches(words: Sequence[ShellWord], scope: Scope) -> list[Launch]:
    """The launches of one command, given as its words.

    Variables in the words are looked up in the scope's environment, or in what compose sees.
    """
    lookup = Lookup(scope.env if scope.interpolation is None else scope.interpolation)
    resolved = [piece for word in words for piece in lookup.words(word)]
    return command_launches(resolved, replace(scope, interpolation=None))


def shell_launches(
    fragment: Fragment, scope: Scope, known: Known | None = None, shell: bool = True
) -> list[Launch]:
    """The launches in a shell text, in the order of the text.

    `known` are parts of it that were expanded before. `shell` False: the text is split into words
    but no shell runs it (compose's `command:` as one string).
    """
    document = scope.document
    if scope.interpolation is not None:
        lookup = Lookup(scope.interpolation)
        fragment, known = interpolate(fragment, lambda part: resolve_part(part, lookup))
        scope = replace(scope, interpolation=None)
    if scope.depth > _MAX_DEPTH:
        return []
    if shell and "\n" in fragment.text:
        from cfglint.syntax import broken

        broken.tell(document, fragment)
    words = split(fragment, document, known) if scope.arguments is None else None
    if words is not None:
        if not shell:
            return command_launches(list(words), scope)
        return launches(words, scope)
    from cfglint.commands import sources
    from cfglint.commands.scripts import script_launches
    from cfglint.syntax.shell import parse

    script = parse(fragment, document, known)
    sources.references(script)  # what an inner script sources is not seen
    return script_launches(script, scope)


def command_launches(words: Sequence[ShellWord], scope: Scope) -> list[Launch]:
    """The launches of one command whose words are resolved."""
    if scope.env_writer is None and words and words[0].shell:
        scope = replace(scope, env_writer=_prefix_writer(words[0]))
    while words:
        name = _name(words[0])
        wrapper = WRAPPERS.get(name)
        started = wrapper(words, scope) if wrapper else None
        if started is None:
            found = _of_written(name, words, scope) if scope.written is not None else []
            return found or _launch(name, words, scope)
        if started.script is not None:
            return _nested(started, started.script)
        if started.unseen:
            launch = programs.unseen(started.words, started.scope)
            return [launch] if launch else []
        words, scope = unshelled.behind(name, words[0], started.words, started.scope)
    return []


def _of_written(name: str, words: Sequence[ShellWord], scope: Scope) -> list[Launch]:
    """The launches of a script that was written by a here-document before."""
    from cfglint.commands.written import started

    found: list[Launch] = []
    for each in started(name, words, scope):
        if each.script is not None:
            found += _nested(each, each.script)
    for launch in found:
        launch.label = launch.label or scope.label
    return found


def _prefix_writer(first: ShellWord) -> Callable[[str, str], Edit | None]:
    """Sets a variable for one command by an assignment in front of it."""

    def write(name: str, value: str) -> Edit | None:
        return first.fragment.edit(first.start, first.start, f"{name}={quoted_text(value, '')} ")

    return write


def _name(word: ShellWord) -> str:
    """The name of a program without its folder; `$(which x)` is x, `$BIN/x` is x."""
    text = word.text
    if text is not None:
        return text.rsplit("/", 1)[-1]
    last = word.parts[-1].value if word.parts else None
    if isinstance(last, Literal) and "/" in last.text:
        return last.text.rsplit("/", 1)[-1]
    found = _WHICH.match(word.raw.strip('"'))
    return found[1] if found else ""


def _nested(started: Inner, text: ShellWord) -> list[Launch]:
    word, _ = origin_word(text)
    # What double quotes let this shell expand, it expands once for every rank.
    other_host = not PER_NODE.isdisjoint(started.scope.wrappers)

    def expanded(part: Part) -> Part:
        return replace(part, value=shared(part.value)) if other_host else part

    fragment, known = inner(word, expanded)
    fragment.takes_lines = started.is_file
    return shell_launches(fragment, replace(started.scope, depth=started.scope.depth + 1), known)


def _launch(name: str, words: Sequence[ShellWord], scope: Scope) -> list[Launch]:
    if name == "accelerate":
        if words[1:2] and words[1].text == "launch":
            return [accelerate.read(words, 2, scope)]
        return []
    if _PYTHON.match(name):
        return _python(words, scope)
    kind = _PROGRAMS.get(name)
    if kind:
        return _known(kind, words, 1, scope)
    at = int(words[0].text is None)
    while words[at : at + 1] and is_opaque(words[at]) and is_opaque(words[at - 1]):
        at += 1
    if at and words[at : at + 1]:
        why = f"{words[0].raw} may be a program of its own"
        unsure = replace(scope, complete=False, why=why)
        if is_opaque(words[at - 1]) and _starts_launcher(words[at]):
            return command_launches(words[at:], unsure)
        if words[at].text == "-m" and words[at + 1 : at + 2] and words[at + 1].text in _MODULES:
            return _python(words[at - 1 :], unsure)  # "$PYTHON" -m torch.distributed.run
    if name in _RUNNERS:
        return _behind_runner(words[1:], scope)
    if name == "megatron" and words[1:2] and words[1].text in programs.TRAINING:
        return _known("swift", words, 1, scope)
    behind = _behind_unknown(words, scope)
    if behind:
        return behind
    is_path = words[0].prefix().startswith(("./", "/"))
    if is_path or name.endswith((".py", ".sh", ".bash")) or name in ("bash", "sh"):
        launch = programs.unseen(words, scope)
        return [launch] if launch else []
    return []


@lru_cache(maxsize=8)
def _has_dashes(text: str) -> bool:
    """Whether `--` stands alone somewhere; asked of each command of a text."""
    return "--" in text and _DASHES.search(text) is not None


def _behind_unknown(words: Sequence[ShellWord], scope: Scope) -> list[Launch]:
    """The launch that a program we do not know starts: behind `--`, or next to it under srun."""
    at = 0
    if _has_dashes(words[0].fragment.text):
        at = next((i + 1 for i, word in enumerate(words) if word.text == "--"), 0)
    if not at and scope.wrappers and words[1:2] and _name(words[1]) in _PROGRAMS:
        at = 1
    if not at:
        return []
    rest = list(words[at:])
    operator = next((i for i, word in enumerate(rest) if word.text in ("&&", ";", "||")), None)
    if operator is not None:  # quoted for a shell that the program runs
        rest = rest[operator + 1 :]
    if not rest or not _starts_launcher(rest[0]):
        return []
    unknown = replace(
        scope,
        network=Network("unknown"),
        complete=False,
        why=f"{words[0].raw} is not known",
        wrappers=(*scope.wrappers, words[0].raw),
    )
    return command_launches([_unescaped(word) for word in rest], unknown)


def _unescaped(word: ShellWord) -> ShellWord:
    """A word whose escaped variables another shell fills in."""
    if not any(isinstance(p.value, Literal) and "$" in p.value.text for p in word.parts):
        return word
    fragment, known = inner(word, lambda part: part)
    words = split(fragment, word.document, known)
    return words[0] if words is not None and len(words) == 1 else word


def _starts_launcher(word: ShellWord) -> bool:
    name = _name(word)
    return name in _PROGRAMS or name == "accelerate" or _PYTHON.match(name) is not None


def _known(kind: str, words: Sequence[ShellWord], head: int, scope: Scope) -> list[Launch]:
    if kind in ("torchrun", "torch.distributed.launch"):
        return [torchrun.read(words, head, scope, kind)]
    if kind == "accelerate":
        return [accelerate.read(words, head, scope)]
    if kind == "deepspeed":
        return [deepspeed.read(words, head, scope)]
    if kind == "llamafactory":
        return [programs.llamafactory(words, head, scope)]
    return [programs.swift(words, head, scope)]


def _behind_runner(words: Sequence[ShellWord], scope: Scope) -> list[Launch]:
    """The launch of a module that a debugger or profiler runs."""
    modules = (i for i, word in enumerate(words[:-1]) if word.text == "-m")
    for at in modules:
        kind = _MODULES.get(words[at + 1].text or "")
        if kind:
            return _known(kind, words, at + 2, scope)
    return []


def _python(words: Sequence[ShellWord], scope: Scope) -> list[Launch]:
    at = 1
    while words[at : at + 1]:
        text = words[at].text
        if text is None:
            name = _name(words[at])
            if name in _PROGRAMS:  # python $(which torchrun) ...
                return _known(_PROGRAMS[name], words, at + 1, scope)
            break
        if text == "-m":
            module = words[at + 1].text if words[at + 1 : at + 2] else None
            kind = _MODULES.get(module or "")
            if kind:
                return _known(kind, words, at + 2, scope)
            if module in _RUNNERS:
                return _behind_runner(words[at + 2 :], scope)
            if module == "accelerate" and words[at + 2 : at + 3] and words[at + 2].text == "launch":
                return _known("accelerate", words, at + 3, scope)
            launch = programs.python(words, at + 2, scope)
            return [launch] if launch else []
        if text.startswith("-m") and text[2:] in _MODULES:
            return _known(_MODULES[text[2:]], words, at + 1, scope)
        if text == "-c" or not text.startswith("-"):
            break
        at += 2 if text in _PYTHON_VALUES else 1
    if words[at : at + 1]:
        name = _name(words[at])
        if words[at].text != "-c" and name in _PROGRAMS:
            return _known(_PROGRAMS[name], words, at + 1, scope)
        behind = _behind_unknown(words, scope)
        if behind:
            return behind
        launch = launcher_behind(words, at + 1, scope) or programs.python(words, at + 1, scope)
        return [launch] if launch else []
    return []
