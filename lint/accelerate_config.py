"""An accelerate config as `accelerate launch` reads it: which launcher it leads to, which of its
values that launcher looks at, and what becomes of a wrong one.

Sources: facts on accelerate a2, a4, b1 to b6; commands/launch.py and utils/launch.py, and the
plugins in utils/dataclasses.py of accelerate 1.15.0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

from cfglint.schemadata import FALSE_WORDS, TRUE_WORDS, Release, Section, load
from cfglint.tree import Entry, Mapping, Node, target, to_data
from cfglint.validate import Fault, faults

if TYPE_CHECKING:
    from cfglint.document import Document
    from cfglint.launch import Launch
    from cfglint.project import Project
    from cfglint.versions import Version

PLAIN = ("NO", "MULTI_CPU")  # one process, unless mpirun starts more
TORCHRUN = ("FSDP", "MEGATRON_LM", "TP")
SECTION_OF = {  # the distributed type without which a section is not read
    "deepspeed_config": "DEEPSPEED",
    "fsdp_config": "FSDP",
    "megatron_lm_config": "MEGATRON_LM",
    "tp_config": "TP",
}


class AccelerateConfig:
    """The config in one document, judged by one release."""

    def __init__(self, document: Document, root: Mapping, version: Version) -> None:
        self.document = document
        self.root = root
        self.version = version
        self.release: Release = load("accelerate").at(version.number)

    # -- values ------------------------------------------------------------------------------

    def entry(self, section: str, key: str) -> Entry | None:
        """The entry of a key (its full name) of a section, "" for the top; as the file has it."""
        mapping = self.mapping(section)
        described = self.section(section)
        if mapping is None or described is None:
            return None
        found = [e for n, e in mapping.index.items() if described.canonical(n) == key]
        return found[-1] if found else None

    def value(self, section: str, key: str, default: Any = None) -> Any:
        """The parsed value of a key, `default` where the file does not have it."""
        entry = self.entry(section, key)
        return to_data(entry.value) if entry is not None else default

    def is_set(self, option: str) -> bool:
        """Whether a section sets a launcher option that is a top-level key by right: the keys of
        sections without a prefix are copied onto the options of their names as they are."""
        for name in self.root.names():
            section, mapping = self.section(name), self.mapping(name)
            if name.endswith("_config") and section and mapping and option in mapping:
                if not section.prefix and to_data(mapping.index[option].value) is not None:
                    return True
        return False

    def mapping(self, section: str) -> Mapping | None:
        """The mapping of a section, None where there is none."""
        node: Node | None = self.root if not section else self.root.get(section)
        return node if isinstance(node, Mapping) else None

    def section(self, section: str) -> Section | None:
        """What the release knows of a section; the SageMaker form for the top of such a file."""
        return self.release.section("@sagemaker" if not section and self.is_sagemaker else section)

    # -- the launch --------------------------------------------------------------------------

    @cached_property
    def is_sagemaker(self) -> bool:
        node = self.root.get("compute_environment")
        return node is not None and to_data(node) == "AMAZON_SAGEMAKER"

    @cached_property
    def type(self) -> str:
        """The distributed type; "NO" for everything that is no string, as accelerate has it; ""
        where it is missing or no such type."""
        node = self.root.get("distributed_type")
        if node is None:
            return ""
        value = to_data(node)
        if not isinstance(value, str):
            return "NO"
        section = self.section("")
        spec = section.keys["distributed_type"] if section else None
        return value if spec is not None and value in spec.choices else ""

    @cached_property
    def launcher(self) -> str:
        """What starts the processes: "process" (one), "torchrun", "deepspeed" (its own launcher),
        "tpu", "sagemaker", "" where that is not known."""
        if self.is_sagemaker:
            return "sagemaker"
        if self.type in PLAIN:
            return "process"
        if self.type == "DEEPSPEED":
            standard = self.value("deepspeed_config", "deepspeed_multinode_launcher") == "standard"
            return "torchrun" if self.machines == 1 or standard else "deepspeed"
        if self.type == "XLA":
            return "tpu"
        is_gpu = self.type in TORCHRUN or self.type in self.release.table("gpu_types")
        return "torchrun" if is_gpu else ""

    @cached_property
    def machines(self) -> int:
        """num_machines as a comparison with 1 sees it; 1 where it is not a number."""
        value = self.value("", "num_machines", 1)
        return int(value) if isinstance(value, (int, float)) and value > 1 else 1

    @property
    def processes(self) -> int | None:
        """The literal num_processes, None where it is no whole number."""
        value = self.value("", "num_processes")
        return value if type(value) is int and value > 0 else None

    @cached_property
    def is_fp8(self) -> bool:
        return str(self.value("", "mixed_precision")).lower() == "fp8"

    @cached_property
    def fsdp_version(self) -> int:
        """The FSDP version that the plugin works with, 0 where the file's value is none."""
        value = str(self.value("fsdp_config", "fsdp_version", "1")).strip()
        return int(value) if value in ("1", "2") else 0

    def truth(self, section: str, key: str, default: bool = False) -> bool | None:
        """A truth word or boolean as the plugins read it, None where it is neither."""
        value = str(self.value(section, key, default)).lower()
        return True if value in TRUE_WORDS else False if value in FALSE_WORDS else None

    def options(self, project: Project) -> set[str]:
        """The launcher options that every known command line with this config gives."""
        users: list[Launch] = project.users(self.document)
        given = [_options(launch) for launch in users]
        return set.intersection(*given) if given else set()

    # -- what is read ------------------------------------------------------------------------

    def reads_section(self, section: str) -> bool:
        """Whether this launch looks at a section at all."""
        if section in SECTION_OF:
            return self.type == SECTION_OF[section]
        if section == "dynamo_config":
            return self.launcher in ("process", "torchrun") and self.type != "DEEPSPEED"
        if section == "parallelism_config":
            return self.launcher in ("torchrun", "deepspeed")
        if section == "fp8_config":
            return self.is_fp8 and self.launcher != "tpu"
        return self.launcher == "process" if section == "mpirun_config" else True

    def reads(self, section: str, key: str) -> bool:
        """Whether this launch looks at the value of a key (its full name)."""
        if not section:
            return True
        condition = CONDITIONS.get(key)
        return self.reads_section(section) and (condition is None or condition(self))

    def is_ignored(self, fault: Fault) -> bool:
        """Whether an unknown key of a section that is read has no effect: a launcher option has,
        for each key of a section is copied onto the option of its name."""
        name = fault.section.canonical(fault.key)
        top = self.release.section("")
        is_option = name in self.release.table("launch_options") or (top and name in top.keys)
        return self.reads_section(fault.section.name) and not is_option

    def life(self, fault: Fault) -> tuple[str, str] | None:
        """The first and last release that knows a key, None where none does."""
        name = fault.section.name
        key = name and self.release.package.life(name, fault.section.canonical(fault.key))
        return key or self.release.package.life(name, fault.key)

    # -- faults ------------------------------------------------------------------------------

    @cached_property
    def faults(self) -> list[Fault]:
        """Everything that the file has and the release does not take, read or not."""
        section = self.section("")
        return faults(self.document, section, self.root) if section else []

    def wrong_values(self) -> Iterator[tuple[Fault, bool]]:
        """The wrong values that this launch looks at, with whether accelerate refuses them; those
        it takes do something else than they say."""
        for fault in self.faults:
            if fault.kind in ("unknown", "required") or fault.spec is None or fault.spec.unread:
                continue
            section = fault.section.name.removeprefix("@sagemaker")
            if not self.reads(section, fault.section.canonical(fault.key)):
                continue
            judge = TOP.get(fault.key) if not section else LATER.get(fault.spec.name)
            refused = judge(self, fault) if judge else (True if section else None)
            if refused is not None:
                yield fault, refused


