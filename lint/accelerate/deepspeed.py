"""What an accelerate config, or its command, may not say beside the DeepSpeed file that it names.

Source: accelerate, utils/dataclasses.py: `DeepSpeedPlugin._deepspeed_config_checks`,
`set_mixed_precision`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from cfglint.accelerate.config import AccelerateConfig
from cfglint.model.document import Document
from cfglint.model.edit import Fix
from cfglint.model.launch import Launch, Setting
from cfglint.model.tree import Entry, Mapping, Scalar, find, to_data
from cfglint.patterns import lazy
from cfglint.record import dataclass
from cfglint.releases.objection import Objection
from cfglint.rule import Related, repair
from cfglint.syntax import editing as edit
from cfglint.text import Span

if TYPE_CHECKING:
    from cfglint.project import Project

IN_FILE = {  # where the DeepSpeed file says the same
    "gradient_accumulation_steps": ("gradient_accumulation_steps",),
    "gradient_clipping": ("gradient_clipping",),
    "zero_stage": ("zero_optimization", "stage"),
    "offload_optimizer_device": ("zero_optimization", "offload_optimizer", "device"),
    "offload_optimizer_nvme_path": ("zero_optimization", "offload_optimizer", "nvme_path"),
    "offload_param_device": ("zero_optimization", "offload_param", "device"),
    "offload_param_nvme_path": ("zero_optimization", "offload_param", "nvme_path"),
    "zero3_save_16bit_model": (
        "zero_optimization",
        "stage3_gather_16bit_weights_on_model_save",
    ),
}
# Keys that speak of ZeRO's partitioning: beside them no ZeRO is not what is meant.
ZERO = lazy(r"zero3?_|offload_")
# The section of a DeepSpeed file in which each --mixed_precision must not be outdone.
_AGAINST = {"fp16": "bf16", "bf16": "fp16", "fp8": "fp16"}


@dataclass(frozen=True, slots=True)
class OtherPrecision:
    """The --mixed_precision of a command (`said`), and the precision that the DeepSpeed file
    `document` enables instead, at `span`."""

    said: Setting
    precision: str
    document: Document
    span: Span


def other_precisions(launch: Launch) -> Iterator[OtherPrecision]:
    """The DeepSpeed files of a command that enable another precision than it asks for."""
    said = launch.command.given.get("mixed_precision") if launch.command else None
    other = _AGAINST.get((said.text or "") if said is not None else "")
    if said is None or other is None:
        return
    for reference in launch.configs:
        named = reference.document if reference.role == "deepspeed" else None
        on = find(named.root, other, "enabled") if named is not None and named.root else None
        if named is not None and isinstance(on, Scalar) and on.value is True:
            yield OtherPrecision(said, other, named, on.span)


def doubled(config: AccelerateConfig, project: Project) -> Iterator[Objection]:
    """The keys that only the DeepSpeed file may have."""
    section = config.mapping("deepspeed_config")
    if section is None or config.type != "DEEPSPEED":
        return
    named = config.value("deepspeed_config", "deepspeed_config_file")
    if named is None or named == "none":
        return
    file = config.deepspeed_file(project)
    linked = file[1] if file else None
    for key in config.release.table("beside_deepspeed_config_file"):
        mapping = config.root if key == "mixed_precision" else section
        entry = mapping.entry(key)
        if entry is None or (mapping is config.root and to_data(entry.value) is None):
            continue
        yield _beside(config, mapping, entry, key, linked)


def lacking_zero(config: AccelerateConfig, project: Project) -> Objection | None:
    """What accelerate objects to in a DeepSpeed file without `zero_optimization`; None where the
    file has it, or has it under a wrong name or at a wrong place, which its own rules say."""
    file = config.deepspeed_file(project)
    if file is None or file[1].problems:
        return None
    reference, linked = file
    root = linked.root
    if not isinstance(root, Mapping) or "zero_optimization" in root:
        return None
    from cfglint.deepspeed.config import configs_in
    from cfglint.deepspeed.required import is_said_there, mistaken_zero

    mistaken = next(filter(None, map(mistaken_zero, configs_in(linked, project))), None)
    if mistaken is not None and is_said_there(mistaken) and linked.given:
        return None
    section = config.mapping("deepspeed_config")
    told = [key for key in section.names() if ZERO.match(key)] if section is not None else []
    stage = str(config.value("deepspeed_config", "zero_stage", "" if told else 0)).strip()
    help, fix = "Add zero_optimization to it, with the stage that is meant.", None
    if mistaken is not None:
        help = f"Call its {mistaken.key} zero_optimization."
    elif stage in ("0", "1", "2", "3"):
        why = ", which zero_stage says," if told else ""
        help = f"Add zero_optimization to it, stage {stage} as zero_stage says."
        if not told:
            help = "Add zero_optimization to it; stage 0 is no ZeRO."
        content = {"stage": int(stage)}
        add = edit.insert_entry(linked, root, "zero_optimization", content)
        fix = repair(f"add stage {stage}{why} to {linked.path}", add, safe=True)
    return Objection(
        reference.span,
        f"{linked.path} has no zero_optimization section",
        cause='Every rank ends with "Please specify the ZeRO optimization config".',
        help=help,
        fix=fix,
        related=[Related(linked, root.span, "the DeepSpeed file")],
    )


def _beside(
    config: AccelerateConfig, mapping: Mapping, entry: Entry, key: str, linked: Document | None
) -> Objection:
    fix: Fix | None = None
    why, related = "", []
    node = find(linked.root, *IN_FILE[key]) if linked and linked.root and key in IN_FILE else None
    if node is not None and linked is not None:
        related = [Related(linked, node.span, "what the DeepSpeed file says")]
    if linked is None or linked.root is None:
        why = "the DeepSpeed file is not here to compare with"
    elif _agrees(key, to_data(entry.value), linked):
        drop = edit.remove_entry(config.document, mapping, entry)
        fix = repair(f"remove {key}, which {linked.path} says anyway", drop, safe=True)
    else:
        why = f"{linked.path} says something else"
    return Objection(
        entry.key.span,
        f"{key} may not stand beside deepspeed_config_file",
        fix=fix,
        no_fix=why,
        related=related,
    )


def _agrees(key: str, value: Any, linked: Document) -> bool:
    if key == "mixed_precision":
        on = [t for t in ("fp16", "bf16") if _enabled(linked, t)]
        open_ = [t for t in ("fp16", "bf16") if _enabled(linked, t) is None]
        return not open_ and on == ([] if value == "no" else [value])
    node = find(linked.root, *IN_FILE[key])
    theirs = to_data(node) if node is not None else None
    if key.endswith("_device") and theirs is None:
        return value in ("none", None)
    return node is not None and str(theirs).lower() == str(value).lower()


def _enabled(linked: Document, precision: str) -> bool | None:
    """Whether a DeepSpeed file turns a precision on, None for "auto"."""
    node = find(linked.root, precision, "enabled")
    value = to_data(node) if node is not None else False
    return value if isinstance(value, bool) else None
