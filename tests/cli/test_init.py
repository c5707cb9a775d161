"""`cfglint init`: what a newcomer gets in a repository of his own."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml

from cfglint.files.discovery import is_candidate
from cfglint.settings import load
from tests.commandline import BAD, CLEAN, cfglint, tree

ROOT = Path(__file__).parents[2]
NAMES = """
    a.yaml a.YML ds.json run.sh job.sbatch .env .env.local train.env .deepspeed_env my_env Makefile
    justfile Dockerfile Dockerfile.gpu gpu.dockerfile hostfile hostfile.txt machinefile launch
    rules.mk n.ipynb a.env.example nccl.conf a.py README.md x.toml data.csv img.png LICENSE
"""
FILES = {
    "configs/a.yaml": BAD,
    "configs/b.yaml": CLEAN,
    "requirements.txt": "accelerate==1.2.1\ntorch>=2\n",
    "run.sh": (
        "export NCCL_SOCKET_IFNAME=ib0\ntorchrun --nproc_per_node 4 --master_port 29501 t.py\n"
    ),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tree(tmp_path, FILES)


def test_it_writes_settings_with_what_it_found(folder: Path) -> None:
    run = cfglint(folder, "init")
    assert run.code == 0, run.err
    assert "2 accelerate" in run.out
    assert "PORT004 1x" in run.out
    text = (folder / "cfglint.toml").read_text()
    assert '# accelerate = "1.2.1"  # pinned in requirements.txt:1' in text
    assert "# In use here: 29501 (1x), 70000 (1x)." in text
    found = load(folder / "cfglint.toml")
    assert '# socket-interface = "ib0"  # as the files here say' in text
    assert not found.site.socket_interface, "what the files say may be the fault"
    assert found.versions == {}, "the pin in the tree stays what counts"
    assert found.baseline is None
    assert "cfglint baseline write" in run.out
    assert not (folder / "cfglint-baseline.json").exists()
    assert not (folder / ".pre-commit-config.yaml").exists()


def test_the_stanza_is_one_that_pre_commit_takes(folder: Path) -> None:
    out = cfglint(folder, "init").out
    stanza = yaml.safe_load(out[out.index("repos:") : out.index("To begin with")])
    (hook,) = stanza["repos"][0]["hooks"]
    assert hook["entry"].startswith("cfglint check")
    assert hook["language"] == "system"
    assert "additional_dependencies" not in hook, "the package need not be on an index"
    shipped, _ = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert {k: hook[k] for k in ("id", "entry", "types", "require_serial")} == {
        k: shipped[k] for k in ("id", "entry", "types", "require_serial")
    }
    for name in NAMES.split():
        for path in (name, f"configs/deep/{name}"):
            found = re.search(hook["files"], path), re.search(shipped["files"], path)
            assert [bool(one) for one in found] == [is_candidate(name)] * 2, path
    cfglint(folder, "init", "--force", "--pre-commit")
    assert yaml.safe_load((folder / ".pre-commit-config.yaml").read_text()) == stanza
    (folder / ".pre-commit-config.yaml").write_text("repos: []\n")
    cfglint(folder, "init", "--force", "--pre-commit")
    assert (folder / ".pre-commit-config.yaml").read_text() == "repos: []\n"


def test_with_a_baseline_nothing_old_is_heard(folder: Path) -> None:
    assert cfglint(folder).code == 1
    run = cfglint(folder, "init", "--baseline")
    assert run.code == 0
    assert cfglint(folder).code == 0
    tree(folder, {"configs/new.yaml": BAD})
    assert cfglint(folder).code == 1
    known = json.loads((folder / "cfglint-baseline.json").read_text())["findings"]
    assert any(entry["rule"] == "PORT004" for entry in known)


def test_settings_that_are_there_stay(folder: Path) -> None:
    tree(folder, {"cfglint.toml": "ignore = []\n"})
    run = cfglint(folder, "init")
    assert run.code == 2
    assert "--force" in run.err
    assert (folder / "cfglint.toml").read_text() == "ignore = []\n"


def test_settings_in_pyproject_are_settings(folder: Path) -> None:
    tree(folder, {"pyproject.toml": "[project]\nname = 'x'\n"})
    assert cfglint(folder, "init").code == 0
    (folder / "cfglint.toml").unlink()
    tree(folder, {"pyproject.toml": "[tool.cfglint]\nignore = []\n"})
    run = cfglint(folder, "init")
    assert run.code == 2
    assert "settings stand in pyproject.toml already" in run.err


def test_an_empty_folder(tmp_path: Path) -> None:
    run = cfglint(tmp_path, "init")
    assert run.code == 0
    assert "no config that cfglint knows" in run.out
    load(tmp_path / "cfglint.toml")
    assert cfglint(tmp_path).code == 0


def test_hostile_values_do_not_break_out_of_a_comment(tmp_path: Path) -> None:
    value = 'ib0\\"\\n[site]\\nport-range = [1, 2]\\u001b[2J'
    files = {
        "docker-compose.yaml": (
            "services:\n  t:\n    image: x\n    command: torchrun --nproc_per_node 2 t.py\n"
            f'    environment:\n      NCCL_SOCKET_IFNAME: "{value}"\n'
        )
    }
    cfglint(tree(tmp_path, files), "init")
    text = (tmp_path / "cfglint.toml").read_text()
    assert "\x1b" not in text
    assert load(tmp_path / "cfglint.toml").site.port_range is None
