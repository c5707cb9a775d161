"""Where the version of a package comes from."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from cfglint.deployed import Deployed, deployed


class Tree:
    """A folder of files with just what `deployed` asks of a project and a document."""

    def __init__(self, root: Path, versions: dict[str, str] | None = None) -> None:
        self.root = root
        self.settings = SimpleNamespace(versions=versions or {}, source=Path("cfglint.toml"))

    def fact(self, key: Any, compute: Any) -> Any:
        return compute()


def find(root: Path, package: str, at: str = "x.yaml", **more: Any) -> Deployed:
    tree: Any = Tree(root, **more)
    document: Any = SimpleNamespace(file=root / at)
    return deployed(tree, document, package)


PINS = [
    ("requirements.txt", "accelerate==1.5.2\n", "accelerate", "1.5.2"),
    ("requirements-gpu.txt", "accelerate[deepspeed] == 1.5.2  # note\n", "accelerate", "1.5.2"),
    ("requirements.txt", "accelerate==1.5.*\n", "accelerate", "1.5"),
    ("requirements.txt", "# accelerate==1.5.2\n", "accelerate", None),
    ("requirements.txt", "accelerate>=1.5.2\n", "accelerate", None),
    ("requirements.txt", "my-accelerate==9.9\naccelerate-extra==9.8\n", "accelerate", None),
    ("pyproject.toml", 'dependencies = ["deepspeed==0.16.4"]\n', "deepspeed", "0.16.4"),
    ("pyproject.toml", 'accelerate = "1.2.0"\n', "accelerate", "1.2.0"),
    ("uv.lock", '[[package]]\nname = "torch"\nversion = "2.6.0"\n', "torch", "2.6.0"),
    ("environment.yml", "- transformers=4.50.0\n", "transformers", "4.50.0"),
    ("Dockerfile", "FROM hiyouga/llamafactory:0.9.3\n", "llamafactory", "0.9.3"),
    ("Dockerfile", "FROM pytorch/pytorch:2.4.0-cuda12\n", "torch", "2.4.0"),
    ("Dockerfile.gpu", "RUN uv pip install torch accelerate==1.7.0\n", "accelerate", "1.7.0"),
    (
        "Dockerfile",
        "RUN pip install git+https://github.com/hiyouga/LLaMA-Factory.git@v0.9.2\n",
        "llamafactory",
        "0.9.2",
    ),
    ("notes.txt", "accelerate==1.5.2\n", "accelerate", None),
]


@pytest.mark.parametrize(("name", "text", "package", "version"), PINS)
def test_pins(tmp_path: Path, name: str, text: str, package: str, version: str | None) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert find(tmp_path, package).version == version


def test_the_settings_come_first(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("accelerate==1.0.0\n", encoding="utf-8")
    found = find(tmp_path, "accelerate", versions={"accelerate": "0.34.2"})
    assert (found.version, found.source) == ("0.34.2", "cfglint.toml")
    assert found.release.version == "0.34.2"


def test_the_nearest_folder_decides(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("accelerate==1.0.0\n", encoding="utf-8")
    (tmp_path / "job").mkdir()
    assert find(tmp_path, "accelerate", "job/x.yaml").source == "requirements.txt:1"
    (tmp_path / "job/requirements.txt").write_text("\naccelerate==1.7.0\n", encoding="utf-8")
    found = find(tmp_path, "accelerate", "job/x.yaml")
    assert (found.version, found.source) == ("1.7.0", "job/requirements.txt:2")


def test_two_pins_tell_nothing(tmp_path: Path) -> None:
    text = "accelerate==1.0.0\naccelerate==1.7.0\n"
    (tmp_path / "requirements.txt").write_text(text, encoding="utf-8")
    found = find(tmp_path, "accelerate")
    assert not found.known
    assert found.says.endswith("the newest known")


def test_older_and_newer() -> None:
    pinned = Deployed("accelerate", "1.10.0", "requirements.txt:1")
    assert pinned.before("1.11.0")
    assert not pinned.before("1.9.0")
    assert pinned.since("1.10.0")
    assert not Deployed("accelerate").before("99")
    assert Deployed("accelerate").since("1.10.0")
    assert pinned.says == "accelerate 1.10.0 (requirements.txt:1)"
