"""A config that the launcher is told to read is not there.

## What it flags

The file behind `accelerate launch --config_file`, `deepspeed --hostfile` or `llamafactory-cli
train`, looked for in the folder of the script and every folder above it up to the root. Silent for
absolute paths, paths with variables, paths whose folder is not there either (another project's
tree), commands on another host, and scripts that change the folder or make the file themselves.
Inside a container it is looked for where a Dockerfile's `COPY` or a Compose file's bind mount says
that the path lies, and nowhere else. A missing DeepSpeed JSON is DS013's.

## Why it fails

    ValueError: The passed configuration file `acc.yaml` does not exist.
    FileNotFoundError: [Errno 2] No such file or directory: 'full.yaml'

deepspeed only warns and trains on this machine alone:

    Unable to find hostfile, will proceed with training with local resources only.

## Example

    === run.sh
    accelerate launch --config_file conf/acc_2gpu.yaml train.py
    === conf/acc-2gpu.yaml
    compute_environment: LOCAL_MACHINE
    distributed_type: MULTI_GPU
    num_machines: 1
    num_processes: 2

Repair: the file's name.

    === run.sh
    accelerate launch --config_file conf/acc-2gpu.yaml train.py
"""

import os
from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import ERROR, Finding, Launch, Rule, near

RULE = Rule(
    code="RUN010",
    name="config-missing",
    severity=ERROR,
    summary="a config that the launcher is told to read is not there",
    symptoms=(
        r"The passed configuration file [`'\"](?P<path>[^`'\"]+)[`'\"] does not exist",
        r"No such file or directory: '(?P<path>[^']+\.ya?ml)'",
        r"Unable to find hostfile, will proceed with training with local resources only",
    ),
    yields_to=("DS013",),
)
_CAUSE = {
    "accelerate": "accelerate stops: the passed configuration file does not exist.",
    "llamafactory": "LLaMA-Factory stops: no such file or directory.",
    "hostfile": "deepspeed warns, and trains on this machine alone.",
}


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """Each file that the launcher reads."""
    if launch.document.kind not in ("script", "slurm", "makefile", "justfile", *_IMAGES):
        return
    if launch.document.kind not in _IMAGES and launch.container is not None:
        return
    if set(launch.wrappers) & _ELSEWHERE:
        return
    for reference in launch.configs:
        if launch.document.kind in _IMAGES and not (reference.place and _is_whole(launch)):
            continue
        path = reference.place or reference.path
        cause = _CAUSE.get(reference.role)
        if cause is None or reference.document is not None or reference.movable:
            continue
        if project.exists(launch.document, path) is not False:
            continue
        similar = _similar(launch, path)
        mounted = launch.document.kind == "dockerfile"  # perhaps, over what is copied
        if not similar and (mounted or not _is_expected(launch, path, project)):
            continue
        missing = f"{path} is not there, neither beside this file nor in a folder above"
        moved = f"{reference.path} in the container is {path} here, which is not there"
        yield RULE.finding(
            launch.document,
            reference.span,
            missing if path == reference.path else moved,
            cause=cause,
            help=f"{similar} is there." if similar else "Name the file that is meant.",
        )


_IMAGES = ("compose", "dockerfile")
_ELSEWHERE = {"docker run", "docker exec", "ssh", "pdsh", "apptainer"}


def _is_whole(launch: Launch) -> bool:
    """Whether no other file may mount something into the container."""
    box = launch.container
    return box is None or box.complete or box.kind == "dockerfile"


def _is_expected(launch: Launch, path: str, project: Project) -> bool:
    """Whether something shows that the job starts in this tree, so that the file should be in it:
    the file's folder, another file that the command names, or files of its kind beside the script."""
    folder = os.path.dirname(os.path.normpath(path))
    if folder:
        return bool(project.exists(launch.document, folder))
    named = [x.path for x in launch.configs if path not in (x.path, x.place)]
    if launch.program is not None and launch.program.kind == "script":
        named.append(launch.program.text)
    if any(project.exists(launch.document, one) for one in named):
        return True
    here = launch.document.file.parent
    beside = {x.kind for x in project.documents if x.file.parent == here}
    return bool(beside & {x.role for x in launch.configs if path in (x.path, x.place)})


def _similar(launch: Launch, path: str) -> str | None:
    """A file of the same folder with nearly the same name."""
    folder, name = os.path.split(path)
    base = os.path.join(os.path.dirname(os.path.abspath(launch.document.file)), folder)
    try:
        names = os.listdir(base)
    except OSError:
        return None
    found = near(name, names)
    return os.path.join(folder, found) if found else None
