"""An environment variable that has another name now.

## What it flags

`NCCL_ASYNC_ERROR_HANDLING`, `NCCL_BLOCKING_WAIT` and others of torch that are called
`TORCH_NCCL_...` since torch 2.2, and NCCL's own renamed ones (`NCCL_MAX_NRINGS`). Where the files
show an older torch, which knows only the old name, nothing is said.

## Why it fails

The old name still works, with a warning on every rank, until a release drops it:

    Environment variable NCCL_BLOCKING_WAIT is deprecated; use TORCH_NCCL_BLOCKING_WAIT instead

## Example

    FROM nvcr.io/nvidia/pytorch:24.10-py3
    ENV NCCL_ASYNC_ERROR_HANDLING=1

Repair: the new name.

    FROM nvcr.io/nvidia/pytorch:24.10-py3
    ENV TORCH_NCCL_ASYNC_ERROR_HANDLING=1

## When to ignore it

When the same file serves a torch older than 2.2.

## References

- PyTorch, ProcessGroupNCCL environment variables. NCCL, environment variables.
"""

from collections.abc import Iterator

from cfglint.environment import variables as environment
from cfglint.project import Project
from cfglint.rule import INFO, Finding, Launch, Rule, repair

RULE = Rule(
    code="ENV002",
    name="env-deprecated",
    severity=INFO,
    summary="an environment variable that has another name now",
    fix="safe",
    symptoms=(r"Environment variable (?P<key>NCCL_\w+) is deprecated; use",),
    cause="The old name still works, with a warning on every rank, until a release drops it.",
    help="Use the new name.",
)
# Read beside the new one, and RCCL weighs it by the number of GPUs.
_BOTH_READ = ("NCCL_MIN_NCHANNELS", "NCCL_MAX_NCHANNELS")
# The new variable means the opposite, or takes other words.
_OTHER_VALUES = ("NCCL_CHECKS_DISABLE", "NCCL_CHECK_POINTERS", "NCCL_THREAD_THRESHOLD")


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    for name, setting in launch.variables(_is_renamed):
        known = environment.variable(name)
        if known is None or setting.key != name:
            continue
        torch = project.versions(setting.document, "torch")
        if known.read_by == "torch" and torch.before(known.renamed):
            continue
        new = _newest(known)
        edit = None if name in _OTHER_VALUES or new in launch.env else setting.rename(new)
        yield RULE.finding(
            setting.document,
            setting.key_span or setting.span,
            f"{name} is called {new} since {known.read_by} {known.renamed}",
            fix=repair(f"call it {new}", edit, safe=name not in _BOTH_READ),
        )


def _is_renamed(name: str) -> bool:
    known = environment.variable(name) if name.startswith(("NCCL_", "TORCH_")) else None
    return known is not None and bool(known.renamed) and not known.removed


def _newest(known: environment.Variable) -> str:
    """The name at the end of a row of renamings."""
    new = environment.variable(known.replaced_by)
    while new is not None and new.renamed and new.replaced_by:
        known, new = new, environment.variable(new.replaced_by)
    return known.replaced_by
