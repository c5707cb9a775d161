"""The environment script must find the variables that stand in a source, with their life spans."""

from __future__ import annotations

import importlib
import json
import subprocess
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

DERIVE = Path(__file__).resolve().parents[2] / "schemas" / "derive"

GUIDE = """
NCCL_OLD
--------
Text.

NCCL_LEVEL (formerly NCCL_LEVEL_OLD)
------------------------------------
(since 2.4.0)
"""
FIRST = """
NCCL_PARAM(Old, "OLD", 7);
const char* e = getenv("NCCL_LEVEL");
"""
SECOND = """
DEFINE_NCCL_PARAM(ncclParamFile, const char*, NCCL_FILE, nullptr)
level(&x, "NCCL_LEVEL");
"""
RUN = """
def get_args_parser():
    parser.add_argument("--nnodes", action=env, type=str, default="1:1")
    parser.add_argument("--no-python", "--no_python", action=check_env)
    parser.add_argument("-q", "--quiet", action="store_true")
SIZE = "WORLD_SIZE"
size = os.environ.get(SIZE)
debug = os.getenv("LOUD_MODE", "")
"""


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(DERIVE))
    return importlib.import_module("environment")


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    def git(*words: str) -> None:
        subprocess.run(["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b",
                        *words], check=True, capture_output=True)  # fmt: skip

    git("init", "-q")
    (tmp_path / "src").mkdir()
    guide = tmp_path / "docs/userguide/source/env.rst"
    guide.parent.mkdir(parents=True)
    guide.write_text(GUIDE)
    for text, tag in ((FIRST, "v2.3.5-1"), (SECOND, "v2.10.3-1")):
        (tmp_path / "src/param.cc").write_text(text)
        git("add", ".")
        git("commit", "-qm", tag)
        git("tag", tag)
    return tmp_path


def test_life_spans_and_documentation_of_nccl_variables(script: ModuleType, clone: Path) -> None:
    assert script.nccl(script.Clone(clone)) == {
        "NCCL_OLD": {
            "read_by": "nccl",
            "documented": True,
            "until": "2.3.5",
            "type": "int",
            "default": "7",
        },
        "NCCL_LEVEL": {"read_by": "nccl", "documented": True, "since": "2.4.0", "type": "str"},
        "NCCL_FILE": {"read_by": "nccl", "documented": False, "since": "2.10.3", "type": "str"},
    }


def test_variables_of_torch(script: ModuleType, tmp_path: Path) -> None:
    files = {
        "torch/distributed/run.py": RUN,
        "torch/include/torch/csrc/distributed/c10d/P.hpp": 'x = {"TORCH_NCCL_HIGH", "NCCL_OLD"};',
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    library = tmp_path / "torch/lib/libtorch_cpu.so"
    library.parent.mkdir(parents=True)
    library.write_bytes(b"\0GLOO_LOG\0_ZGLOO_OTHER_N\0TORCH_FR_SIZE\0TORCH_FR_SIZEE\0")
    source = importlib.import_module("package_source").PackageSource(tmp_path)
    assert script.torch(source, files) == {
        "PET_NNODES": {"read_by": "torchrun"},
        "PET_NO_PYTHON": {"read_by": "torchrun"},
        "WORLD_SIZE": {"read_by": "torchrun"},
        "LOUD_MODE": {"read_by": "torchrun"},
        "TORCH_NCCL_HIGH": {"read_by": "torch"},
        "NCCL_OLD": {"read_by": "torch"},
        "GLOO_LOG": {"read_by": "gloo"},
        "GLOO_OTHER_N": {"read_by": "gloo"},
        "TORCH_FR_SIZE": {"read_by": "torch"},
    }


def test_facts_must_be_borne_out_by_the_sources(script: ModuleType) -> None:
    found: dict[str, Any] = {"NCCL_MODE": {"read_by": "nccl"}}
    good = {"variables": {"NCCL_MODE": {"type": "enum", "choices": ["FAST", "1"]}}}
    assert script.merge(found, good, 'if "FAST"')["NCCL_MODE"]["choices"] == ["FAST", "1"]
    for bad in ({"NCCL_MODE": {"choices": ["SLOW"]}}, {"NCCL_MOOD": {"type": "enum"}}):
        with pytest.raises(SystemExit, match="no source"):
            script.merge(found, {"variables": bad}, 'if "FAST"')


def test_the_file_is_one_variable_a_line(script: ModuleType) -> None:
    data = {"sources": {}, "variables": {"A": {"type": "int"}, "B": {}}, "invented": {},
            "vendors": {"X_": {}}}  # fmt: skip
    text = script.dumps(data)
    assert json.loads(text) == data
    assert '  "A": {"type": "int"},\n  "B": {}\n' in text
