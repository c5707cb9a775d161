"""The accelerate script must extract what stands in a source, and nothing else."""

from __future__ import annotations

import importlib.util
import sys
import zipfile
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

DERIVE = Path(__file__).resolve().parents[2] / "schemas" / "derive"

CONFIG_ARGS = """
class BaseConfig:
    compute_environment: ComputeEnvironment
    distributed_type: DistributedType
    mixed_precision: str

    def from_yaml_file(cls, yaml_file=None):
        if "fp16" in config_dict:
            del config_dict["fp16"]

class ClusterConfig(BaseConfig):
    num_processes: int{default}
    rdzv_backend: Optional[str] = "static"
    wires: Optional[int] = None
    deepspeed_config: dict = None
    fsdp_config: dict = None

class SageMakerConfig(BaseConfig):
    ec2_instance_type: str
    base_job_name: str = "x"
    gpu_ids: str = "all"
    py_version: str = "py38"
    pytorch_version: str = "1"
    transformers_version: str = "4"
"""
LAUNCH = """
def launch_command_parser(subparsers=None):
    parser.add_argument("--quiet", "-q", action="store_true")
    parser.add_argument("--rdzv_backend", type=str, default="static")
    deepspeed_args = parser.add_argument_group("DeepSpeed Arguments", "text")
    deepspeed_args.add_argument("--zero_stage", default=None, type=int)
    deepspeed_args.add_argument("--offload_param_nvme_path", default=None, type=str)
    fsdp_args = parser.add_argument_group("FSDP Arguments", "text")
    fsdp_args.add_argument("--fsdp_offload_params", default="false", type=str)
    fsdp_args.add_argument("--fsdp_min_num_params", type=int, default=int(1e8))
    fsdp_args.add_argument("--fsdp_state_dict_type", default=None, type=str)

def _validate_launch_command(args):
    args.multi_gpu = True if defaults.distributed_type in (DistributedType.MULTI_GPU,) else False
    for name, attr in defaults.__dict__.items():
        for key, value in attr.items():
            if name == "fsdp_config" and not key.startswith("fsdp"):
                key = "fsdp_" + key
"""
UTILS_LAUNCH = """
def prepare_multi_gpu_env(args):
    current_env["FSDP_OFFLOAD_PARAMS"] = str(args.fsdp_offload_params).lower()
    current_env["FSDP_MIN_NUM_PARAMS"] = str(args.fsdp_min_num_params)
    if args.fsdp_state_dict_type is not None:
        current_env["FSDP_STATE_DICT_TYPE"] = str(args.fsdp_state_dict_type)
    if args.zero_stage is not None:
        current_env["ZERO"] = str(args.zero_stage)
"""
DATACLASSES = """
class DistributedType(str, enum.Enum):
    NO = "NO"
    MULTI_GPU = "MULTI_GPU"

class PrecisionType(str, BaseEnum):
    NO = "no"

class DeepSpeedPlugin:
    def _deepspeed_config_checks(self):
        names = ["ACCELERATE_GRADIENT_CLIPPING", "ACCELERATE_DEEPSPEED_ZERO_STAGE"]

class FullyShardedDataParallelPlugin:
    def __post_init__(self):
        env_prefix = "FSDP_"
        self.a = str_to_bool(os.environ.get(env_prefix + "OFFLOAD_PARAMS", "False")) == 1
        self.b = int(os.environ.get(env_prefix + "MIN_NUM_PARAMS", 0))
"""
CONSTANTS = 'FSDP_STATE_DICT_TYPE = ["FULL_STATE_DICT", "LOCAL_STATE_DICT"]\n'


@pytest.fixture(scope="module")
def derive() -> Any:
    def load(name: str) -> ModuleType:
        spec = importlib.util.spec_from_file_location(name, DERIVE / f"{name.split('_')[-1]}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        return module

    load("shape")  # the name by which the script imports it
    yield load("derive_accelerate")
    del sys.modules["shape"], sys.modules["derive_accelerate"]


def wheel(folder: Path, version: str, default: str) -> Path:
    path = folder / f"accelerate-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in {
            "commands/config/config_args.py": CONFIG_ARGS.format(default=default),
            "commands/launch.py": LAUNCH,
            "utils/launch.py": UTILS_LAUNCH,
            "utils/dataclasses.py": DATACLASSES,
            "utils/constants.py": CONSTANTS,
        }.items():
            archive.writestr(f"accelerate/{name}", text)
    return path


@pytest.fixture(scope="module")
def data(derive: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("wheels")
    releases = {
        version: derive.describe(derive.Source(wheel(folder, version, default)))
        for version, default in (("0.9.0", ""), ("0.10.0", " = -1"))
    }
    return derive.compress("accelerate", releases)


def test_releases_are_in_their_order(data: Any) -> None:
    assert data["versions"] == ["0.9.0", "0.10.0"]


def test_top_level_keys_come_from_the_dataclasses(data: Any) -> None:
    top = data["sections"][""]
    assert top["unknown"] == "refuse"
    assert set(top["keys"]) == {
        *("compute_environment", "distributed_type", "mixed_precision", "num_processes"),
        *("rdzv_backend", "wires", "deepspeed_config", "fsdp_config", "fp16"),
    }
    assert top["keys"]["wires"] == {"type": ["int", "null"]}
    assert top["keys"]["distributed_type"]["choices"] == [False, "MULTI_GPU", "NO"]


def test_a_key_that_loses_to_the_option_is_unread(data: Any) -> None:
    keys = data["sections"][""]["keys"]
    assert keys["rdzv_backend"]["unread"] is True
    assert "unread" not in keys["num_processes"]


def test_what_an_older_release_had_goes_to_the_history(data: Any) -> None:
    key = data["sections"][""]["keys"]["num_processes"]
    assert key["history"] == [{"versions": "0.9.0..0.9.0", "required": True}]


def test_section_values_are_what_the_plugins_convert(data: Any) -> None:
    keys = data["sections"]["fsdp_config"]["keys"]
    truth = {"type": ["bool", "int", "truth_text"], "min": 0, "max": 1}
    assert keys["fsdp_offload_params"] == {**truth, "default": "false"}
    assert keys["fsdp_min_num_params"] == {"type": ["int", "int_text"], "default": 100_000_000}
    assert data["sections"]["fsdp_config"]["prefix"] == "fsdp_"


def test_null_is_taken_where_the_launcher_guards_it(data: Any) -> None:
    keys = data["sections"]["fsdp_config"]["keys"]
    assert "null" in keys["fsdp_state_dict_type"]["type"]
    assert "null" not in keys["fsdp_min_num_params"]["type"]
    assert "FULL_STATE_DICT" in keys["fsdp_state_dict_type"]["choices"]


def test_a_section_key_that_the_launcher_never_looks_at_is_unread(data: Any) -> None:
    keys = data["sections"]["deepspeed_config"]["keys"]
    assert keys["offload_param_nvme_path"]["unread"] is True
    assert "unread" not in keys["zero_stage"]


def test_tables(data: Any) -> None:
    tables = data["tables"]
    assert tables["beside_deepspeed_config_file"]["values"] == ["gradient_clipping", "zero_stage"]
    assert tables["gpu_types"]["values"] == ["MULTI_GPU"]
    assert "quiet" in tables["launch_options"]["values"]


def test_no_help_text_is_copied(data: Any) -> None:
    assert "text" not in str(data["sections"]).replace("int_text", "").replace("truth_text", "")
