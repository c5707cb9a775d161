"""The launches of a parsed shell text, each with the variables that reach it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Sequence
from functools import partial

from cfglint.commands import command_launches, unshelled
from cfglint.commands.background import has_lines, to_background
from cfglint.commands.calls import Called, Calls
from cfglint.commands.environment import Layered
from cfglint.commands.lazy import LazyWords
from cfglint.commands.scope import Scope
from cfglint.commands.variables import Reach, Variables
from cfglint.commands.written import Files, link
from cfglint.model.edit import Edit
from cfglint.model.launch import Launch, Setting
from cfglint.model.values import Literal
from cfglint.record import replace
from cfglint.syntax.shell import Command, Script
from cfglint.syntax.shell_nested import Nested
from cfglint.syntax.shell_words import Part, ShellWord
from cfglint.syntax.shell_write import quoted_text

# What a command must hold to be worth a look: a launcher somewhere, or in front a variable or a
# program that can stand around one.
_LAUNCHERS = ("torchrun", "torch.distributed", "accelerate", "deepspeed", "llamafactory",
              "llmtuner", "lmf", "swift", "megatron", "python", ".py", ".sh",
              "--env-file")  # fmt: skip
_AROUND = re.compile(
    r"\W*\$|\./"
    r"|\s*(?:bash|sh|eval|srun|sbatch|mpirun|mpiexec|ssh|pdsh|docker|podman|sudo|exec|source|\.)\b"
    r"|\s*(?:env|nohup|time|timeout|nice|setsid|stdbuf|unbuffer|numactl|taskset|command)\b[^;]*\$"
)
# A `set` that may give the text arguments of its own.
_SETS = re.compile(r"set(?<!\wset)[ \t]+(?:(?:[-+]\w+[ \t]+)*--|[^-+\s])")

# What runs a command in the folder from which it is called.
_SAME_FOLDER = frozenset({"srun", "mpirun", "mpiexec"})

Unexported = Callable[[Callable[[str], bool]], "list[tuple[Setting, Edit | None]]"]
# Assignments in front of a command.
_PREFIX = re.compile(r"(?:[A-Za-z_]\w*=(?:\"[^\"]*\"|'[^']*'|\\.|[^\s\"'\\])*(?:\s|\\\n)+)+")


def script_launches(script: Script, scope: Scope) -> list[Launch]:
    """The launches of a script, in the order of the text."""
    variables = Variables(script, scope.env)
    if scope.arguments is not None or _SETS.search(script.fragment.text):
        variables = Called(script, scope.env, scope.arguments)
    calls = Calls(script, variables)
    files = Files(script, calls) if "<<" in script.fragment.text else None
    found: list[Launch] = []
    for command in script.commands:
        text = script.fragment.text[command.start : command.end]
        if not _is_worth_a_look(text) and not (files and files.named_in(text)):
            continue
        for seen, around in calls.reaching(command):
            own = scope
            if files is not None and files.found:
                start = around[-1] if around else command
                own = replace(scope, written=files.seen_by((command, start), seen, scope.written))
            found += _of_command(command, seen, own, around)
    return found


def _is_worth_a_look(text: str) -> bool:
    """Whether a command may launch something."""
    if any(map(text.__contains__, _LAUNCHERS)) or _AROUND.match(text):
        return True
    prefix = _PREFIX.match(text)
    return prefix is not None and _AROUND.match(text, prefix.end()) is not None


def _of_command(
    command: Command, variables: Variables, scope: Scope, around: tuple[Command, ...] = ()
) -> list[Launch]:
    reach = Reach(variables, command.start, command.context)
    words: Sequence[ShellWord] = LazyWords(
        piece for word in command.read() for piece in reach.words(word)
    )
    if not words:
        return []
    env = variables.exported(command.start, command.context)
    if command.assignments:
        prefix = {a.name: replace(variables.setting(a), origin="env") for a in command.assignments}
        env = Layered(prefix, env)
    gap = command.script.gap
    if gap is not None and gap[0] < command.start:
        scope = replace(scope, complete=False, why=f"{gap[1]} is not seen")
    inside = replace(
        scope,
        env=env,
        background=scope.background or any(c.background for c in (command, *around)),
        env_writer=scope.env_writer or _writer(command),
        label=scope.label or f"line {_line(around[0] if around else command)}",
        arguments=None,
    )
    words, inside = unshelled.expanded(command, words, inside)
    launches = _from_input(command, words, inside, reach)
    launches = launches or command_launches(words, inside)
    launches = launches or _from_document(command, words, inside, reach)
    for launch in launches:
        launch.flow = (*launch.flow, command, *around)
        if launch.detached and launch.detaching is None and not scope.detached:
            launch.detaching = command
        launch.mentions = launch.mentions or command.script.mentions
        if launch.to_background is None and has_lines(command):
            launch.to_background = partial(to_background, command)
        if launch.read_on_node is None or command.name == "srun":
            launch.read_on_node = partial(_read_on_node, command)
        unexported = partial(variables.unexported, command.start, command.context)
        launch.unexported = _both(launch.unexported, unexported)
        folder = _folder(command, launch, around)
        launch.folder = _below(folder, launch.folder)
        for reference in launch.configs:
            reference.folder = _below(folder, reference.folder)
            reference.movable = (
                reference.movable
                or folder is None
                or command.script.may_make(reference.path, command.start)
            )
            makes = partial(_is_made, reference.path, command, variables)
            reference.makers = (*reference.makers, makes)
        if inside.written is not None:
            link(launch, inside.written, command)
    return launches


def _folder(command: Command, launch: Launch, around: tuple[Command, ...]) -> str | None:
    """The folder of the tree to which the script has gone before a launch, "" where it has not;
    None where that is not known, or is one of another machine or container."""
    if not command.script.moves:
        return ""
    if launch.container is not None or not _SAME_FOLDER.issuperset(launch.wrappers):
        return None
    from cfglint.commands.folders import folder_of_call

    return folder_of_call(command, around)


def _below(folder: str | None, inner: str) -> str:
    return posixpath.normpath(posixpath.join(folder, inner)) if folder else inner


def _is_made(path: str, command: Command, variables: Variables) -> bool:
    from cfglint.commands.made import is_made

    return is_made(path, command, variables)


def _read_on_node(command: Command, late: Setting) -> list[Edit] | None:
    from cfglint.commands.on_the_node import read_there

    return read_there(command, late)


def _both(inner: Unexported | None, outer: Unexported) -> Unexported:
    """What an inner script and the one around it do not export."""
    if inner is None:
        return outer
    return lambda wanted: [*inner(wanted), *outer(wanted)]


def _from_input(
    command: Command, words: Sequence[ShellWord], scope: Scope, reach: Reach
) -> list[Launch]:
    """The launches in a here-document that a shell reads for its script (`srun bash <<EOF`), which
    without one would be a shell of which nothing is seen."""
    if not any(isinstance(redirect.body, Nested) for redirect in command.redirects):
        return []
    names = _names(words)
    if "ssh" in names or "sbatch" in names or _shell(words, names) is None:
        return []
    return _from_document(command, words, scope, reach)


# Options of a shell, of which none gives it a script.
_PLAIN = re.compile(r"-[abefhiklmnorstuvxBCEHPT]*$|--?(?:login|norc|noprofile|posix|verbose)$")


def _names(words: Sequence[ShellWord]) -> list[str]:
    return [(word.text or "").rsplit("/", 1)[-1] for word in words]


def _shell(words: Sequence[ShellWord], names: list[str]) -> int | None:
    """The last shell among the words, None where it has a script: `bash run.sh`, `bash -c ...`."""
    shell = max((i for i, name in enumerate(names) if name in ("bash", "sh")), default=None)
    if shell is None:
        return None
    before = ""
    for word in words[shell + 1 :]:
        text = word.text or ""
        if text in ("-s", "-", "/dev/stdin"):
            return shell  # what follows are the script's arguments
        if not _PLAIN.match(text) and not before.endswith("o"):  # -eo pipefail
            return None
        before = text
    return shell


def _from_document(
    command: Command, words: Sequence[ShellWord], scope: Scope, reach: Reach
) -> list[Launch]:
    """The launches in a here-document that a shell or Slurm reads: `bash <<EOF`, `ssh host <<EOF`,
    `sbatch <<EOF`."""
    if not command.redirects:
        return []
    words = list(words)
    names = _names(words)
    if not {"bash", "sh", "ssh", "sbatch"}.intersection(names) or _is_filtered(command):
        return []
    body = _input(command, scope, reach)
    if body is None:
        return []
    if "sbatch" in names:
        from cfglint.commands.written import submission

        return command_launches(*submission(words, body, scope))
    if "bash" in names or "sh" in names:
        low = body.start
        option = ShellWord(body.fragment, body.document, (Part(Literal("-c"), low, low),), low, low)
        shell = _shell(words, names)
        if shell is None:
            return []
        return command_launches([*words[: shell + 1], option, body], scope)
    return command_launches([*words, body], scope)


# In front of a command: a here-document that `cat` and `tee` hand on as it is.
_PASSED_ON = re.compile(
    r"(?:^|[\s;&|({`])(?:cat(?:\s+-)?|(?:sudo\s+)?tee\s[^|<>\n]*)\s*<<-?\s*\S+\s*"
    r"(?:\|\s*(?:sudo\s+)?tee\s[^|<>\n]*)*\|\s*\Z"
)


def _is_filtered(command: Command) -> bool:
    """Whether a command reads a here-document behind a pipe that something may change it in."""
    text = command.script.fragment.text
    here = next((r.body for r in command.redirects if isinstance(r.body, Nested)), None)
    if here is None or not here.ranges:
        return False
    line = text.rfind("\n", 0, here.ranges[0][0] - 1) + 1
    before = text[line : command.start] if line <= command.start < here.ranges[0][0] else ""
    return "<<" in before and _PASSED_ON.search(before) is None


def _input(command: Command, scope: Scope, reach: Reach) -> ShellWord | None:
    """What a here-document, or a file that one has written, gives a command to read."""
    for redirect in command.redirects:
        body = redirect.body
        if isinstance(body, Nested) and body.ranges:
            low, high = body.ranges[0][0], body.ranges[-1][1]
            return reach.word(command.script.document_word(low, high, redirect.literal))
        if redirect.sign == "<" and redirect.target is not None and scope.written is not None:
            return next(iter(scope.written(reach.word(redirect.target))), None)
    return None


def _line(command: Command) -> int:
    return command.script.document.source.text.count("\n", 0, command.span.start) + 1


def _writer(command: Command) -> Callable[[str, str], Edit | None]:
    """Exports a variable on a line before the command, or prefixes the command with it."""
    fragment = command.script.fragment
    text = fragment.text

    def write(name: str, value: str) -> Edit | None:
        quoted = quoted_text(value, "")
        head = text[: command.line_start]
        indent = head[max(head.rfind("\n"), head.rfind("\r")) + 1 :]
        if has_lines(command) and not indent.strip():
            newline = command.script.document.source.newline
            line = f"export {name}={quoted}{newline}{indent}"
            return fragment.edit(command.line_start, command.line_start, line)
        return fragment.edit(command.start, command.start, f"{name}={quoted} ")

    return write
