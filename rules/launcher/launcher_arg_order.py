"""Options of the launcher behind the script, where the script gets them.

## What it flags

An option of `torchrun`, `accelerate launch` or `deepspeed` that stands behind the program's name.
It is flagged where the program lies in the tree and no Python file there names the option. Options
that only a launcher has (`--nproc_per_node`, `--rdzv_endpoint`, `--main_process_port` ...), and any
others beside them, are flagged also where the program is not seen. Options that are given in front of the program too are left
alone.

## Why it fails

Everything behind the program's name belongs to the program. The launcher runs with its defaults,
one process for instance, and the script stops:

    train.py: error: unrecognized arguments: --nproc_per_node=8

or ignores what it does not know and trains on a size that nobody chose.

## Example

    torchrun train.py --nproc_per_node=8 --lr 1e-4

Repair: launcher options first.

    torchrun --nproc_per_node=8 train.py --lr 1e-4
"""

from collections.abc import Iterator

from cfglint import entrypoints
from cfglint.project import Project
from cfglint.rule import ERROR, Edit, Finding, Fix, Launch, Rule, Span, Word, repair

RULE = Rule(
    code="RUN002",
    name="launcher-arg-order",
    severity=ERROR,
    summary="launcher options behind the script, which gets them",
    fix="safe",
    symptoms=(
        r"error: unrecognized arguments: .*--?(?:nproc|nnodes|num_proc|main_proc|config_file)",
    ),
    cause="The program gets the option; the launcher runs with its default.",
    help="Put launcher options in front of the program.",
)
# Options that no training program has of its own.
_SURE = {
    "torchrun": frozenset({
        "nnodes", "nproc_per_node", "rdzv_backend", "rdzv_endpoint", "rdzv_id", "rdzv_conf",
        "standalone",
    }),
    "accelerate": frozenset({
        "num_machines", "machine_rank", "main_process_ip", "main_process_port", "num_processes",
        "multi_gpu", "use_fsdp", "deepspeed_multinode_launcher",
    }),
    "deepspeed": frozenset({"num_nodes"}),
}  # fmt: skip
_LIKELY = {
    "torchrun": frozenset({"node_rank", "master_addr", "master_port", "max_restarts"}),
    "accelerate": frozenset({"config_file", "use_deepspeed", "gpu_ids"}),
    "deepspeed": frozenset({
        "num_gpus", "hostfile", "include", "exclude", "master_addr", "master_port", "ssh_port",
    }),
}  # fmt: skip


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """Each launcher option among the program's arguments."""
    command, program = launch.command, launch.program
    if command is None or program is None or program.kind not in ("script", "module", "command"):
        return
    if launch.launcher == "accelerate" and program.text.lower() in ("true", "false", "yes", "no"):
        return  # acc-flag-takes-no-value's fault
    sure = _SURE.get(launch.launcher, frozenset())
    likely = _LIKELY.get(launch.launcher, frozenset())
    if not command.follows(sure | likely):
        return
    spelt = [(word.text or word.raw).split("=")[0] for word in program.args]
    # who writes one option of the launcher there means the others for it too
    seen = project.exists(launch.document, _file(launch)) is True or any(
        command.spellings.get(one) in sure for one in spelt
    )
    found: list[tuple[str, Word, Word | None]] = []
    for at, word in enumerate(program.args):
        spelling = spelt[at]
        option = command.spellings.get(spelling)
        if option is None or option in command.given or option not in sure | likely:
            continue
        if not (seen or option in sure) or entrypoints.python_names(project, option):
            continue
        if any(a.text == "--" for a in program.args[:at]):
            continue
        takes = option in command.valued
        value = (
            program.args[at + 1]
            if takes and "=" not in word.raw and at + 1 < len(program.args)
            else None
        )
        found.append((spelling, word, value))
    for spelling, word, value in found:
        yield RULE.finding(
            launch.document,
            Span(word.span.start, (value or word).span.end),
            f"{spelling} stands behind {program.text}, so {launch.launcher} does not see it",
            fix=_fix(launch, found),
        )


def _file(launch: Launch) -> str:
    program = launch.program
    if program is None:
        return ""
    if program.kind == "command" and program.args and program.text.startswith("python"):
        return program.args[0].text or ""  # launch-python's fault
    if program.kind == "module":
        return program.text.replace(".", "/") + ".py"
    return program.text


def _fix(launch: Launch, found: list[tuple[str, Word, Word | None]]) -> Fix | None:
    """All of them in front of the program: one without the others would be another job."""
    edits: list[Edit | None] = []
    words = []
    for _, word, value in found:
        for one in (word, value):
            if one is not None:
                edits.append(one.place.remove())
                words.append(one.raw)
    assert launch.command is not None
    edits.append(launch.command.insert(*words))
    title = "move it in front of the program" if len(found) == 1 else "move them to the front"
    return repair(title, *edits, safe=True)
