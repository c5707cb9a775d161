"""Commands that start another command: env, nohup, srun, ssh, docker run, bash -c ..."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from cfglint.commands.build import setting
from cfglint.commands.scope import Scope
from cfglint.launch import Setting
from cfglint.syntax.shell_words import ShellWord
from cfglint.syntax.shell_write import WordPlace
from cfglint.values import Computed, Value, parse_int

_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=")


@dataclass(slots=True)
class Inner:
    """What a wrapper starts: words of a command, or a text for another shell, and where it runs."""

    words: tuple[ShellWord, ...]
    scope: Scope
    script: ShellWord | None = None


Reader = Callable[[Sequence[ShellWord], Scope], "Inner | None"]


def env_assignment(word: ShellWord) -> Setting | None:
    """The variable that a word `NAME=value` sets."""
    match = _ASSIGNMENT.match(word.prefix())
    if not match:
        return None
    value = word.cut(match.end())
    found = setting(match[1], value, match[1], word.span, "env")
    if found.used_at is None:
        found.place = WordPlace(value)
    return found


_PER_NODE = frozenset(("srun", "mpirun", "pdsh"))


def frozen(env: Mapping[str, Setting]) -> dict[str, Setting]:
    """Variables whose values one host has computed for all nodes."""
    return {name: replace(found, value=shared(found.value)) for name, found in env.items()}


def shared(value: Value) -> Value:
    """A value once one host has computed it: no longer another one on each node."""
    return replace(value, per_node=False) if isinstance(value, Computed) else value


def skip_options(
    words: Sequence[ShellWord], at: int, with_value: str, long_values: frozenset[str] = frozenset()
) -> int:
    """The index behind a wrapper's options. `with_value`: short options that take the next word."""
    while at < len(words):
        text = words[at].prefix()
        if text == "--":
            return at + 1
        if not text.startswith("-") or text == "-":
            return at
        name = text.split("=")[0]
        if name.startswith("--"):
            at += 2 if name in long_values and "=" not in text else 1
        else:
            at += 2 if len(text) == 2 and text[1] in with_value else 1
    return at


def _simple(with_value: str = "", longs: tuple[str, ...] = (), positional: int = 0) -> Reader:
    def read(words: Sequence[ShellWord], scope: Scope) -> Inner | None:
        at = skip_options(words, 1, with_value, frozenset(longs)) + positional
        return Inner(tuple(words[at:]), scope)

    return read


def _env(words: Sequence[ShellWord], scope: Scope) -> Inner | None:
    at = skip_options(words, 1, "uCS", frozenset(("--unset", "--chdir")))
    variables: dict[str, Setting] = {}
    while at < len(words):
        found = env_assignment(words[at])
        if found is None:
            break
        variables[found.name] = found
        at += 1
    return Inner(tuple(words[at:]), scope.with_env(variables))


def _sudo(words: Sequence[ShellWord], scope: Scope) -> Inner | None:
    at = skip_options(words, 1, "ugChprtT", frozenset(("--user", "--group")))
    keeps = any((w.text or "").startswith(("-E", "--preserve-env")) for w in words[1:at])
    inner = _env(words[at - 1 :], scope if keeps else replace(scope, env={}))
    return inner


def _eval(words: Sequence[ShellWord], scope: Scope) -> Inner | None:
    """`eval "$CMD"`: one text that this shell reads once more; several words are a command."""
    if len(words) == 2:
        return Inner((), scope, words[1])
    return Inner(tuple(words[1:]), scope)


def _shell(words: Sequence[ShellWord], scope: Scope) -> Inner | None:
    """`bash -c TEXT`, `bash -lc TEXT`: another shell; `bash file.sh` is a program of its own."""
    if scope.evaluated == "once" and _PER_NODE.intersection(scope.wrappers):
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


_SRUN_VALUES = frozenset(
    """
    --account --chdir --comment --constraint --container-env --container-image
    --container-mounts --container-name --container-workdir --cores-per-socket --cpu-bind
    --cpus-per-gpu --cpus-per-task --dependency --distribution --epilog --error --exclude
    --export --extra-node-info --gpu-bind --gpus --gpus-per-node --gpus-per-socket
    --gpus-per-task --gres --het-group --input --job-name --jobid --label-width --mem
    --mem-bind --mem-per-cpu --mem-per-gpu --mpi --network --nodefile --nodelist --nodes
    --ntasks --ntasks-per-core --ntasks-per-gpu --ntasks-per-node --ntasks-per-socket
    --output --partition --prolog --qos --relative --reservation --signal --slurmd-debug
    --threads-per-core --time --tres-per-task --wait --wckey
    """.split()  # noqa: SIM905 (a table)
)
_SRUN_SHORT = "AcCdDeEgGiJkLmMnNopPqrRtTwWxX"


