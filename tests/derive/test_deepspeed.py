"""The DeepSpeed script must extract what stands in a source, and nothing else."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

DERIVE = Path(__file__).resolve().parents[2] / "schemas" / "derive"
MODULES = (
    "deepspeed", "key_reads", "code_values", "class_facts", "hf_trainer", "optimizers",
    "expert_parallel",
)  # fmt: skip

FILES = {
    "deepspeed/__init__.py": "",
    "deepspeed/runtime/__init__.py": "",
    "deepspeed/runtime/constants.py": """
COLOUR = "colour"
COLOUR_DEFAULT = "RED"
COLOURS = [Colours.RED, Colours.BLUE]
class Colours:
    RED = "RED"
    BLUE = "BLUE"
STEPS, OPTIMIZER, TYPE = "not read", "not read", "not read"
STEPS_PER_PRINT = "steps_per_print"
SECTION = "section"
SECTION_DEFAULTS = {"width": 3, "deep": False}
""",
    "deepspeed/runtime/config_utils.py": """
class DeepSpeedConfigModel(BaseModel):
    def __init__(self, strict=False, **data):
        data = {k: v for k, v in data.items() if v != "auto"}
class pp_int(int):
    pass
def get_scalar_param(param_dict, name, default):
    return param_dict.get(name, default)
""",
    "deepspeed/runtime/zero.py": """
from typing import Optional, Literal, List
from .config_utils import DeepSpeedConfigModel, pp_int
Pass = Literal["z1", "z3"]
class StageEnum(int, Enum):
    off = 0
    on = 1
class Inner(DeepSpeedConfigModel):
    device: DeviceEnum = DeviceEnum.none
    path: Optional[Path] = None
class DeviceEnum(str, Enum):
    none = "none"
    cpu = "cpu"
class ZeroConfig(DeepSpeedConfigModel):
    stage: StageEnum = 0
    bucket: int = Field(pp_int(5e8), gt=0, alias="stage3_bucket")
    inner: Optional[Inner] = None
    passes: Optional[List[Pass]] = None
    old: bool = Field(False, json_schema_extra={"deprecated": True, "new_param": "inner"})
    dtype: torch.dtype = torch.float16
""",
    "deepspeed/runtime/lr_schedules.py": """
VALID_LR_SCHEDULES = ["Slow"]
class Slow(object):
    def __init__(self, optimizer, total_steps: int, rate: float = 0.5, last=-1):
        pass
""",
    "deepspeed/runtime/engine.py": """
MODE = "mode"
class DeepSpeedEngine:
    def _configure_basic_optimizer(self, model_parameters):
        mode = optimizer_parameters.pop(MODE, True)
        states = optimizer_parameters.pop("states", None)
""",
    "deepspeed/ops/adam/fused_adam.py": """
class FusedAdam(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), amsgrad=False):
        pass
""",
    "deepspeed/runtime/config.py": """
import copy
from .constants import *
from .config_utils import get_scalar_param
from .zero import ZeroConfig
from deepspeed.module_inject.auto_ep_config import parse_autoep_config
DEEPSPEED_OPTIMIZERS = ["adam"]
_REMOVED = {"gone": "text", "lost": "text"}
def _reject(param_dict):
    for key, message in _REMOVED.items():
        if key in param_dict:
            raise DeepSpeedConfigError(message)
def get_colour(param_dict):
    colour = get_scalar_param(param_dict, COLOUR, COLOUR_DEFAULT).upper()
    if colour in COLOURS:
        return colour
    raise ValueError(colour)
def get_steps_per_print(param_dict):
    return get_scalar_param(param_dict, STEPS_PER_PRINT, 10)
def get_section(param_dict):
    if SECTION in param_dict and param_dict[SECTION] is not None:
        made = {}
        for key, default in SECTION_DEFAULTS.items():
            made[key] = get_scalar_param(param_dict[SECTION], key, default)
        made["count"] = int(param_dict[SECTION].get("count", 1))
        return made
def get_free(param_dict):
    config = {"stages": "auto", "seed": False}
    for key, value in param_dict.get("free", {}).items():
        config[key] = value
    return config
