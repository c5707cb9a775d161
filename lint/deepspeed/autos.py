"""The "auto" values of a DeepSpeed config, and who fills them in.

Sources: accelerate, utils/dataclasses.py: `DeepSpeedPlugin.fill_match`; transformers,
integrations/deepspeed.py: `trainer_config_process`, `trainer_config_finalize`.
"""

from __future__ import annotations

from collections.abc import Iterator

from cfglint.deepspeed.config import ABSENT, DeepSpeedConfig
from cfglint.deepspeed.use import Use
from cfglint.model.edit import Fix
from cfglint.model.tree import Entry, target
from cfglint.releases.objection import Objection
from cfglint.rule import ERROR, WARNING, Related, repair
from cfglint.syntax import editing as edit

# DeepSpeed's own meaning of the word.
OWN = (
    "zero_optimization.zenflow", "expert_parallel", "pipeline.stages",
    "data_types.keep_in_fp32_modules", "steps_per_print",
)  # fmt: skip
# Where DeepSpeed only looks at the value much later, or never.
UNUSED = ("activation_checkpointing.", "aio.", "autotuning.", "flops_profiler.", "data_efficiency.")


def objections(config: DeepSpeedConfig) -> Iterator[Objection]:
    """What the reader of a config objects to in its "auto" values."""
    if not config.autos:
        return
    plain = config.plain_use if config.hf_use is None else None
    if plain is not None:
        yield from _unread(config, plain)
    elif not config.is_the_programs:
        yield from _unfilled(config)


def _unread(config: DeepSpeedConfig, use: Use) -> Iterator[Objection]:
    """What DeepSpeed makes of every "auto": one finding for the file, at the gravest."""
    autos = [(path, entry) for path, entry in config.autos if not path.startswith(OWN)]
    fatal = [(path, entry) for path, entry in autos if _is_fatal(config, path)]
    for path, entry in (fatal or autos)[:1]:
        others = [p for p, _ in autos if p != path]
        more = f" ({len(others)} more in this file)" if others else ""
        yield Objection(
            target(entry.value).span,
            f'DeepSpeed itself reads this file ({use.where}), and knows no "auto"{more}',
            severity=ERROR if fatal else WARNING,
            cause="DeepSpeed calculates with the word and stops with a TypeError or ValueError."
            if fatal
            else f"DeepSpeed drops the word and takes its default for {path}, without a message.",
            help="Write the value, or let accelerate or the Hugging Face trainer read the file.",
            related=[Related(use.document, use.span, "read here")],
        )


def _is_fatal(config: DeepSpeedConfig, path: str) -> bool:
    """Whether DeepSpeed itself stops at an "auto" there."""
    parent, _, key = path.rpartition(".")
    section = config.section(parent)
    if section is not None and section.auto:
        return False
    if path.startswith(("optimizer.params.", "scheduler.params.")):
        return True
    spec = section.keys.get(key) if section else None
    return spec is not None and not path.startswith(UNUSED) and "any" not in spec.types


def _unfilled(config: DeepSpeedConfig) -> Iterator[Objection]:
    """Every "auto" that accelerate and the trainer do not fill."""
    use = config.hf_use
    fatal = any(_is_fatal(config, path) for path, _ in config.autos)
    passed_on = use is not None and use.kind == "trainer" and _is_passed_on(config)
    unread = [f"{fault.path}." for fault in config.unknown() if config.home(fault) is None]
    for path, entry in config.autos:
        if path in config.trainer_keys or path == "steps_per_print":
            continue
        if f"{path}.".startswith(tuple(unread)):
            continue  # ds-unknown-key speaks of it
        if use is None and path.startswith(OWN):
            continue
        if use is None and not config.is_hf_style and not _is_fatal(config, path):
            continue
        if passed_on and not _is_refused(config, path):
            continue
        reader = f" ({use.where} lets {use.reader} read this file)" if use else ""
        help_ = "Take the key out: its default is used then."
        if _is_old_name(config, path):
            help_ = "Call the section bf16: that one is filled in."
        yield Objection(
            target(entry.value).span,
            f'neither accelerate nor the trainer fills "auto" in {path}{reader}',
            severity=ERROR if use is not None or fatal else WARNING,
            cause="The trainer leaves the word in, and DeepSpeed does not take it."
            if passed_on
            else f"ValueError: '{path}' not found in kwargs. Please specify '{path}' without"
            " 'auto' ...",
            help=help_,
            fix=_fix(config, path, entry),
            related=[Related(use.document, use.span, "read here")] if use else [],
        )


def _is_passed_on(config: DeepSpeedConfig) -> bool:
    """Whether the trainer is older than its use of accelerate, which refuses what is left."""
    version = config.project.versions(config.document, "transformers")
    return version.pinned and version.before("4.30.0")


def _is_refused(config: DeepSpeedConfig, path: str) -> bool:
    """Whether DeepSpeed checks the type of a key, and so stops at the word there."""
    section = config.section(path.rpartition(".")[0])
    return section is not None and section.refuses and _is_fatal(config, path)


def _is_old_name(config: DeepSpeedConfig, path: str) -> bool:
    """Whether it is in a section whose new name is filled in, and free."""
    return path == "bfloat16.enabled" and config.value("bf16") is ABSENT


def _fix(config: DeepSpeedConfig, path: str, entry: Entry) -> Fix | None:
    section = config.entry("bfloat16") if _is_old_name(config, path) else None
    if section is not None:
        renaming = edit.rename_key(config.document, section, "bf16")
        return repair("call it bf16", renaming, safe=True)
    mapping = config.mapping(path.rpartition(".")[0])
    if mapping is None:
        return None
    removal = edit.remove_entry(config.document, mapping, entry)
    return repair(f"take {entry.name} out", removal, safe=True)
