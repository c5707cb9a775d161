"""What an accelerate config may not say beside the DeepSpeed file that it names.

Source: accelerate, utils/dataclasses.py: `DeepSpeedPlugin._deepspeed_config_checks`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from cfglint import editing as edit
from cfglint.accelerate_config import AccelerateConfig
from cfglint.document import Document
from cfglint.edit import Fix
from cfglint.objection import Objection
from cfglint.rule import Related, repair
from cfglint.tree import Entry, Mapping, find, to_data

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
        fix = repair(f"Remove {key}, which {linked.path} says anyway", drop, safe=True)
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
