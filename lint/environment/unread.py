"""Variables of a job's environment that its launcher does not read.

Sources: facts on torchrun a (it reads its options and `PET_` variables, and overwrites MASTER_ADDR,
MASTER_PORT and RANK for its workers), DeepSpeed c, accelerate b; LLaMA-Factory's `launcher.py`.
"""

from __future__ import annotations

from collections.abc import Iterator

from cfglint.jobs.elsewhere import is_program, is_read_elsewhere, sharing
from cfglint.model.edit import Edit
from cfglint.model.launch import Launch, Setting
from cfglint.model.values import default_literal
from cfglint.programs import entrypoints
from cfglint.project import Project
from cfglint.record import dataclass

_MASTER = {
    "MASTER_PORT": ("master_port", ("29500",)),
    "MASTER_ADDR": ("master_addr", ("127.0.0.1", "localhost")),
}
# What each variable would be as a setting, and what the launcher takes without it.
_UNREAD = {
    "torchrun": {**_MASTER, "NNODES": ("nnodes", ("1",)), "NODE_RANK": ("node_rank", ("0",))},
    "deepspeed": _MASTER,
    "accelerate": _MASTER,
}
# Kinds whose environment other cells, steps and recipes share, or other commands in an image.
_STEPS = ("workflow", "notebook", "makefile", "justfile", "dockerfile")
_ELASTIC = ("MAX_RESTARTS", "MIN_NNODES", "MAX_NNODES")


@dataclass(frozen=True, slots=True)
class Unread:
    """A variable that is set and not read.

    `by`: "launcher" (which takes an option for it), "anything" (nothing reads it at all), or
    "alone" (LLaMA-Factory reads it beside RDZV_ID only). `option` is the model's name of what the
    variable would be as an option ("master_port"), "" where there is none; `default` what holds
    instead, None where that is not known.
    """

    name: str
    variable: Setting
    by: str
    option: str = ""
    default: str | None = None


def unread(launch: Launch, project: Project) -> Iterator[Unread]:
    """The variables of a launch that are not read, where no option says the same, nothing else in
    view uses them and the launcher does not take the same value anyway."""
    for name, (option, same) in _UNREAD.get(launch.launcher, {}).items():
        variable = launch.env.get(name)
        if variable is None or not _is_whole(launch) or option in launch.settings:
            continue
        if _is_used(launch, name) or _is_moot(launch, name):
            continue
        value = default_literal(variable.value)
        if value is None or value in same:
            continue
        if not is_read_elsewhere(project, launch, variable):
            yield Unread(name, variable, "launcher", option, launch.effective(option))
    nobodys = launch.env.get("DEEPSPEED_PORT_RANGE")
    if nobodys is not None:
        yield Unread("DEEPSPEED_PORT_RANGE", nobodys, "anything")
    if launch.launcher == "llamafactory" and "RDZV_ID" not in launch.env:
        if entrypoints.is_on(entrypoints.env_text(launch, "USE_V1")):
            return
        for name in _ELASTIC:
            variable = launch.env.get(name)
            if variable is not None and variable.text not in (None, "", "0"):
                yield Unread(name, variable, "alone")


def as_option(launch: Launch, one: Unread, project: Project) -> list[Edit | None]:
    """The edits that give the launcher the option with the variable's value, and others of the file
    that get it and do not read it, and take the variable out where no other program gets it; none
    where a config or another file has the say."""
    variable = one.variable
    if variable.text is None or variable.document is not launch.document:
        return []
    if launch.launcher == "accelerate" and any(c.role == "accelerate" for c in launch.configs):
        return []
    beside = sharing(project, variable, one.name)
    if all(x is not launch for x in beside):
        beside = [*beside, launch]
    alike = [x for x in beside if x.document is launch.document and _is_unread(x, one, project)]
    edits: list[Edit | None] = []
    for each in alike:
        edit = each.add(one.option, variable.text)
        if edit not in edits:  # calls of one function are one place
            edits.append(edit)
    anchored = launch.document.kind == "compose" and len(beside) > 1
    if anchored or len(alike) < len(beside) or any(_serves_others(x, variable) for x in alike):
        return edits
    removed = variable.remove()
    return edits if removed is None else [*edits, removed]


def _is_unread(launch: Launch, one: Unread, project: Project) -> bool:
    found = (x for x in unread(launch, project) if x.name == one.name)
    return any(x.option == one.option and x.variable.span == one.variable.span for x in found)


def _serves_others(launch: Launch, variable: Setting) -> bool:
    """Whether other programs get the variable as well, which may read it (plain Python does)."""
    line = variable.document.source.position
    if line(variable.span.start)[0] == line(launch.span.start)[0]:
        return False  # in front of this one command
    if variable.document.kind in _STEPS:
        return True
    own = set(map(id, launch.flow))
    commands = launch.flow[-1].script.commands if launch.flow else ()
    return any(id(c) not in own and is_program(c.name) for c in commands)


def _is_whole(launch: Launch) -> bool:
    """Whether no option is unseen. Whoever runs an image adds variables, which change nothing."""
    box = launch.container
    in_image = box is not None and box.kind == "dockerfile"
    return launch.complete or (in_image and launch.shows_options)


def _is_used(launch: Launch, name: str) -> bool:
    """Whether anything else in the file uses the variable."""
    if launch.mentions is not None:
        return launch.mentions(name)
    return any(f"${name}" in w.raw or f"${{{name}" in w.raw for w in launch.argv)


def _is_moot(launch: Launch, name: str) -> bool:
    """Whether an option settles the same in another way."""
    if {"standalone", "rdzv_endpoint"} & launch.settings.keys() and name.startswith("MASTER_"):
        return True
    if name == "NODE_RANK":
        return "NNODES" in launch.env or launch.effective("rdzv_backend") != "static"
    return name == "MASTER_ADDR" and launch.is_single_node
