"""Which programs are a job's own code, and which start a launcher themselves.

Sources: facts on LLaMA-Factory a-b, torchrun a.17.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cfglint.files import discovery
from cfglint.model.launch import Launch, Program
from cfglint.model.values import Unknown
from cfglint.patterns import lazy
from cfglint.text import Span

if TYPE_CHECKING:
    from cfglint.model.document import Document
    from cfglint.project import Project

LLAMAFACTORY_COMMANDS = ("llamafactory-cli", "lmf")
LLAMAFACTORY_MODULES = ("llamafactory.cli", "llmtuner.cli")
LAUNCHERS = ("torchrun", "deepspeed", "accelerate", "accelerate-launch")
LAUNCHER_MODULES = (
    "torch.distributed.run", "torch.distributed.launch", "accelerate.commands.launch",
    "deepspeed.launcher.runner",
)  # fmt: skip
# Other command lines that start a launcher for some of their sub-commands: the package of the
# modules that do the same in their own process, and the sub-commands. Read in ms-swift 4.6 (with
# NPROC_PER_NODE or NNODES set), trl 0.19 and axolotl 0.8.1.
SELF_LAUNCHING = {
    "swift": ("swift.cli", ("sft", "pt", "rlhf", "infer")),
    "trl": ("trl.scripts", ("sft", "dpo", "kto", "grpo", "reward", "rloo")),
    "axolotl": ("axolotl.cli", ("train", "evaluate")),
}
_MODULES = {"swift.cli.main": "swift", "trl.cli": "trl", "axolotl.cli.main": "axolotl"}
_ON = ("1", "true", "y")


def name(program: Program) -> str:
    """The name of a program: a path's last part, what `$(which x)` finds (a variable may hold it),
    a module as it is."""
    held = program.word.value if program.word is not None else None
    for text in (program.text, held.text if isinstance(held, Unknown) else ""):
        found = _WHICH.match(text) if "(" in text or "`" in text else None
        if found:
            return found[1]
    if program.kind == "module":
        return program.text
    last = program.text.rsplit("/", 1)[-1]
    return last.rstrip("\"'") if program.kind == "unknown" else last


_WHICH = lazy(r"[\"']?(?:\$\(|`)\s*(?:which|command\s+-v|type\s+-[pP])\s+([\w.-]+)")


def is_llamafactory_command(program: Program) -> bool:
    """Whether a program is LLaMA-Factory's command line, which starts torchrun by itself."""
    return name(program) in LLAMAFACTORY_COMMANDS + LLAMAFACTORY_MODULES or program.text.endswith(
        "llamafactory/cli.py"
    )


def self_launching(program: Program) -> str | None:
    """Which of the other command lines that start a launcher a program is, if it is one."""
    called = name(program)
    called = _MODULES.get(called, called)
    return called if called in SELF_LAUNCHING else None


def is_llamafactory_script(program: Program) -> bool:
    """Whether a program is an entry of LLaMA-Factory that trains in its own process."""
    return (
        program.text.endswith(("llamafactory/launcher.py", "src/train.py"))
        or program.text == "llamafactory.launcher"
        or name(program) == "train_bash.py"
    )


def subcommand(program: Program) -> str | None:
    """The first word behind a program, None where it is not known."""
    return program.args[0].text if program.args else None


def env_text(launch: Launch, variable: str) -> str | None:
    """The literal text of an environment variable of a launch."""
    setting = launch.env.get(variable)
    return setting.text if setting is not None else None


def is_on(text: str | None) -> bool:
    """Whether LLaMA-Factory takes a variable's text for yes."""
    return (text or "").lower() in _ON


def python_names(project: Project, word: str) -> bool:
    """Whether a Python file of the tree holds a word: a program may take an option of that name.

    Where the tree has too many files to read, the answer is yes.
    """
    texts: list[bytes] | None = project.fact("python-files", lambda: _python_files(project))
    if texts is None:
        return True
    pattern = re.compile(rb"\b%s\b" % re.escape(word).encode("utf-8", "surrogatepass"))
    return any(pattern.search(text) for text in texts)


def _python_files(project: Project) -> list[bytes] | None:
    found: list[bytes] = []
    size = 0
    for path in discovery.find([project.root], extra=(".py",)):
        if path.suffix != ".py":
            continue
        try:
            data = path.read_bytes()
        except OSError:
            continue
        size += len(data)
        if size > _READ_LIMIT:
            return None
        found.append(data)
    return found


_READ_LIMIT = 50_000_000


_SSHD = re.compile(
    r"\bsshd\b[^\n#]*?[\s\"']-p[ =\"',]*(\d+)|^\s*(?:RUN\b.*)?\bPort[ =]+(\d+)\b.*sshd_config", re.M
)


# What gives ssh a configuration of its own, in which a port may stand: its file, or a whole .ssh
# folder that is mounted or copied.
_SSH_CLIENT = lazy(
    r"\bssh_config\b|\.ssh/config\b|:[^\s:\"']*/\.ssh/?(?=[\s:\"',]|\Z)"
    r"|^[ \t]*(?:COPY|ADD)\b[^\n]*/\.ssh/?[ \t]*$",
    re.M,
)
_WITH_DAEMONS = ("compose", "dockerfile", "script", "kubernetes")


def sets_up_ssh(document: Document) -> bool:
    """Whether a file gives ssh clients a configuration, which may name the port to dial."""
    return document.kind in _WITH_DAEMONS and _SSH_CLIENT.search(document.source.text) is not None


def ssh_daemons(document: Document) -> list[tuple[Span, str]]:
    """The places of a file that start an ssh daemon on a port of their own, with the port."""
    if document.kind not in _WITH_DAEMONS:
        return []
    found = []
    for match in _SSHD.finditer(document.source.text):
        group = 1 if match[1] else 2
        found.append((Span(*match.span(group)), match[group]))
    return found
