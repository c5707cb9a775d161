"""What accelerate objects to in a config: values, unknown keys, keys that are missing.

Sources: accelerate, commands/config/config_args.py: `from_yaml_file`; utils/launch.py; the plugins
in utils/dataclasses.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from cfglint.accelerate.config import AccelerateConfig
from cfglint.accelerate.values import exception_of
from cfglint.model.edit import Fix
from cfglint.model.tree import Mapping, target
from cfglint.record import replace
from cfglint.releases.objection import Objection
from cfglint.releases.validate import Fault, described, spelled
from cfglint.rule import ERROR, WARNING, near, repair
from cfglint.syntax import editing as edit

if TYPE_CHECKING:
    from cfglint.project import Project

SAME = {  # other names of the same thing
    "fp32": "no",
    "float32": "no",
    "none": "no",
    "float16": "fp16",
    "half": "fp16",
    "bfloat16": "bf16",
    "TPU": "XLA",
}
# What torchrun and others call these.
MEANT = {
    "master_addr": "main_process_ip",
    "master_address": "main_process_ip",
    "master_port": "main_process_port",
    "node_rank": "machine_rank",
    "nnodes": "num_machines",
    "num_nodes": "num_machines",
    "nproc": "num_processes",
    "num_gpus": "num_processes",
    "world_size": "num_processes",
}
LEFT_OPEN = ("num_machines", "num_processes", "machine_rank")


def wrong_values(config: AccelerateConfig, project: Project) -> Iterator[Objection]:
    """The wrong values that matter to this launch."""
    given = config.options(project)
    for fault, refused in config.wrong_values():
        if fault.section.name in ("", "@sagemaker") and fault.key in given:
            continue
        objection = _wrong(config, fault, refused)
        is_open = fault.value is None or (fault.value == 0 and fault.value is not False)
        if is_open and fault.key in LEFT_OPEN and not project.users(config.document):
            # A form for a command that gives the number: then null, or 0, does no harm.
            cause = f"{objection.cause} Unless the command line gives it."
            objection = replace(objection, severity=WARNING, cause=cause)
        yield objection
    yield from _spaced_classes(config)


def unknown_keys(config: AccelerateConfig) -> Iterator[Objection]:
    """The keys that no release knows: refused at the top, ignored in a section."""
    for fault in config.faults:
        if fault.kind != "unknown" or fault.entry is None or config.life(fault):
            continue
        if fault.refused:
            yield _refused(config, fault)
        elif fault.near and config.is_ignored(fault):
            yield _ignored(config, fault)


def missing_keys(config: AccelerateConfig, project: Project) -> Iterator[Objection]:
    """The keys without which accelerate does not start, each said at the key that needs it."""
    if not config.root.entries:
        return
    for fault in config.faults:
        is_needed = fault.kind == "required" and fault.refused and fault.key != "num_processes"
        if is_needed and not _is_misspelt(config, fault.key):
            yield Objection(
                config.root.entries[0].key.span,
                f"{fault.key} is missing",
                f'The launch ends with "A `{fault.key}` must be specified" or the like.',
            )
    if not config.is_sagemaker and config.type:
        yield from _processes(config, project)
        yield from _port(config, project)


# -- values ----------------------------------------------------------------------------------------


def _wrong(config: AccelerateConfig, fault: Fault, refused: bool) -> Objection:
    value, wanted = spelled(fault.value), fault.accepted
    if fault.kind in ("type", "length") and not isinstance(fault.value, (str, type(None))):
        said = f"{fault.path} is {described(fault.value)}"
        said += f" ({value})" if not isinstance(fault.value, (list, dict)) else ""
    else:
        said = (
            f"{fault.path} is {value!r}"
            if isinstance(fault.value, str)
            else f"{fault.path} is null"
        )
        said = said if isinstance(fault.value, (str, type(None))) else f"{fault.path} is {value}"
    if refused:
        text = exception_of(fault)
        ending = f'"{text}"' if text else "an exception where the value is used"
        cause = f"The launch ends with {ending} ({config.version})."
    elif fault.key == "debug":
        cause = "Any text turns debug mode on, 'no' included."
    else:
        cause = f"accelerate itself passes it on; what it sets up then fails ({config.version})."
    fix = _right(config, fault)
    span = fault.node.span if fault.node.end > fault.node.start or fault.entry is None else None
    return Objection(
        span or fault.entry.key.span,  # type: ignore[union-attr]
        f"{said}, not {wanted}" if wanted else said,
        severity=ERROR if refused and _is_sure(config, fault) else WARNING,
        cause=cause,
        help=_advice(config, fault, fix),
        fix=fix,
    )


def _advice(config: AccelerateConfig, fault: Fault, fix: Fix | None) -> str:
    """The repair, or the releases that know the value."""
    life = _life(config, fault)
    if life is not None:
        return f"accelerate {life[0]} to {life[1]} know it."
    return fix.advice if fix else f"Write {fault.accepted}." if fault.accepted else ""


def _is_sure(config: AccelerateConfig, fault: Fault) -> bool:
    """Whether no other release that may be deployed takes the value."""
    return config.version.pinned or _life(config, fault) is None


def _life(config: AccelerateConfig, fault: Fault) -> tuple[str, str] | None:
    """The first and last release that know a word which this one does not."""
    if not isinstance(fault.value, str):
        return None
    package = config.release.package
    return package.choice_life(fault.section.name, fault.key, fault.value)


def _right(config: AccelerateConfig, fault: Fault) -> Fix | None:
    value, better = fault.value, fault.meant
    if fault.spec is not None and isinstance(value, str) and SAME.get(value) is not None:
        better = SAME[value] if fault.spec.fault(SAME[value]) is None else better
    if isinstance(value, list) and fault.key in ("gpu_ids", "fsdp_transformer_layer_cls_to_wrap"):
        better = ",".join(map(str, value)) if _are_words(value) else None
    if fault.key == "gpu_ids" and type(value) is int:
        text = getattr(target(fault.node), "text", "")
        better = text if text == str(value) else None  # PyYAML reads 1_0 as 10, too
    elif fault.key == "gpu_ids" and "," not in str(better):
        return None
    if better is None:
        return None
    safe = _same(value, better) or isinstance(value, list) or SAME.get(str(value)) == better
    change = edit.set_value(config.document, fault.node, better)
    return repair(f"write {edit.written(change, better)}", change, safe=safe)


def _are_words(values: list[Any]) -> bool:
    return bool(values) and all(type(v) in (str, int) for v in values)


def _same(value: Any, better: Any) -> bool:
    """Whether two values say the same in another type or letter case."""
    if value is False:
        return str(better).lower() in ("no", "none")
    try:
        return float(value) == float(better)
    except (TypeError, ValueError):
        return str(value).strip().lower() == str(better).lower()


def _spaced_classes(config: AccelerateConfig) -> Iterator[Objection]:
    """`A, B`: the list is split at its commas only, so the blank becomes part of a name."""
    key = "fsdp_transformer_layer_cls_to_wrap"
    entry, value = config.entry("fsdp_config", key), config.value("fsdp_config", key)
    if entry is None or not isinstance(value, str) or not config.reads("fsdp_config", key):
        return
    names = [name.strip() for name in value.split(",")]
    if ",".join(names) != value:
        yield Objection(
            entry.value.span,
            f"{key} has blanks between the names: they become part of a name",
            severity=WARNING,
            cause='"Could not find the transformer layer class" when the model is wrapped.',
            help=f"Write {','.join(names)}.",
            fix=repair(
                "take the blanks out",
                edit.set_value(config.document, entry.value, ",".join(names)),
                safe=True,
            ),
        )


# -- unknown keys ----------------------------------------------------------------------------------


def _refused(config: AccelerateConfig, fault: Fault) -> Objection:
    free = fault.section.spec(MEANT.get(fault.key, "")) and MEANT[fault.key] not in config.root
    better = MEANT[fault.key] if free else fault.near
    section = next(
        (p for p in config.release.package.places(fault.key) if p.endswith("_config")), ""
    )
    hint, fix = "", None
    if better:
        hint = f"Call it {better}."
        fix = _rename(config, fault, better, True)
    elif section:
        hint = f"It is a key of {section}."
        fix = _move(config, fault, section)
    elif fault.key in config.release.table("launch_options"):
        hint = f"It is an option of the command line only: accelerate launch --{fault.key}."
    return Objection(
        fault.node.span,
        f"accelerate knows no key {fault.key!r}" + (f"; {better!r} is meant" if better else ""),
        cause=f'The launch ends with "had unknown keys ([{fault.key!r}])" ({config.version}).',
        help=hint or "Take it out; what accelerate does not know stops it.",
        fix=fix,
    )


def _ignored(config: AccelerateConfig, fault: Fault) -> Objection:
    section, better = fault.section.name, str(fault.near)
    is_spelling = near(fault.key, [better]) is not None
    return Objection(
        fault.node.span,
        f"{section} has no key {fault.key!r}; {better!r} is meant",
        severity=WARNING,
        cause=f"accelerate ignores unknown keys of a section in silence ({config.version}).",
        help=f"Call it {better}.",
        fix=_rename(config, fault, better, is_spelling),
    )


def _rename(config: AccelerateConfig, fault: Fault, name: str, safe: bool) -> Fix | None:
    spec = fault.section.spec(name)
    if fault.entry is None or spec is None or spec.fault(fault.value):
        return None
    change = edit.rename_key(config.document, fault.entry, name)
    return repair(f"rename {fault.key} to {name}", change, safe=safe)


def _move(config: AccelerateConfig, fault: Fault, section: str) -> Fix | None:
    there = config.root.get(section)
    if not isinstance(there, Mapping) or fault.entry is None or fault.key in there:
        return None
    if isinstance(fault.value, (dict, list)) or not config.reads_section(section):
        return None
    add = edit.insert_entry(config.document, there, fault.key, fault.value)
    drop = edit.remove_entry(config.document, config.root, fault.entry)
    return repair(f"move {fault.key} into {section}", add, drop, safe=True)


# -- missing keys ----------------------------------------------------------------------------------


def _processes(config: AccelerateConfig, project: Project) -> Iterator[Objection]:
    entry = config.root.index["distributed_type"]
    is_defaulted = config.value("", "distributed_type") == "NO"
    has_number = config.value("", "num_processes", -1) != -1
    if has_number or (is_defaulted and "num_processes" not in config.root):
        return
    if config.is_set("num_processes") or _given(config, project, "num_processes"):
        return
    if _is_misspelt(config, "num_processes"):
        return
    at = config.root.entry("num_processes") or entry
    kind = config.type if is_defaulted or config.type != "NO" else "an unquoted NO"
    yield Objection(
        at.span,
        f"num_processes is missing; {kind} needs it, and no command gives it",
        cause='The launch ends with "You need to manually pass in `--num_processes`".',
        help="Write num_processes: the number over all machines.",
    )


def _port(config: AccelerateConfig, project: Project) -> Iterator[Objection]:
    if config.launcher != "process" or config.machines == 1 or config.version.before("1.8.0"):
        return
    if config.value("", "main_process_port") is not None or config.is_set("main_process_port"):
        return
    if not _given(config, project, "master_port"):
        yield Objection(
            config.root.index["num_machines"].span,
            f"main_process_port is missing; {config.machines} machines need it",
            cause='The launch ends with "you need to specify the main process port".',
            help="Write main_process_port, the same number on every machine.",
        )


def _is_misspelt(config: AccelerateConfig, key: str) -> bool:
    """Whether an unknown key of the file means this one, which is then said there."""
    unknown = (fault for fault in config.faults if fault.kind == "unknown")
    return any(key in (fault.near, MEANT.get(fault.key)) for fault in unknown)


def _given(config: AccelerateConfig, project: Project, setting: str) -> bool:
    """Whether a command that uses the file gives a setting, or one may that was not seen."""
    if not project.search_complete(config.document):
        return True
    users = project.users(config.document)
    return any(user.get(setting) is not None or not user.complete for user in users)
