"""Commands that start another command: env, nohup, srun, ssh, docker run, bash -c ..."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from cfglint.commands import containers, many
from cfglint.commands.build import setting
from cfglint.commands.lazy import LazyWords
from cfglint.commands.mpi import mpirun
from cfglint.commands.options import is_opaque
from cfglint.commands.sbatch import on_each_node, shape, variables
from cfglint.commands.scope import Scope
from cfglint.commands.wrapping import (
    PER_NODE,
    Inner,
    Reader,
    callers_word,
    env_assignment,
    frozen,
    handed_over,
    option,
    shared_word,
    skip_options,
    submitted_word,
)
from cfglint.model.launch import Setting
from cfglint.record import replace
from cfglint.syntax.shell_words import ShellWord
from cfglint.syntax.shell_write import WordPlace


def _simple(with_value: str = "", longs: tuple[str, ...] = (), positional: int = 0) -> Reader:
    def read(words: Sequence[ShellWord], scope: Scope) -> Inner | None:
        at = skip_options(words, 1, with_value, frozenset(longs)) + positional
        return Inner(words[at:], scope)

    return read


def _env(words: Sequence[ShellWord], scope: Scope) -> Inner | None:
    at = skip_options(words, 1, "uCS", frozenset(("--unset", "--chdir")))
    variables: dict[str, Setting] = {}
    while words[at : at + 1]:
        take = WordPlace(words[at], words[at - 1]).remove
        found = env_assignment(words[at], take)
        if found is None:
            break
        variables[found.name] = found
        at += 1
    return Inner(words[at:], scope.with_env(variables))


def _sudo(words: Sequence[ShellWord], scope: Scope) -> Inner | None:
    at = skip_options(words, 1, "ugChprtT", frozenset(("--user", "--group")))
    keeps = any((w.text or "").startswith(("-E", "--preserve-env")) for w in words[1:at])
    inner = _env(words[at - 1 :], scope if keeps else replace(scope, env={}))
    return inner


def _eval(words: Sequence[ShellWord], scope: Scope) -> Inner | None:
    """`eval "$CMD"`: one text that this shell reads once more; several words are a command."""
    if words[1:2] and not words[2:3]:
        return Inner((), scope, words[1])
    return _env(words, scope)


def _shell(words: Sequence[ShellWord], scope: Scope) -> Inner | None:
    """`bash -c TEXT`, `bash -lc TEXT`: another shell; `bash file.sh` is a program of its own."""
    if scope.evaluated == "once" and PER_NODE.intersection(scope.wrappers):
        scope = replace(scope, evaluated="node", env=frozen(scope.env))
    for i, word in enumerate(words[1:], 1):
        text = word.text or ""
        if re.fullmatch(r"-[a-z]*c", text):
            if i + 1 < len(words):
                return Inner((), scope, words[i + 1])
            return None
        if not text.startswith(("-", "+")):
            return None
    return None


SRUN_VALUES = frozenset(
    """
    --account --chdir --comment --constraint --container-env --container-image
    --container-mounts --container-name --container-workdir --cores-per-socket --cpu-bind
    --cpus-per-gpu --cpus-per-task --dependency --distribution --epilog --error --exclude
    --export --extra-node-info --gpu-bind --gpus --gpus-per-node --gpus-per-socket
    --gpus-per-task --gres --het-group --input --job-name --jobid --label-width --mem
    --mem-bind --mem-per-cpu --mem-per-gpu --mpi --network --nodefile --nodelist --nodes
    --ntasks --ntasks-per-core --ntasks-per-gpu --ntasks-per-node --ntasks-per-socket
    --tasks-per-node
    --output --partition --prolog --qos --relative --reservation --signal --slurmd-debug
    --threads-per-core --time --tres-per-task --wait --wckey
    """.split()  # noqa: SIM905 (a table)
)
SRUN_SHORT = "AcCdDeEgGiJkLmMnNopPqrRtTwWxX"


def _srun(words: Sequence[ShellWord], scope: Scope) -> Inner | None:
    at = skip_options(words, 1, SRUN_SHORT, SRUN_VALUES)
    own = words[1:at]
    allocated = dict(scope.allocation)
    if any(w.prefix().startswith(("--gres", "--gpus", "-G")) for w in own):
        allocated.pop("gpus_per_node", None)
    asked = asked_for(own)
    if "nodes" in asked and "tasks" not in allocated:
        allocated.pop("tasks_per_node", None)
    steps = {**allocated, **asked}
    tasks = steps.get("tasks")
    count = tasks.number if tasks else None
    nodes, own_nodes = steps.get("nodes"), option(own, "-N", "--nodes") is not None
    whole = scope.allocation.get("nodes")
    if own_nodes and whole is not None:
        steps.setdefault("allocated", whole)  # by the batch script around it
    if own_nodes and nodes is not None and nodes.number == 1:
        # A step on one node, perhaps of several: how many the job has it does not say.
        per_node = steps.get("tasks_per_node")
        count = count or (per_node.number if per_node else 1)
        nodes = None if whole is None or whole.number != 1 else nodes
    if count == 1 and nodes is not None and nodes.number != 1:
        nodes = None  # one task runs on one node
    scope = _exported(scope, option(own, "", "--export"))
    place = option(own, "-w", "--nodelist")
    changed = scope.inside(
        "srun",
        evaluated="once",
        host=scope.host if place is None else place.text or place.raw,
        tasks=count,
        nodes=nodes,
        tasks_per_node=on_each_node(steps, "tasks" in asked),
        allocation=steps,
    )
    rest = words[at:]
    if not _runs_shell(rest):
        rest = LazyWords(map(shared_word, rest))
    return Inner(rest, changed)


def asked_for(options: Sequence[ShellWord]) -> dict[str, Setting]:
    """What options of srun or sbatch say of the shape of a job."""
    found: dict[str, Setting] = {}
    for name, short, long in (
        ("nodes", "-N", "--nodes"),
        ("tasks", "-n", "--ntasks"),
        ("tasks_per_node", "", "--ntasks-per-node"),
        ("tasks_per_node", "", "--tasks-per-node"),
        ("gpus_per_task", "", "--gpus-per-task"),
    ):
        word = option(options, short, long)
        if word is not None:
            found[name] = setting(name, word, long)
    return found


def _runs_shell(words: Sequence[ShellWord]) -> bool:
    return bool(words) and (words[0].text or "").rsplit("/", 1)[-1] in ("bash", "sh", "zsh")


def _exported(scope: Scope, option: ShellWord | None) -> Scope:
    """The scope under srun's --export: ALL and more variables, or only those named."""
    if option is None or option.text == "ALL":
        return scope
    added: dict[str, Setting] = {}
    names: set[str] = set()
    for item in _items(option):
        found = env_assignment(shared_word(item))
        if found is not None:
            added[found.name] = found
        elif item.text is None:
            return scope  # a variable, which may name any others
        else:
            names.add(item.text)
    if "ALL" in names:
        return scope.with_env(added)
    kept = {n: s for n, s in scope.env.items() if n in names}
    return replace(scope, env={**kept, **added})


