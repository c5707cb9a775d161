"""Variables that a job takes from Slurm under names which Slurm does not set.

Source: Slurm, doc/man/man1/srun.1 and sbatch.1 (output environment variables) and every name that
src/ spells out: none of them differs from one of these by underscores alone, but for those here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from cfglint.model.edit import Edit
from cfglint.model.launch import Launch, Setting
from cfglint.model.values import Alternatives, Literal, Value, Variable
from cfglint.record import dataclass
from cfglint.text import Span

_SET = frozenset(
    """
    SLURM_ARRAY_JOB_ID SLURM_ARRAY_TASK_ID SLURM_GPUS_ON_NODE SLURM_GPUS_PER_NODE SLURM_JOB_ID
    SLURM_JOBID SLURM_JOB_NODELIST SLURM_JOB_NUM_NODES SLURM_LAUNCH_NODE_IPADDR SLURM_LOCALID
    SLURM_NNODES SLURM_NODEID SLURM_NODELIST SLURM_NPROCS SLURM_NTASKS SLURM_NTASKS_PER_NODE
    SLURM_PROCID SLURM_STEP_NODELIST SLURM_STEP_NUM_NODES SLURM_STEP_NUM_TASKS
    """.split()  # noqa: SIM905 (a table)
)
_NAME = re.compile(r"\bSLURM_[A-Z0-9_]+")
# What a plain program's process is told of the job.
_IN_ENV = ("RANK", "WORLD_SIZE", "LOCAL_RANK")


@dataclass(frozen=True, slots=True)
class Misread:
    """A setting that is taken from `name`, which nothing sets; Slurm sets `real`."""

    setting: Setting
    name: str
    real: str

    def put_right(self) -> Edit | None:
        """The edit that reads the real one, None where the name stands elsewhere."""
        span, document = self.setting.span, self.setting.document
        at = document.source.slice(span).find(self.name)
        place = Span(span.start + at, span.start + at + len(self.name))
        return Edit(document.path, place, self.real) if at >= 0 else None


def misread(launch: Launch) -> Iterator[Misread]:
    """The settings of a launch that are taken from a name which Slurm does not set, nor its script.

    Nothing where the script sources a file that is not seen: that may set it.
    """
    settings = [*launch.settings.values(), *filter(None, map(launch.env.get, _IN_ENV))]
    seen: set[tuple[str, int]] = set()
    for setting in settings:
        for name in _names(setting.value):
            real = _meant(name)
            at = (setting.document.path, setting.span.start)
            if real is None or at in seen or _may_be_set(launch, name):
                continue
            seen.add(at)
            yield Misread(setting, name, real)


def _names(value: Value) -> Iterator[str]:
    if isinstance(value, Variable):
        yield value.name
    elif isinstance(value, Alternatives):
        for option in value.options:
            yield from _names(option)
    elif not isinstance(value, Literal) and "SLURM_" in value.text:
        yield from _NAME.findall(value.text)


@cache
def _meant(name: str) -> str | None:
    if not name.startswith("SLURM_") or name in _SET:
        return None
    plain = name.replace("_", "")
    found = sorted((one for one in _SET if one.replace("_", "") == plain), key=len)
    return found[-1] if found else None


def _may_be_set(launch: Launch, name: str) -> bool:
    if name in launch.env or launch.assigns(name):
        return True
    return any(command.script.gap is not None for command in launch.flow)
