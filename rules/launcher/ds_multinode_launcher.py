"""accelerate starts DeepSpeed on several machines through pdsh, without a hostfile.

## What it flags

An accelerate job with DeepSpeed on more than one machine whose `deepspeed_multinode_launcher` is
not given (it is `pdsh` then) or `pdsh`, and that names no hostfile. `standard` is the launcher for
"run accelerate on every node".

## Why it fails

accelerate passes a hostfile called "None" to DeepSpeed, which warns and trains on this machine
alone. Each node trains its own model, and the job ends with exit code 0:

    Unable to find hostfile, will proceed with training with local resources only.

## Example

    compute_environment: LOCAL_MACHINE
    distributed_type: DEEPSPEED
    num_machines: 2
    machine_rank: 0
    num_processes: 16
    main_process_ip: 10.0.0.1
    main_process_port: 29500
    deepspeed_config:
      zero_stage: 2

Repair: the launcher that is started on every node.

    compute_environment: LOCAL_MACHINE
    distributed_type: DEEPSPEED
    num_machines: 2
    machine_rank: 0
    num_processes: 16
    main_process_ip: 10.0.0.1
    main_process_port: 29500
    deepspeed_config:
      zero_stage: 2
      deepspeed_multinode_launcher: standard
"""

from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import ERROR, Edit, Finding, Launch, Mapping, Rule, Span, edit, repair

RULE = Rule(
    code="RUN009",
    name="ds-multinode-launcher",
    severity=ERROR,
    summary="accelerate with DeepSpeed on several machines through pdsh without a hostfile",
    fix="unsafe",
    symptoms=(
        r"Unable to find hostfile, will proceed with training with local resources only",
        r"launcher '(?P<value>\w+)' not installed",
        r"no extra nodes available via hostfile",
    ),
    cause="DeepSpeed finds no hostfile and trains on each machine alone, exit code 0.",
    help="Set deepspeed_multinode_launcher: standard and start accelerate on every node.",
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """An accelerate launch over several machines with DeepSpeed."""
    kind = launch.get("distributed_type")
    if launch.launcher != "accelerate" or kind is None or (kind.text or "").upper() != "DEEPSPEED":
        return
    launcher = launch.get("launcher")
    if not launch.is_multinode or "hostfile" in launch.settings:
        return
    if launcher is not None and (launcher.text is None or launcher.text.lower() != "pdsh"):
        return
    if launch.document.kind == "accelerate" and not project.search_complete(launch.document):
        return
    place = launcher or launch.get("nnodes") or kind
    written = launcher.write("standard") if launcher is not None else _added(launch)
    message = (
        "pdsh without a hostfile"
        if launcher is not None
        else "no launcher given, so pdsh without a hostfile"
    )
    yield RULE.finding(
        place.document,
        Span(*place.span),
        f"{launch.machines()} machines with DeepSpeed, and {message}",
        fix=repair("use the standard launcher", written),
    )


def _added(launch: Launch) -> Edit | None:
    """The key in the config's deepspeed section, or the option on the command line."""
    documents = [d for d in launch.documents() if d.kind == "accelerate"]
    if documents:
        section = documents[0].root.get("deepspeed_config") if documents[0].root else None
        if isinstance(section, Mapping):
            return edit.insert_entry(
                documents[0], section, "deepspeed_multinode_launcher", "standard"
            )
        return None
    return launch.add("launcher", "standard")