def _items(word: ShellWord) -> Iterator[ShellWord]:
    """The pieces of a word between its commas."""
    while (at := word.find(",")) >= 0:
        yield word.cut(0, at)
        word = word.cut(at + 1)
    yield word


def _sbatch(words: Sequence[ShellWord], scope: Scope) -> Inner | None:
    """`sbatch --wrap "COMMAND"`: a batch script in one option."""
    for i, word in enumerate(words[1:], 1):
        text = word.prefix()
        if text.startswith("--wrap"):
            sign = word.find("=")
            value = (
                word.cut(sign + 1) if sign == 6 else words[i + 1] if i + 1 < len(words) else None
            )
            if value is not None:
                asked = asked_for(words[1:])
                given = replace(scope, env=handed_over(scope.env)).with_env(variables(asked))
                wrapped = given.inside("sbatch", evaluated="once", allocation=shape(asked))
                return Inner((), wrapped, submitted_word(value))
    return None


_FORKS = re.compile(r"-[46AaCgKkMNnqsTtVvXxYy]*f")


def _ssh(words: Sequence[ShellWord], scope: Scope) -> Inner | None:
    at = skip_options(words, 1, "BbcDEeFIiJLlmOopQRSWw", opaque=False)
    if words[at + 1 : at + 2] and is_opaque(words[at]) and is_opaque(words[at + 1]):
        at += 1  # `ssh $SSH_OPTS $HOST ...`
    if not words[at + 1 : at + 2]:
        return None
    host = words[at].text or words[at].raw
    remote = scope.inside(
        "ssh", env={}, evaluated="once", env_writer=None, host=host, allocation={}
    )
    if any(_FORKS.match(word.text or "") for word in words[1:at]):
        remote.detached = True  # ssh itself goes to the background
    return _remote(LazyWords(map(callers_word, words[at + 1 :])), remote)


def _remote(words: Sequence[ShellWord], scope: Scope) -> Inner | None:
    """A command that a shell elsewhere reads: one quoted text, or words joined by blanks."""
    if words[:1] and not words[1:2]:
        return Inner((), scope, words[0])
    return Inner(words, scope) if words[:1] else None