class DeepSpeedConfig(object):
    def __init__(self, config, mpu=None):
        self._param_dict = config
        _reject(self._param_dict)
        self.initialise(copy.copy(self._param_dict))
    def initialise(self, param_dict):
        self.colour = get_colour(param_dict)
        self.steps = get_steps_per_print(param_dict)
        self.section = get_section(param_dict)
        self.free = get_free(param_dict)
        self.zero = ZeroConfig(**param_dict.get("zero", {}))
        self.other = other_library(param_dict)
        self.experts = parse_autoep_config(param_dict.get("expert_parallel", {}))
""",
    "deepspeed/module_inject/__init__.py": "",
    "deepspeed/module_inject/auto_ep_presets/__init__.py": "",
    "deepspeed/module_inject/auto_ep_presets/small.py": 'PRESET_NAME = "small"',
    "deepspeed/module_inject/auto_ep_presets/big.py": 'PRESET_NAME = "big"',
    "deepspeed/module_inject/auto_ep_config.py": """
def parse_autoep_config(param_dict):
    config = Config()
    config.enabled = param_dict.get("enabled", False)
    config.how = param_dict.get("how", "auto")
    config.count = param_dict.get("count", 12)
    config.groups = param_dict.get("groups", None)
    config.preset = param_dict.get("preset", None)
    config.top = param_dict.get("top", "auto")
    if param_dict.get("load_balance_coeff", None) is not None:
        _raise_unsupported_load_balance_coeff(param_dict["load_balance_coeff"])
    return config
def validate_autoep_config(config, world_size):
    if not config.enabled:
        return
    if config.preset is not None and config.preset not in PRESET_MODELS:
        raise ValueError("preset")
    valid_how = ("auto", "fused", "eager")
    if config.how not in valid_how:
        raise ValueError("how")
    if not isinstance(config.count, int) or config.count < 1:
        raise ValueError("count")
    if config.groups is not None:
        if config.groups < 1:
            raise ValueError("groups")
    if world_size < 2:
        raise ValueError("world_size")
