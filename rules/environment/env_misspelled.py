"""An environment variable that nothing reads: misspelt, invented or long removed.

## What it flags

A variable of NCCL, torch, Gloo, CUDA or a launcher whose name no release knows and that is close to
a real one, or has its words in another order (`CUDA_DEVICES_VISIBLE`), or not all of them; names
that go round although nothing ever read them (`NCCL_TIMEOUT`, `NCCL_PORT`); and names that the
library no longer reads. Names that the file itself uses elsewhere (`$MASTER_PORTS`) and vendors'
own variables are left alone. Also a setting that is taken from a name which Slurm would set with
other underscores (`--node_rank=$SLURM_NODE_ID`).

## Why it fails

No library complains about a variable that it does not know. The setting simply has no effect: NCCL
keeps choosing its own interface, InfiniBand stays on, the timeout stays what it was. What Slurm does
not set is empty: `argument --node-rank: invalid int value: ''`.

## Example

    services:
      trainer:
        image: registry.local/train:1
        ipc: host
        environment:
          NCCL_SOCKETIF_NAME: eth0
        command: torchrun --standalone --nproc_per_node=8 train.py

Repair: the real name.

    services:
      trainer:
        image: registry.local/train:1
        ipc: host
        environment:
          NCCL_SOCKET_IFNAME: eth0
        command: torchrun --standalone --nproc_per_node=8 train.py

## When to ignore it

When a plugin or program of your own reads the variable.

## References

- NCCL, environment variables. PyTorch, `torch.distributed` environment variables. Slurm, srun(1),
  output environment variables.
"""

from collections.abc import Iterator

from cfglint.environment import variables as environment
from cfglint.environment.slurm_names import misread
from cfglint.project import Project
from cfglint.rule import WARNING, Finding, Launch, Rule, Setting, repair

RULE = Rule(
    code="ENV001",
    name="env-misspelled",
    severity=WARNING,
    summary="an environment variable that nothing reads",
    fix="safe",
    cause="No library complains about a variable it does not know: the setting has no effect.",
    help="Use the real name, or remove the line.",
)
_LIBRARIES = (
    "NCCL_", "TORCH_NCCL_", "GLOO_", "PET_", "TORCHELASTIC_", "TP_SOCKET", "CUDA_VISIBLE",
)  # fmt: skip
# Beginnings of what people misspell; anything else is a variable of their own.
_LIKELY = (
    "NC", "NL", "TORCH_", "GLO", "PET_", "CUDA_V", "CUDA_DEV", "VISIBLE_", "MASTER", "NPROC",
    "NNODE", "NODE_R",
)  # fmt: skip
# Programs of their own, which read no name that somebody else thought of.
_FIXED = ("llamafactory", "swift")
# What images and build scripts set about the library itself, for other programs.
_ABOUT = ("VERSION", "HOME", "ROOT", "DIR", "PATH", "LIB", "INCLUDE", "REPO", "BRANCH", "TAG")


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    for name, setting in launch.variables(_is_suspect):
        found = _finding(launch, setting, name) if setting.key == name else None
        if found is not None:
            yield found
    for one in misread(launch):
        yield RULE.at(
            one.setting,
            f"Slurm sets no {one.name}; did you mean {one.real}?",
            cause="A variable that nothing sets is empty.",
            help=f"Read {one.real}.",
            fix=repair(f"read {one.real}", one.put_right(), safe=True),
        )


def _is_suspect(name: str) -> bool:
    return name.startswith(_LIKELY) and not name.endswith(_ABOUT)


def _finding(launch: Launch, setting: Setting, name: str) -> Finding | None:
    known = environment.variable(name)
    if known is not None:
        if not known.removed:
            return None
        reader = known.read_by.upper() if known.read_by == "nccl" else known.read_by
        message = f"{reader} reads {name} no longer, since {known.removed}"
        return RULE.finding(setting.document, setting.key_span or setting.span, message)
    if environment.is_invented(name):
        real = environment.meant(name)
        message = f"no release of NCCL reads {name}"
        message += f"; {real} is meant" if real else ""
    else:
        real = environment.likely(name)
        if real is None and launch.launcher in _FIXED and environment.is_like_master_address(name):
            real = "MASTER_ADDR"
        if real is None or real == name or _is_own(launch, name, real):
            return None
        message = f"nothing reads {name}; did you mean {real}?"
    fix = setting.rename(real) if real and real not in launch.env else None
    return RULE.finding(
        setting.document,
        setting.key_span or setting.span,
        message,
        fix=repair(f"call it {real}", fix, safe=True),
    )


def _is_own(launch: Launch, name: str, real: str) -> bool:
    """Whether the name may well be a variable of the file's own."""
    if launch.mentions is not None and launch.mentions(name):
        return True
    plain = name.replace("_", "")
    same = plain == real.replace("_", "") or sorted(plain) == sorted(real.replace("_", ""))
    return not (
        name.startswith(_LIBRARIES) or real.startswith(_LIBRARIES) or len(name) > 12 or same
    )