def _pdsh(words: Sequence[ShellWord], scope: Scope) -> Inner | None:
    at = skip_options(words, 1, "wxgGnRftulMPo")
    if not words[at : at + 1]:
        return None
    remote = scope.inside("pdsh", env={}, evaluated="node", env_writer=None)
    return _remote(words[at:], remote)


_PROGRAM = re.compile(r"(?:torchrun|accelerate|deepspeed|llamafactory-cli|python[\d.]*|bash|sh)$")


def _terminal(words: Sequence[ShellWord], scope: Scope) -> Inner | None:
    """tmux and screen: a terminal of its own, beside which the script goes on."""
    name = (words[0].text or "").rsplit("/", 1)[-1]
    rest: Sequence[ShellWord]
    if name == "screen":
        options = [w.prefix() for w in words[1:]]
        if not any(o.startswith("-") and "m" in o for o in options):
            return None
        rest = words[skip_options(words, 1, "STcehpst") :]
    else:
        command = words[1].text if words[1:2] else None
        if command in ("new", "new-session", "new-window", "neww", "split-window", "splitw"):
            rest = words[skip_options(words, 2, "ceFnstxy") :]
        elif command in ("send-keys", "send"):
            rest = [w for w in words[skip_options(words, 2, "tN") :] if w.text not in _KEYS]
        else:
            return None
    inside = scope.inside(name, background=True, detached=True, env_writer=None)
    if rest[:1] and not rest[1:2]:
        return Inner((), inside, rest[0])
    return Inner(rest, inside) if rest[:1] else None


_KEYS = ("C-m", "Enter", "ENTER", "KPEnter")


def _watching(words: Sequence[ShellWord], scope: Scope) -> Inner | None:
    """Profilers and tracers: their options are many, the program is the first word that looks like
    one."""
    for at, word in enumerate(words[1:], 1):
        name = (word.text or "").rsplit("/", 1)[-1]
        if _PROGRAM.match(name):
            return Inner(words[at:], scope.inside(words[0].text or ""))
    return None


def _run(words: Sequence[ShellWord], scope: Scope) -> Inner | None:
    """uv run, poetry run, conda run, pipenv run ..."""
    if not words[1:2] or words[1].text != "run":
        return None
    at = skip_options(words, 2, "npc", frozenset(
        ("--name", "--prefix", "--with", "--python", "--extra", "--env-file", "--project",
         "--directory", "--group", "--cwd", "--package", "--index")
    ))  # fmt: skip
    return Inner(words[at:], scope)


WRAPPERS: dict[str, Reader] = {
    "env": _env,
    "nohup": _simple(),
    "time": _simple("of"),
    "eval": _eval,
    "exec": _simple("a"),
    "command": _simple(),
    "builtin": _simple(),
    "nice": _simple("n"),
    "ionice": _simple("cnp"),
    "setsid": _simple(),
    "stdbuf": _simple("ioe"),
    "unbuffer": _simple(),
    "timeout": _simple("ks", ("--kill-after", "--signal"), 1),
    "taskset": _simple("", (), 1),
    "numactl": _simple("NmCipl", ("--cpunodebind", "--membind", "--physcpubind", "--interleave")),
    "tini": _simple("p"),
    "dumb-init": _simple(),
    "xvfb-run": _simple("nse"),
    "sudo": _sudo,
    "bash": _shell,
    "sh": _shell,
    "zsh": _shell,
    "dash": _shell,
    "ash": _shell,
    "srun": _srun,
    "mpirun": mpirun,
    "mpiexec": mpirun,
    "ssh": _ssh,
    "pdsh": _pdsh,
    "clush": _pdsh,
    "pssh": _pdsh,
    "sbatch": _sbatch,
    "xargs": many.xargs,
    "parallel": many.parallel,
    "docker": containers.run,
    "podman": containers.run,
    "nerdctl": containers.run,
    "nvidia-docker": containers.run,
    "docker-compose": containers.compose,
    "singularity": containers.apptainer,
    "apptainer": containers.apptainer,
    "shifter": containers.shifter,
    "ch-run": containers.shifter,
    **dict.fromkeys(
        (
            "nsys",
            "ncu",
            "rocprof",
            "rocprofv2",
            "compute-sanitizer",
            "strace",
            "ltrace",
            "perf",
            "gdb",
            "valgrind",
            "systemd-run",
        ),
        _watching,
    ),
    "tmux": _terminal,
    "screen": _terminal,
    "uv": _run,
    "poetry": _run,
    "pipenv": _run,
    "conda": _run,
    "mamba": _run,
    "micromamba": _run,
    "hatch": _run,
    "pdm": _run,
    "pixi": _run,
    "rye": _run,
}
