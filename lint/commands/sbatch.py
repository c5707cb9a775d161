"""What an sbatch script asks Slurm for: its directives, and the shape they give to the job."""

from __future__ import annotations

import re
from collections.abc import Mapping

from cfglint.model.document import Document
from cfglint.model.edit import Edit, Fixed, Place
from cfglint.model.launch import Setting
from cfglint.model.values import Literal, Value, as_int
from cfglint.record import replace
from cfglint.text import Span

_LINE = re.compile(r"^#SBATCH[ \t]+([^\r\n]*)", re.M)
_OPTION = re.compile(
    r"(?P<name>--[A-Za-z][\w-]*)(?:=|[ \t]+(?!-))?(?P<value>\"[^\"]*\"|'[^']*'|[^\s]*)?"
    r"|(?P<short>-[A-Za-z])[ \t]*(?P<short_value>\"[^\"]*\"|[^\s-][^\s]*)?"
)
_SHORT = {
    "-N": "--nodes", "-n": "--ntasks", "-c": "--cpus-per-task", "-G": "--gpus", "-a": "--array",
    "-J": "--job-name", "-p": "--partition", "-w": "--nodelist", "-o": "--output", "-e": "--error",
    "-t": "--time",
}  # fmt: skip
# What the model calls the directives that shape a job.
NAMES = {
    "--nodes": "nodes",
    "--ntasks": "tasks",
    "--ntasks-per-node": "tasks_per_node",
    "--gres": "gres",
    "--gpus-per-node": "gpus_per_node",
    "--gpus-per-task": "gpus_per_task",
    "--gpus": "gpus",
    "--array": "array",
}
# What Slurm tells a job of its own directives.
_SET_BY_SLURM = {
    "SLURM_NNODES": "nodes",
    "SLURM_JOB_NUM_NODES": "nodes",
    "SLURM_NTASKS": "tasks",
    "SLURM_NTASKS_PER_NODE": "tasks_per_node",
    "SLURM_GPUS_PER_NODE": "gpus_per_node",
}
_SHAPE = ("nodes", "tasks", "tasks_per_node", "gpus_per_task")
# Options without a value.
_ALONE = frozenset(
    ("--exclusive", "--requeue", "--no-requeue", "--overcommit", "--oversubscribe", "--hold",
     "--contiguous", "--spread-job", "--wait", "--parsable", "--verbose", "--quiet", "--test-only",
     "--use-min-nodes", "--get-user-env", "--ignore-pbs")
)  # fmt: skip


class DirectivePlace:
    """The value of an #SBATCH option."""

    def __init__(self, path: str, span: Span, line: Span) -> None:
        self.path = path
        self.span = span
        self.line = line

    def write(self, value: Value) -> Edit | None:
        if not isinstance(value, Literal) or not re.fullmatch(r"[\w:,./%=+-]+", value.text):
            return None
        return Edit(self.path, self.span, value.text)

    def remove(self) -> Edit | None:
        return Edit(self.path, self.line, "")


def directives(document: Document, start: int = 0, end: int | None = None) -> list[Setting]:
    """Every option of the #SBATCH lines, in the order of the file; `key` is the long option.

    `start` and `end` bound the text in which they are looked for. Those that Slurm ignores (below
    the first command) are there too.
    """
    text = document.source.text
    found = []
    for line in _LINE.finditer(text, start, len(text) if end is None else end):
        body_end = line.start(1) + len(re.split(r"\s#", line[1])[0])
        whole = Span(line.start(), document.source.line_end_after(line.start()))
        at = line.start(1)
        while at < body_end:
            match = _OPTION.match(text, at, body_end)
            if not match:
                at += 1
                continue
            at = match.end()
            name = match["name"] or _SHORT.get(match["short"], match["short"])
            group = "value" if match["name"] else "short_value"
            start, end = match.span(group)
            if start < 0 or name in _ALONE:
                start = end = match.end("name") if match["name"] else match.end("short")
                at = max(end, at if name not in _ALONE else end)
            value = text[start:end]
            if value[:1] in ("'", '"'):
                value, start, end = value[1:-1], start + 1, end - 1
            key_span = Span(
                match.start(), match.end("name") if match["name"] else match.end("short")
            )
            span = Span(start, end)
            place = DirectivePlace(document.path, span, whole)
            found.append(
                Setting(
                    NAMES.get(name, name.lstrip("-").replace("-", "_")),
                    Literal(value),
                    document,
                    span if end > start else key_span,
                    name,
                    key_span,
                    None,
                    "config",
                    place,
                )
            )
    return found


