"""A config that the launcher is told to read is not there.

## What it flags

The file behind `accelerate launch --config_file`, `deepspeed --hostfile` or `llamafactory-cli
train`, looked for in the folder of the script and every folder above it up to the root. Silent for
absolute paths, paths with variables, paths whose folder is not there either (another project's
tree), commands on another host, and scripts that change the folder or make the file themselves. A
`train.py` of the tree's own, which says nothing of LLaMA-Factory, reads its file as it likes.
Inside a container it is looked for where a Dockerfile's `COPY`, a Compose file's bind mount or the
`-v` of `docker run` says that the path lies, and nowhere else. A missing DeepSpeed JSON is DS013's.

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

from collections.abc import Iterator

from cfglint.jobs.missing_configs import missing
from cfglint.project import Project
from cfglint.rule import ERROR, Finding, Launch, Rule

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
    for one in missing(launch, project, tuple(_CAUSE)):
        path, named = one.path, one.reference.path
        absent = f"{path} is not there, neither beside this file nor in a folder above"
        moved = f"{named} in the container is {path} here, which is not there"
        yield RULE.finding(
            launch.document,
            one.reference.span,
            absent if path == named else moved,
            cause=_CAUSE[one.reference.role],
            help=f"{one.similar} is there." if one.similar else "Name the file that is meant.",
        )
