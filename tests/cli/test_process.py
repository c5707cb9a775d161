"""cfglint as a process of its own: what it loads, and how it ends."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SMALL = """\
compute_environment: LOCAL_MACHINE
distributed_type: MULTI_GPU
machine_rank: 0
main_process_port: 0
mixed_precision: bf16
num_machines: 1
num_processes: 8
"""
ENDS = """
import atexit, sys
class Held:
    def __del__(self):
        print("taken apart")
held = Held()
atexit.register(print, "told")
sys.argv = ["cfglint", *sys.argv[1:]]
from cfglint.cli import main
"""


def python(folder: Path, code: str, *words: str) -> subprocess.CompletedProcess[str]:
    """A program in a folder that holds a small accelerate file."""
    (folder / "acc.yaml").write_text(SMALL)
    return subprocess.run(
        [sys.executable, "-c", code, *words], cwd=folder, capture_output=True, text=True
    )


def test_it_ends_without_taking_its_memory_apart(tmp_path: Path) -> None:
    for words, code in ((["acc.yaml"], 0), (["--nonsense"], 2), (["nowhere.yaml"], 2)):
        done = python(tmp_path, ENDS + "main()", *words)
        assert done.returncode == code, done.stderr
        assert done.stdout.endswith("told\n")  # what others have asked for is done
        assert "taken apart" not in done.stdout
    assert "No problems found" in python(tmp_path, ENDS + "main()", "acc.yaml").stdout


def test_who_looks_on_gets_the_ordinary_end(tmp_path: Path) -> None:
    called = python(tmp_path, f"{ENDS}main(sys.argv[1:])", "acc.yaml")  # from a program
    assert (called.returncode, "taken apart" in called.stdout) == (0, True)
    profiled = subprocess.run(
        [sys.executable, "-m", "cProfile", "-m", "cfglint", "acc.yaml"],
        cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    assert " function calls " in profiled.stdout


LOADS = """
import sys
from cfglint.cli import main
try:
    main(["--isolated", "acc.yaml"])
except SystemExit:
    print(*sys.modules)
"""
UNNEEDED = (
    "cfglint.commands", "cfglint.compose", "cfglint.fixing", "cfglint.syntax.shell", "tree_sitter",
    "cfglint.files.mentions", "cfglint.jobs.siblings", "cfglint.jobs.contention",
    "cfglint.network.node_names", "cfglint.network.service_names", "cfglint.model.workload",
    "cfglint.programs", "cfglint.rules.topology.slurm_ntasks", "cfglint.syntax.heredocs",
    "dataclasses", "jsonschema", "pathspec", "rich", "ruamel", "unicodedata",
)  # fmt: skip


def test_a_small_config_loads_what_it_needs(tmp_path: Path) -> None:
    loaded = python(tmp_path, LOADS).stdout.split()
    assert "cfglint.rules.accelerate.acc_value" in loaded
    assert not [name for name in UNNEEDED if name in loaded]
    own = [name for name in loaded if name.startswith("cfglint")]
    assert len(own) < 150, "each costs a fraction of a millisecond: is the new one needed here?"
