"""The script for docker's options must tell options from what their descriptions mention."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import pytest

from cfglint import schemas
from cfglint.commands.docker_options import meant, takes_value

DERIVE = Path(__file__).resolve().parents[2] / "schemas" / "derive"
HELP = """Usage:  docker run [OPTIONS] IMAGE [COMMAND] [ARG...]

Options:
  -d, --detach                           Run container in background
      --gpus gpu-request                 GPU devices to add to the container
                                         ('all' to pass all GPUs), see
                                         --device for others
      --shm-size bytes                   Size of /dev/shm
"""


@pytest.fixture
def docker(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(DERIVE))
    return importlib.import_module("docker")


def test_options_are_those_at_the_left(docker: ModuleType) -> None:
    found = docker.options(HELP)
    assert {"detach", "gpus", "shm-size", "net"} <= set(found)
    assert docker.alone(HELP) == ["detach"]
    with pytest.raises(ValueError, match="not the help"):
        docker.options("Usage: docker exec\n  -d, --detach   Detached mode\n")


def test_the_file_has_what_launch_scripts_use() -> None:
    known = set(schemas.read("docker")["options"])
    assert {"gpus", "shm-size", "ipc", "net", "network", "ulimit", "rm", "volume"} <= known
    assert "shm_size" not in known
    assert (
        {"rm", "init", "privileged", "use-api-socket"}
        < set(schemas.read("docker")["alone"])
        < known
    )


@pytest.mark.parametrize(
    ("name", "podman", "right"),
    [
        ("--shm_size", False, "--shm-size"),
        ("--shm_size", True, "--shm-size"),
        ("--gpu", False, "--gpus"),
        ("--pod", True, None),
        ("--gpus", False, None),
        ("--net", False, None),
        ("-gpus", False, "--gpus"),
        ("-it", False, None),
        ("--model", False, None),
    ],
)
def test_what_is_meant(name: str, podman: bool, right: str | None) -> None:
    assert meant(name, podman) == right


def test_what_takes_a_value() -> None:
    assert takes_value("--gpus") is True
    assert takes_value("--rm") is takes_value("--replace") is False
    assert takes_value("--unheard-of") is None