def _srun(words: Sequence[ShellWord], scope: Scope) -> Inner | None:
    at = skip_options(words, 1, _SRUN_SHORT, _SRUN_VALUES)
    tasks = _number(words[1:at], "-n", "--ntasks")
    nodes = _option(words[1:at], "-N", "--nodes")
    per_node = _option(words[1:at], "", "--ntasks-per-node")
    tasks = tasks if tasks is not None else scope.tasks
    changed = scope.inside("srun", evaluated="once", tasks=tasks)
    if nodes is not None:
        changed = replace(changed, nodes=setting("nodes", nodes, "--nodes"))
    if per_node is not None and parse_int(per_node.text or "") is not None:
        found = setting("tasks_per_node", per_node, "--ntasks-per-node")
        changed = replace(changed, tasks_per_node=found)
    return Inner(tuple(words[at:]), changed)


def _option(words: Sequence[ShellWord], short: str, long: str) -> ShellWord | None:
    """The value of a wrapper's option among its words."""
    found: ShellWord | None = None
    for i, word in enumerate(words):
        prefix = word.prefix()
        if prefix == long or (short and prefix == short):
            found = words[i + 1] if i + 1 < len(words) else None
        elif prefix.startswith(long + "="):
            found = word.cut(len(long) + 1)
        elif short and prefix.startswith(short) and not prefix.startswith("--"):
            found = word.cut(2)
    return found


def _number(words: Sequence[ShellWord], short: str, long: str) -> int | None:
    word = _option(words, short, long)
    return parse_int(word.text) if word is not None and word.text is not None else None


def _mpirun(words: Sequence[ShellWord], scope: Scope) -> Inner | None:
    at, tasks = 1, None
    environment: dict[str, Setting] = {}
    while at < len(words) and words[at].prefix().startswith("-"):
        text = words[at].text or ""
        if text in ("-np", "-n", "--np", "-c") and at + 1 < len(words):
            tasks = parse_int(words[at + 1].text or "")
        if text in ("-x", "-env", "-genv") and at + 1 < len(words):
            found = env_assignment(words[at + 1])
            if found is not None:
                environment[found.name] = found
        at += 1 + _MPI_VALUES.get(text, 0)
    inside = scope.inside("mpirun", tasks=tasks, evaluated="once")
    return Inner(tuple(words[at:]), inside.with_env(environment))


_MPI_ONE = """
    --bind-to --host --hostfile --machinefile --map-by --mca-file --np --npernode
    --output-filename --prefix --rank-by --rankfile --timeout --wdir -H -N -bind-to -c
    -envlist -f -genvlist -host -hostfile -hosts -iface -machinefile -map-by -n -np
    -npernode -output-filename -ppn -prefix -rank-by -report-bindings-file -rf -timeout
    -wdir -x
"""
_MPI_VALUES = {
    **dict.fromkeys(_MPI_ONE.split(), 1),
    **dict.fromkeys(("-mca", "--mca", "-gmca", "--gmca", "-env", "-genv"), 2),
}


def _ssh(words: Sequence[ShellWord], scope: Scope) -> Inner | None:
    at = skip_options(words, 1, "BbcDEeFIiJLlmOopQRSWw")
    if at >= len(words):
        return None
    remote = scope.inside("ssh", env={}, evaluated="once", env_writer=None)
    return _remote(words[at + 1 :], remote)


def _remote(words: Sequence[ShellWord], scope: Scope) -> Inner | None:
    """A command that a shell elsewhere reads: one quoted text, or words joined by blanks."""
    if len(words) == 1:
        return Inner((), scope, words[0])
    return Inner(tuple(words), scope) if words else None


def _pdsh(words: Sequence[ShellWord], scope: Scope) -> Inner | None:
    at = skip_options(words, 1, "wxgGnRftulMPo")
    remote = scope.inside("pdsh", env={}, evaluated="node", env_writer=None)
    return _remote(words[at:], remote)


def _nsys(words: Sequence[ShellWord], scope: Scope) -> Inner | None:
    at = 2 if len(words) > 1 and words[1].text in ("profile", "launch") else 1
    at = skip_options(words, at, "otsefcwdypbBgxn", frozenset())
    return Inner(tuple(words[at:]), scope.inside("nsys"))


def _run(words: Sequence[ShellWord], scope: Scope) -> Inner | None:
    """uv run, poetry run, conda run, pipenv run ..."""
    if len(words) < 2 or words[1].text != "run":
        return None
    at = skip_options(words, 2, "npc", frozenset(
        ("--name", "--prefix", "--with", "--python", "--extra", "--env-file", "--project",
         "--directory", "--group", "--cwd", "--package", "--index")
    ))  # fmt: skip
    return Inner(tuple(words[at:]), scope)


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
    "mpirun": _mpirun,
    "mpiexec": _mpirun,
    "ssh": _ssh,
    "pdsh": _pdsh,
    "nsys": _nsys,
    "uv": _run,
    "poetry": _run,
    "pipenv": _run,
    "conda": _run,
    "mamba": _run,
    "micromamba": _run,
    "hatch": _run,
}