""",
}


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(str(DERIVE))
    before = {name: sys.modules.pop(name, None) for name in MODULES}
    yield importlib.import_module("deepspeed")
    for name in MODULES:
        sys.modules.pop(name, None)
        if before[name] is not None:
            sys.modules[name] = before[name]  # type: ignore[assignment]


@pytest.fixture
def described(script: ModuleType, tmp_path: Path) -> dict[str, Any]:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    release: dict[str, Any] = script.describe(script.Source(tmp_path, None))
    return release


def keys(described: dict[str, Any], section: str) -> dict[str, Any]:
    found: dict[str, Any] = described["sections"][section]["keys"]
    return found


def test_top_level_keys_are_those_that_are_read(described: dict[str, Any]) -> None:
    assert set(keys(described, "")) == {
        "colour", "data_parallel_size", "expert_parallel", "free", "gone", "lost", "section",
        "steps_per_print", "zero",
    }  # fmt: skip
    assert described["sections"][""]["unknown"] == "ignore"


def test_words_that_are_compared_before_an_exception_are_choices(described: dict[str, Any]) -> None:
    assert keys(described, "")["colour"] == {
        "type": "str", "choices": ["blue", "red"], "fold": True, "default": "RED", "checked": True
    }  # fmt: skip


def test_removed_keys_are_refused(described: dict[str, Any]) -> None:
    top = keys(described, "")
    assert [name for name, spec in top.items() if spec.get("refused")] == ["gone", "lost"]


def test_hints_are_bound_to_their_function(described: dict[str, Any]) -> None:
    assert keys(described, "")["steps_per_print"]["type"] == ["bool", "int", "null", "whole"]
    assert "train_batch_size" not in keys(described, "")


def test_a_section_read_key_by_key(described: dict[str, Any]) -> None:
    assert keys(described, "")["section"]["type"] == ["mapping", "null"]
    assert keys(described, "section") == {
        "width": {"type": "int", "default": 3},
        "deep": {"type": "bool", "default": False},
        "count": {"type": "int", "default": 1},
    }


def test_a_loop_over_a_section_reads_the_keys_of_its_defaults(described: dict[str, Any]) -> None:
    assert set(keys(described, "free")) == {"stages", "seed"}


def test_what_may_also_be_auto_is_of_no_known_type(described: dict[str, Any]) -> None:
    assert keys(described, "free")["stages"] == {"type": "any", "default": "auto"}


def test_expert_parallel_takes_what_its_own_check_takes(described: dict[str, Any]) -> None:
    assert keys(described, "expert_parallel") == {
        "enabled": {"type": "bool", "default": False},
        "how": {"type": "str", "choices": ["auto", "eager", "fused"], "default": "auto"},
        "count": {"type": "int", "min": 1, "default": 12},
        "groups": {"type": ["null", "number"], "min": 1},
        "preset": {"type": ["null", "str"], "choices": ["big", "small"]},
        "top": {"type": "any", "default": "auto"},
        "load_balance_coeff": {"type": "null", "checked": True},
    }


def test_models_refuse_unknown_keys_and_drop_auto(described: dict[str, Any]) -> None:
    zero = described["sections"]["zero"]
    assert (zero["unknown"], zero["auto"]) == ("refuse", True)
    assert zero["keys"]["stage"]["choices"] == [0, 1, "0", "1"]
    assert zero["keys"]["stage3_bucket"] == {
        "type": ["bool", "int", "int_text", "whole"], "default": 500000000, "above": 0,
        "aliases": ["bucket"],
    }  # fmt: skip
    assert zero["keys"]["passes"]["items"] == {"type": ["str"], "choices": ["z1", "z3"]}
    assert zero["keys"]["old"]["deprecated"] is True
    assert zero["keys"]["old"]["replaced_by"] == "inner"
    assert zero["keys"]["dtype"]["type"] == "never"


def test_nested_models_are_sections_of_their_own(described: dict[str, Any]) -> None:
    assert keys(described, "zero")["inner"]["type"] == ["mapping", "null"]
    assert keys(described, "zero.inner") == {
        "device": {"type": "str", "choices": ["none", "cpu"], "default": "none"},
        "path": {"type": ["null", "str"]},
        "strict": {"type": "any", "unread": True},
    }


def test_constructors_give_the_parameters_of_optimizers_and_schedulers(
    described: dict[str, Any],
) -> None:
    assert set(keys(described, "optimizer.params@adam")) == {
        "lr", "betas", "amsgrad", "mode", "states"
    }  # fmt: skip
    schedule = keys(described, "scheduler.params@Slow")
    assert schedule["total_steps"] == {"type": "number", "required": True}
    assert schedule["rate"] == {"type": "number", "default": 0.5}
    assert described["tables"]["optimizers"] == ["adam"]


def test_the_trainer_table(script: ModuleType, tmp_path: Path) -> None:
    sources = {
        "transformers/integrations/deepspeed.py": """
class Config:
    def trainer_config_process(self, args):
        self.fill_match("batch", args.batch, "per_device_batch")
        self.fill_match("whole", 1, "whole (calculated)", must_match=False)
        self.fill_only("scheduler.params.low", 0)
""",
        "accelerate/utils/dataclasses.py": """
def f():
    plugin_to_config_mapping = {"clip": "gradient_clipping"}
""",
        "accelerate/accelerator.py": """
def _prepare_deepspeed(self):
    config_kwargs = {"train_batch": 1}
    config_kwargs.update({"optimizer.params.lr": 2})
    config_kwargs["steps"] = 3
    other = {"unrelated.key": 4}
""",
    }
    for name, text in sources.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    source = importlib.import_module("package_source").PackageSource(tmp_path)
    assert script.trainer_values(source, source) == [
        ["batch", "per_device_batch", "match"],
        ["gradient_clipping", "", "fill"],
        ["optimizer.params.lr", "", "fill"],
        ["scheduler.params.low", "", "fill"],
        ["steps", "", "fill"],
        ["train_batch", "", "fill"],
        ["whole", "whole (calculated)", "fill"],
    ]
