"""The hooks as pre-commit and prek run them: from a repository on the local disk.

Both tools come from PyPI (`pip install -e .[dev]`); each builds an environment of its own for the
hook, which takes the network and some seconds. Where a tool is not installed its tests are skipped.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

from cfglint.files.discovery import is_candidate

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ("pre-commit", "prek")
NODE = """\
compute_environment: LOCAL_MACHINE
distributed_type: MULTI_GPU
num_machines: 2
machine_rank: {rank}
main_process_ip: {address}
main_process_port: 29500
num_processes: 16
"""
SINGLE = """\
compute_environment: LOCAL_MACHINE
distributed_type: MULTI_GPU
num_machines: 1
num_processes: 8
main_process_port: 29500
"""


class Ran(NamedTuple):
    code: int
    output: str


class Repository:
    """A git repository of a user with a hook configured."""

    def __init__(self, folder: Path, tool: str, hook: tuple[Path, str], home: Path) -> None:
        self.folder = folder
        self.tool = tool
        self.env = {**os.environ, "PRE_COMMIT_HOME": str(home), "PREK_HOME": str(home)}
        self.hook = hook
        folder.mkdir()
        git(folder, "init", "-q")

    def configure(self, *ids: str) -> None:
        where, revision = self.hook
        hooks = "".join(f"  - id: {one}\n" for one in ids)
        text = f"repos:\n- repo: {where}\n  rev: {revision}\n  hooks:\n{hooks}"
        (self.folder / ".pre-commit-config.yaml").write_text(text)

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def commit(self) -> None:
        git(self.folder, "add", "-A")
        git(self.folder, "commit", "-q", "-m", "state")

    def run(self, *arguments: str) -> Ran:
        git(self.folder, "add", "-A")
        done = subprocess.run(
            [program(self.tool), "run", "--color", "never", "--verbose", *arguments],
            cwd=self.folder, env=self.env, capture_output=True, text=True, timeout=400,
        )  # fmt: skip
        return Ran(done.returncode, done.stdout + done.stderr)


def git(folder: Path, *arguments: str) -> str:
    identity = [
        "-c",
        "user.name=t",
        "-c",
        "user.email=t@example.org",
        "-c",
        "core.hooksPath=/dev/null",
    ]
    done = subprocess.run(
        ["git", *identity, *arguments], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def program(tool: str) -> str:
    """The tool beside this Python, else on the PATH; the test is skipped where there is none."""
    found = shutil.which(tool, path=str(Path(sys.executable).parent)) or shutil.which(tool)
    if found is None:
        pytest.skip(f"{tool} is not installed")
    return found


@pytest.fixture(scope="module")
def hook(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """This working tree as a hook repository, and its revision."""
    folder = tmp_path_factory.mktemp("hook")
    names = git(ROOT, "ls-files", "-co", "--exclude-standard").splitlines()
    for name in names:
        source = ROOT / name
        if source.is_file() and not name.startswith("tests/"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, folder / name)
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "hook")
    return folder, git(folder, "rev-parse", "HEAD")


@pytest.fixture(scope="module", params=TOOLS)
def tool(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, Path]:
    """A tool and the place of its environments, which all tests of it share."""
    return str(request.param), tmp_path_factory.mktemp(str(request.param))


@pytest.fixture
def repository(tool: tuple[str, Path], hook: tuple[Path, str], tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repo", tool[0], hook, tool[1])


def test_many_files_are_one_run(repository: Repository) -> None:
    """300 files and two nodes that disagree: one report over all of them."""
    repository.configure("cfglint")
    for number in range(300):
        repository.write(f"other/c{number:03}.yaml", "stage: sft\n")
    repository.write("node0.yaml", NODE.format(rank=0, address="192.168.100.1"))
    repository.write("node1.yaml", NODE.format(rank=1, address="192.168.100.2"))
    ran = repository.run("--all-files")
    assert ran.code == 1, ran.output
    assert "node1.yaml:5:18: error ADDR007" in ran.output
    assert len(re.findall(r"^ *Found .* in \d+ files", ran.output, re.M)) == 1, ran.output
    assert "in 303 files" in ran.output  # with .pre-commit-config.yaml


def test_clean_files_pass(repository: Repository) -> None:
    repository.configure("cfglint")
    repository.write("acc.yaml", SINGLE.replace("29500", "0"))
    ran = repository.run("--all-files")
    assert ran.code == 0, ran.output
    assert "Passed" in ran.output


def test_linked_files_are_context(repository: Repository) -> None:
    """Only the script is committed: what its YAML says counts, faults in the YAML are not told."""
    repository.configure("cfglint")
    node = NODE.format(rank=0, address="192.168.100.1").replace("main_process_port: 29500\n", "")
    repository.write("acc.yaml", node + "surely_no_key_of_accelerate: 1\n")
    repository.commit()
    repository.write(
        "run.sh",
        "#!/bin/bash\naccelerate launch --config_file acc.yaml --machine_rank $RANK"
        " --main_process_port 0 train.py\n",
    )
    ran = repository.run()
    assert re.search(r"^ *run\.sh:2:\d+: error PORT005 ", ran.output, re.M), ran.output
    assert not re.search(r"^ *acc\.yaml:\d+:\d+: ", ran.output, re.M), ran.output
    assert "in 1 file " in ran.output
    assert ran.code == 1


def test_other_nodes_are_context(repository: Repository) -> None:
    """Only the second node's file is committed: it is held against the first's."""
    repository.configure("cfglint")
    repository.write("node0.yaml", NODE.format(rank=0, address="192.168.100.1"))
    repository.commit()
    repository.write("node1.yaml", NODE.format(rank=1, address="192.168.100.2"))
    ran = repository.run()
    assert re.search(r"^ *node1\.yaml:5:18: error ADDR007 ", ran.output, re.M), ran.output
    assert not re.search(r"^ *node0\.yaml:\d+:\d+: ", ran.output, re.M), ran.output


def test_fix_writes_and_fails_once(repository: Repository) -> None:
    """A fixing hook fails the commit that it changes and passes the next."""
    repository.configure("cfglint-fix")
    path = repository.write("acc.yaml", "# keep me\n" + SINGLE)
    ran = repository.run("--all-files")
    assert ran.code == 1, ran.output
    assert "files were modified by this hook" in ran.output
    assert path.read_text() == "# keep me\n" + SINGLE.replace("29500", "0")
    again = repository.run("--all-files")
    assert again.code == 0, again.output


def test_excluded_files_stay_out(repository: Repository) -> None:
    """pre-commit hands over excluded files too; the settings leave them out all the same."""
    repository.configure("cfglint")
    repository.write("cfglint.toml", 'exclude = ["vendor/"]\n')
    repository.write("vendor/acc.yaml", SINGLE)
    ran = repository.run("--all-files")
    assert ran.code == 0, ran.output


def pattern() -> re.Pattern[str]:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert [one["id"] for one in hooks] == ["cfglint", "cfglint-fix"]
    assert len({one["files"] for one in hooks}) == 1
    return re.compile(hooks[0]["files"])


NAMES = """
    a.yaml a.yml ds.json run.sh job.sbatch x.slurm .env .env.local train.env .deepspeed_env my_env
    Makefile GNUmakefile justfile .justfile Dockerfile Dockerfile.gpu gpu.dockerfile Containerfile
    hostfile hostfile.txt my_hostfile_2 machinefile hosts launch rules.mk n.ipynb a.env.example nccl.conf
    pretrain.qsub train.slrm eval.batch a.sl b.sb
    a.py README.md x.toml data.csv img.png LICENSE
"""


@pytest.mark.parametrize("name", NAMES.split())
def test_hook_takes_what_a_folder_would(name: str) -> None:
    """The hook's pattern and the walk over a folder agree on names."""
    for path in (name, f"configs/deep/{name}"):
        assert bool(pattern().search(path)) == is_candidate(name)