def config_of(document: Document, project: Project) -> AccelerateConfig | None:
    """The config in an accelerate document, None where there is no mapping to read."""
    root = target(document.root) if document.root is not None else None
    if not isinstance(root, Mapping):
        return None
    if "config" not in document.facts:
        version = project.versions(document, "accelerate")
        document.facts["config"] = AccelerateConfig(document, root, version)
    config: AccelerateConfig = document.facts["config"]
    return config


def _options(launch: Launch) -> set[str]:
    """The names of the options in a launcher's own words, underscores throughout."""
    words = (word.raw.partition("=")[0] for word in launch.argv)
    return {word.lstrip("-").replace("-", "_") for word in words if word.startswith("--")}


# -- values that only some launches look at ------------------------------------------------------


def _wraps_by(policy: str) -> Callable[[AccelerateConfig], bool]:
    return lambda c: str(c.value("fsdp_config", "fsdp_auto_wrap_policy")).upper() == policy


def _first_fsdp(config: AccelerateConfig) -> bool:
    return config.fsdp_version == 1


def _fp8_backend(backend: str) -> Callable[[AccelerateConfig], bool]:
    return lambda c: c.value("fp8_config", "fp8_backend") == backend


def _parallel(size: str) -> Callable[[AccelerateConfig], bool]:
    def is_on(config: AccelerateConfig) -> bool:
        value = config.value("parallelism_config", f"parallelism_config_{size}_size")
        return isinstance(value, (int, float)) and value > 1

    return is_on


