"""Variables that Slurm sets for a job only where an option asks for them.

Sources: sbatch(1) and srun(1), output environment variables ("Only set if the --ntasks-per-node
option is specified"); Slurm, src/sbatch (the options that count GPUs are handed on as they are
written, `a100:4` with the type). Options on sbatch's command line come before those of the script.
"""

from __future__ import annotations

from collections.abc import Iterator

from cfglint.files.mentions import SEARCH_FILES, files, is_named
from cfglint.model.launch import Launch, Setting
from cfglint.model.values import Computed, Unknown, Variable
from cfglint.patterns import lazy
from cfglint.project import Project
from cfglint.record import dataclass

# The options that make Slurm set it; the model calls the first one so.
_SET_BY = {
    "SLURM_NTASKS_PER_NODE": ("--ntasks-per-node", "--tasks-per-node"),
    "SLURM_GPUS_PER_NODE": ("--gpus-per-node",),
    "SLURM_GPUS_PER_TASK": ("--gpus-per-task",),
}
_COUNTS = ("nproc_per_node", "num_processes", "nnodes")
_NAME = lazy(r"(?<![\w{])(?:\$\{?)?(SLURM_(?:NTASKS|GPUS)_PER_(?:NODE|TASK))(?![\w:-])")


@dataclass(frozen=True, slots=True)
class Unset:
    """A number of a launch that is taken from a variable which is not set, or holds `text`, which
    is no number. `option` would set it. `instead` holds the number of the node's GPUs."""

    setting: Setting
    name: str
    option: str
    text: str
    instead: Variable | None


def unset(launch: Launch, project: Project) -> Iterator[Unset]:
    """Such numbers of a launch in a batch script whose lines say all that is said of the job."""
    document = launch.document
    batch = document.batches.get(0)
    if batch is None or document.kind != "slurm":
        return
    for name in _COUNTS:
        setting = launch.get(name)
        variable = _variable(setting) if setting is not None else ""
        if setting is None or not variable or launch.assigns(variable):
            continue
        options = _SET_BY[variable]
        given = [d.text or "" for d in batch.directives if d.key in options]
        text = given[-1] if given else ""
        if text and (":" not in text or "$" in text):
            continue
        if not text and _may_be_given(project, launch, options):
            continue
        alone = isinstance(setting.value, Variable) and variable == "SLURM_GPUS_PER_NODE"
        instead = Variable("SLURM_GPUS_ON_NODE") if alone and name == "nproc_per_node" else None
        yield Unset(setting, variable, options[0], text, instead)


def _variable(setting: Setting) -> str:
    """The variable without a default that a value is, or is computed from."""
    value = setting.value
    if isinstance(value, Variable):
        return value.name if value.name in _SET_BY and value.default is None else ""
    if isinstance(value, (Computed, Unknown)) and "SLURM_" in value.text:
        found = _NAME.search(value.text)
        return found[1] if found and found[1] in _SET_BY else ""
    return ""


def _may_be_given(project: Project, launch: Launch, options: tuple[str, ...]) -> bool:
    """Whether an option may come from elsewhere: the script names it, or others the script."""
    document = launch.document
    if any(option in document.source.text for option in options):
        return True
    return len(files(project)) > SEARCH_FILES or is_named(project, document)
