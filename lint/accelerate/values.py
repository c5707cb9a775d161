"""What becomes of a wrong value in an accelerate config: refused, taken for something else, or
never looked at. Each function names the code that decides it where its name does not.

Sources: facts on accelerate a2, a4, a5, b3, b4; utils/launch.py, torch/distributed/run.py, and the
plugins in utils/dataclasses.py of accelerate 1.15.0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cfglint.accelerate.config import AccelerateConfig
    from cfglint.releases.validate import Fault

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
        is_old = config.version.before("1.8.0")
        compared = value is not None or config.value("", "use_cpu") or is_old
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


def _mapping(config: AccelerateConfig, fault: Fault) -> bool | None:
    """launch_command asks deepspeed_config for its keys; before 1.5 each section was indexed."""
    is_asked = fault.key == "deepspeed_config" and config.type == "DEEPSPEED"
    return True if is_asked or config.version.before("1.5.0") else None


def _always(config: AccelerateConfig, fault: Fault) -> bool | None:
    return True


Judge = Callable[["AccelerateConfig", "Fault"], "bool | None"]

SECTIONS = (
    "deepspeed_config",
    "dynamo_config",
    "fsdp_config",
    "megatron_lm_config",
    "mpirun_config",
)
OF_TOP: dict[str, Judge] = {
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
    **dict.fromkeys(SECTIONS, _mapping),
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


OF_SECTIONS: dict[str, Judge] = {
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


# -- the exception that a refused value ends in ---------------------------------------------------

MESSAGES = {  # by key, then by the type of the value; {value} is it, {type} its type's name
    "distributed_type": {"str": "{value!r} is not a valid DistributedType"},
    "compute_environment": {"str": "had unknown keys"},
    "mixed_precision": {
        "str": "Unknown mixed_precision mode: {lower}",
        "": "{type!r} object has no attribute 'lower'",
    },
    "dynamo_backend": {
        "str": "Unknown dynamo backend: {upper}",
        "": "{type!r} object has no attribute 'upper'",
    },
    "gpu_ids": {"": "{type!r} object has no attribute 'split'"},
    "num_machines": {
        "float": "invalid literal for int() with base 10: '{value}'",
        "": "'>' not supported between instances of {type!r} and 'int'",
    },
    "machine_rank": {
        "str": "invalid literal for int() with base 10: '{value}'",
        "": "int() argument must be a string",
    },
    "main_process_port": {
        "str": "{type!r} object cannot be interpreted as an integer",
        "float": "{type!r} object cannot be interpreted as an integer",
    },
    "fsdp_auto_wrap_policy": {"str": "Invalid auto wrap policy: {value}"},
    "fsdp_sharding_strategy": {"int": "{value} is not a valid ShardingStrategy"},
    "fp8_format": {"str": "`fp8_format` must be one of"},
    "fp8_override_linear_precision": {"bool": "{type!r} object is not subscriptable"},
}


def exception_of(fault: Fault) -> str:
    """What accelerate says of a refused value, as far as its text is known; "" where it is not."""
    types = fault.spec.types if fault.spec else ()
    name = fault.spec.name if fault.spec else fault.key
    kind = type(fault.value).__name__
    if name in MESSAGES:
        form = MESSAGES[name].get(kind) or MESSAGES[name].get("", "")
    elif fault.kind == "range":
        form = "must be at least 1" if name.startswith("parallelism_config") else ""
    elif "truth_text" in types:
        form = "invalid truth value {lower}"
    elif "number_text" in types:
        form = "could not convert string to float: '{lower}'"
    elif "int_text" in types or name == "zero_stage":
        form = "invalid literal for int() with base 10: '{value}'"
    else:
        form = ""
    text = str(fault.value)
    return form.format(value=fault.value, type=kind, lower=text.lower(), upper=text.upper())