CONDITIONS: dict[str, Callable[[AccelerateConfig], bool]] = {
    "fsdp_sharding_strategy": _first_fsdp,
    "fsdp_forward_prefetch": _first_fsdp,
    "fsdp_use_orig_params": _first_fsdp,
    "fsdp_sync_module_states": _first_fsdp,
    "fsdp_reshard_after_forward": lambda c: c.fsdp_version == 2,
    "fsdp_min_num_params": _wraps_by("SIZE_BASED_WRAP"),
    "fsdp_transformer_layer_cls_to_wrap": _wraps_by("TRANSFORMER_BASED_WRAP"),
    "fp8_opt_level": _fp8_backend("MSAMP"),
    "fp8_pad_inner_dim": _fp8_backend("AO"),
    "fp8_enable_fsdp_float8_all_gather": _fp8_backend("AO"),
    "parallelism_config_cp_comm_strategy": _parallel("cp"),
    "parallelism_config_sp_seq_length": _parallel("sp"),
    "parallelism_config_sp_seq_length_is_variable": _parallel("sp"),
    "parallelism_config_sp_attn_implementation": _parallel("sp"),
    **{
        f"fp8_{key}": _fp8_backend("TE")
        for key in ("format", "margin", "interval", "amax_history_len", "amax_compute_algo")
    },
    "fp8_use_autocast_during_eval": _fp8_backend("TE"),
}

# -- what becomes of a wrong value: True refused, False taken for something else, None harmless ----


def _not_for_tpu(config: AccelerateConfig, fault: Fault) -> bool | None:
    return True if config.launcher != "tpu" else None


def _type(config: AccelerateConfig, fault: Fault) -> bool | None:
    return isinstance(fault.value, str)


def _use_cpu(config: AccelerateConfig, fault: Fault) -> bool | None:
    refused = config.launcher == "process" and fault.value not in (0, 1)
    return True if refused else None


def _debug(config: AccelerateConfig, fault: Fault) -> bool | None:
    return False if fault.value and fault.value is not True and fault.value != 1 else None


def _num_processes(config: AccelerateConfig, fault: Fault) -> bool | None:
    value = fault.value
    if value == -1:
        return None  # the same as none at all
    if config.launcher == "process":
        compared = value is not None or config.value("", "use_cpu")
        return True if compared and not isinstance(value, (int, float)) else None
    if config.launcher not in ("torchrun", "deepspeed"):
        return None
    if config.machines > 1 or not isinstance(value, str):
        return True
    text = value.strip().replace("_", "")
    return None if text.isdigit() or text in ("auto", "gpu", "cpu", "xpu") else True