def body_start(text: str) -> int:
    """Where the first command stands: Slurm reads no directive behind it."""
    at = 0
    for line in text.splitlines(keepends=True):
        if line.strip() and not line.lstrip().startswith("#"):
            return at
        at += len(line)
    return at


def _gpus_per_node(allocation: dict[str, Setting]) -> Setting | None:
    """How many GPUs a node of the job gets, at the directive that says so; None under --exclusive,
    with which it gets all that the node has (`man sbatch`)."""
    if "exclusive" in allocation:
        return None
    for name, pattern in (
        ("gpus_per_node", r"(?:[\w.-]+:)?(\d+)"),
        ("gres", r"(?:.*,)?gpu:(?:[\w.-]+:)?(\d+)(?:\(.*\))?(?:,.*)?"),
        ("gpus", r"(?:[\w.-]+:)?(\d+)"),
    ):
        setting = allocation.get(name)
        match = re.fullmatch(pattern, setting.text or "") if setting is not None else None
        if setting is None or match is None:
            continue
        nodes = allocation.get("nodes")
        if name == "gpus" and (nodes is None or nodes.text != "1"):
            continue  # of the whole job
        fixed = Fixed("it asks for hardware")
        return replace(setting, name="gpus_per_node", value=Literal(match[1]), place=fixed)
    return None


def shape(allocation: dict[str, Setting]) -> dict[str, Setting]:
    """What of an allocation shapes the steps of its job: nodes, tasks, GPUs of a node."""
    kept = {n: s for n, s in allocation.items() if n in _SHAPE}
    gpus = _gpus_per_node(allocation)
    if gpus is not None:
        kept["gpus_per_node"] = gpus
    return kept


class _Shared:
    """A number of tasks over several nodes, seen from one node."""

    __slots__ = ("nodes", "whole")

    def __init__(self, whole: Place, nodes: int) -> None:
        self.whole = whole
        self.nodes = nodes

    def write(self, value: Value) -> Edit | None:
        count = as_int(value)
        return self.whole.write(Literal(str(count * self.nodes))) if count is not None else None

    def remove(self) -> Edit | None:
        return None


def on_each_node(step: Mapping[str, Setting], own: bool) -> Setting | None:
    """How many tasks a step starts on each node, None where that is not known.

    `--ntasks` comes before `--ntasks-per-node`, which is an upper bound beside it (`man srun`).
    `own`: the step itself says how many tasks it has.
    """
    tasks, nodes, said = step.get("tasks"), step.get("nodes"), step.get("tasks_per_node")
    total = tasks.number if tasks is not None else None
    if tasks is None or (total is None and not own):
        return said
    if total is None or total < 2:
        return None
    count = nodes.number if nodes is not None else None
    if not count:
        return said
    if total % count:
        return None
    value = Literal(str(total // count))
    return replace(tasks, name="tasks_per_node", value=value, place=_Shared(tasks.place, count))


def variables(allocation: dict[str, Setting]) -> dict[str, Setting]:
    """The variables that Slurm sets in a job of an allocation."""
    return {
        variable: replace(
            allocation[name], name=variable, origin="env", place=Fixed("Slurm sets it")
        )
        for variable, name in _SET_BY_SLURM.items()
        if name in allocation and allocation[name].number is not None
    }
