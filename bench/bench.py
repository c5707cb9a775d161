"""How long cfglint takes, against floors that no Python linter can go below.

    python bench/bench.py [--rounds 5] [--files 1000] [--keep DIR] [--check]

Two ratios, in CPU time (user and system of the whole process; walls lie on a busy machine), of runs
that take turns:

- a tree of mixed configs, against a loop of PyYAML's C compose over the same files (target: 6);
- one small file, against `python -c "import yaml, typer"` (target: 1.6, aim: 1.3).

With --check the exit code is 1 when a target is missed. The tree is made here, from a seed.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from mixed_tree import make_tree

COMPOSE = """
import os, sys, yaml
for folder, _, names in os.walk(sys.argv[1]):
    for name in names:
        if not name.endswith((".yaml", ".yml", ".json")) and not name.startswith("compose"):
            continue
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            yaml.compose(file.read(), Loader=yaml.CSafeLoader)
"""
IMPORTS = "import yaml, typer"
SMALL = """\
compute_environment: LOCAL_MACHINE
distributed_type: MULTI_GPU
machine_rank: 0
main_process_port: 0
mixed_precision: bf16
num_machines: 1
num_processes: 8
"""
TREE_TARGET, FILE_TARGET = 6.0, 1.6


def cpu(command: list[str], folder: Path) -> float:
    """CPU seconds of one run, user and system, of the process and what it starts."""
    # Installed packages have their byte code; a checkout must be allowed to write its own.
    settings = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=settings,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stderr.close()
    if process.returncode not in (0, 1) or "Traceback" in errors:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}:\n{errors}")
    return usage.ru_utime + usage.ru_stime


def in_turns(commands: dict[str, tuple[list[str], Path]], rounds: int) -> dict[str, float]:
    """The median CPU seconds of each command; in every round each runs once."""
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, (command, folder) in commands.items():
            times[name].append(cpu(command, folder))
    return {name: statistics.median(values) for name, values in times.items()}


def main() -> int:
    """Make the tree, measure, print both ratios."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--files", type=int, default=1000)
    options.add_argument("--keep", type=Path, help="make the tree there and leave it")
    options.add_argument("--check", action="store_true", help="exit with 1 when a target is missed")
    chosen = options.parse_args()
    python = sys.executable
    with tempfile.TemporaryDirectory() as scratch:
        tree = chosen.keep or Path(scratch) / "tree"
        make_tree(tree, chosen.files)
        alone = Path(scratch) / "alone"
        alone.mkdir()
        (alone / "acc.yaml").write_text(SMALL, encoding="utf-8")
        lint = [python, "-m", "cfglint", "--isolated", "--output-format", "concise"]
        runs = {
            "compose": ([python, "-c", COMPOSE, "."], tree),
            "tree": ([*lint, "."], tree),
            "imports": ([python, "-c", IMPORTS], alone),
            "file": ([*lint, "acc.yaml"], alone),
        }
        for command, folder in runs.values():
            cpu(command, folder)  # once without counting: byte code is written
        taken = in_turns(runs, chosen.rounds)
    tree_ratio = taken["tree"] / taken["compose"]
    file_ratio = taken["file"] / taken["imports"]
    print(
        f"{chosen.files} mixed configs: {1e3 * taken['tree']:.0f} ms CPU,"
        f" {tree_ratio:.2f} x PyYAML C compose"
        f" ({1e3 * taken['compose']:.0f} ms; target {TREE_TARGET})"
    )
    print(
        f"one small file: {1e3 * taken['file']:.0f} ms CPU,"
        f" {file_ratio:.2f} x importing yaml and typer ({1e3 * taken['imports']:.0f} ms;"
        f" target {FILE_TARGET})"
    )
    missed = tree_ratio > TREE_TARGET or file_ratio > FILE_TARGET
    return 1 if chosen.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