def _num_machines(config: AccelerateConfig, fault: Fault) -> bool | None:
    value = fault.value
    if isinstance(value, bool):
        return None
    if isinstance(value, float):
        return True if value > 1 and config.launcher == "torchrun" else None
    return not isinstance(value, int)


def _machine_rank(config: AccelerateConfig, fault: Fault) -> bool | None:
    if fault.kind == "range" or config.machines == 1 or config.launcher != "torchrun":
        return None
    return True if not isinstance(fault.value, (bool, float)) else None


def _port(config: AccelerateConfig, fault: Fault) -> bool | None:
    value = fault.value
    if config.launcher not in ("torchrun", "deepspeed") or value is False:
        return None
    if value is True:
        return True
    if isinstance(value, int):
        return None  # port-out-of-range says it better
    rank = config.value("", "machine_rank", 0)
    probed = config.machines == 1 or rank in (0, "0")
    return True if probed or not str(value).isdigit() else None


def _address(config: AccelerateConfig, fault: Fault) -> bool | None:
    several = config.machines > 1
    if config.launcher == "process":
        return True if several or (config.processes or 0) > 1 else None
    joined = several and config.launcher == "torchrun"
    return True if joined and isinstance(fault.value, (list, dict)) else None


def _deepspeed(config: AccelerateConfig, fault: Fault) -> bool | None:
    return True if config.type == "DEEPSPEED" else None


def _always(config: AccelerateConfig, fault: Fault) -> bool | None:
    return True


Judge = Callable[[AccelerateConfig, Fault], "bool | None"]

TOP: dict[str, Judge] = {
    "compute_environment": _always,
    "distributed_type": _type,
    "mixed_precision": _not_for_tpu,
    "dynamo_backend": _not_for_tpu,
    "gpu_ids": _always,
    "use_cpu": _use_cpu,
    "debug": _debug,
    "num_processes": _num_processes,
    "num_machines": _num_machines,
    "machine_rank": _machine_rank,
    "main_process_ip": _address,
    "main_process_port": _port,
    "deepspeed_config": _deepspeed,  # launch_command asks it for its keys
}


def _taken(config: AccelerateConfig, fault: Fault) -> bool | None:
    return False


def _unless_number(config: AccelerateConfig, fault: Fault) -> bool | None:
    """zero_stage: int() in DeepSpeedPlugin; a stage that DeepSpeed does not know fails there."""
    text = str(fault.value).strip()
    return not text.lstrip("-").isdigit()


def _steps(config: AccelerateConfig, fault: Fault) -> bool | None:
    return fault.kind != "range"


def _of_several(config: AccelerateConfig, fault: Fault) -> bool | None:
    return False if config.machines > 1 else None


def _mode(config: AccelerateConfig, fault: Fault) -> bool | None:
    """The one option that goes into the environment unconverted; torchrun's path has str()."""
    return config.launcher == "process" and not isinstance(fault.value, str)


def _harmless(config: AccelerateConfig, fault: Fault) -> bool | None:
    return None


LATER: dict[str, Judge] = {
    "zero_stage": _unless_number,
    "gradient_accumulation_steps": _steps,
    "offload_optimizer_device": _taken,
    "offload_param_device": _taken,
    "zero3_save_16bit_model": _taken,
    "deepspeed_config_file": _taken,
    "deepspeed_hostfile": _of_several,
    "deepspeed_inclusion_filter": _of_several,
    "deepspeed_exclusion_filter": _of_several,
    "deepspeed_multinode_launcher": _of_several,
    "deepspeed_moe_layer_cls_names": _taken,
    "dynamo_mode": _mode,
    "fsdp_transformer_layer_cls_to_wrap": _taken,
    "fsdp_reshard_after_forward": _harmless,  # acc-fsdp-conflict says it better
    "parallelism_config_sp_seq_length_is_variable": _taken,
}
