"""mpirun and mpiexec: a program on every slot of an allocation.

Sources: the manuals of Open MPI's mpirun (4 and 5), of Hydra (MPICH, Intel MPI).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from cfglint.commands.build import setting
from cfglint.commands.options import is_opaque
from cfglint.commands.scope import Scope
from cfglint.commands.wrapping import Inner, env_assignment, without
from cfglint.model.edit import Edit
from cfglint.model.launch import Setting
from cfglint.model.values import Literal, Unknown, Value, parse_int
from cfglint.patterns import lazy
from cfglint.record import replace
from cfglint.syntax.shell_words import ShellWord


def mpirun(words: Sequence[ShellWord], scope: Scope) -> Inner | None:
    at, tasks, nodes = 1, None, scope.nodes
    environment: dict[str, Setting] = {}
    exports: list[str | None] = []
    allocation = dict(scope.allocation)
    while words[at : at + 1] and words[at].prefix().startswith("-"):
        text = words[at].text or ""
        if text in ("-np", "-n", "--np", "-c") and words[at + 1 : at + 2]:
            tasks = parse_int(words[at + 1].text or "")
            allocation["ranks"] = setting("ranks", words[at + 1], text)
        for name, pattern in _SAYS.items():
            if pattern.match(text) or (name == "crowded" and _names_it(words[at + 1 : at + 3])):
                allocation[name] = setting(name, words[at], text)
        if text in ("-H", "--host", "-host", "-hosts") and words[at + 1 : at + 2]:
            nodes = _listed(words[at + 1], text) or nodes
        if text in ("-x", "-env", "-genv") and words[at + 1 : at + 2]:
            take = partial(without, words[at - 1], words[at], words[at + 1])
            found = env_assignment(words[at + 1], take)
            if found is not None:
                environment[found.name] = found
            handed = found.name if found is not None else words[at + 1].text
            exports.append(handed if text == "-x" else None)
        if any("env_list" in (word.text or "") for word in words[at + 1 : at + 2]):
            exports.append(None)
        at += 1 + _MPI_VALUES.get(text, 0)
    if not words[at : at + 1] or is_opaque(words[at]):
        exports.append(None)  # more options, perhaps
    allocation["exports"] = _exports(words[0], exports)
    inside = scope.inside(
        "mpirun", tasks=tasks, nodes=nodes, evaluated="once", allocation=allocation
    )
    return Inner(words[at:], inside.with_env(environment))


def _exports(command: ShellWord, names: Sequence[str | None]) -> Setting:
    """The variables that `-x` hands to all ranks, by name; unknown where others may be."""
    known = [name for name in names if name is not None]
    value = Literal(" ".join(known)) if len(known) == len(names) else Unknown("-x")
    span = command.span
    return Setting("exports", value, command.document, span, "-x", place=_Exports(command))


class _Exports:
    """The `-x` options of a command. To write a name is to add one for it, the first of all."""

    __slots__ = ("command",)

    def __init__(self, command: ShellWord) -> None:
        self.command = command

    def write(self, value: Value) -> Edit | None:
        fragment, at = self.command.fragment, self.command.end
        if not isinstance(value, Literal):
            return None
        if fragment.item is not None:
            return fragment.item.insert_behind(("-x", value.text))
        return fragment.edit(at, at, f" -x {value.text}")

    def remove(self) -> Edit | None:
        return None


def _listed(word: ShellWord, option: str) -> Setting | None:
    """How many machines `-H a:8,b:8` names."""
    hosts = {one.partition(":")[0].strip() for one in (word.text or "").split(",")} - {""}
    if not hosts:
        return None
    return replace(setting("nodes", word, option), value=Literal(str(len(hosts))))


def _names_it(values: Sequence[ShellWord]) -> bool:
    """Whether an option's values (`-mca rmaps_base_oversubscribe 1`) let machines be crowded."""
    return any("oversubscribe" in (word.text or "").lower() for word in values[:1])


# What a command says itself: the hosts, how its processes spread over them, and that a machine may
# get more of them than it has slots.
_SAYS = {
    "hosts": lazy(r"--?(?:H|host|hosts|hostfile|machinefile|f|rankfile|rf)$"),
    "spread": lazy(r"--?(?:N|npernode|ppn|map-by|bynode|pernode)$"),
    "crowded": lazy(r"--?oversubscribe$"),
}
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
