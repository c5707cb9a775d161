"""The scripts start as the documents say, and newest releases that pip cannot get stop none."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "schemas" / "derive"))

import package_source  # noqa: E402

SCRIPTS = sorted(
    path.stem
    for path in (ROOT / "schemas" / "derive").glob("*.py")
    if "__main__" in path.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.parametrize("as_module", [True, False])
def test_a_script_starts_as_a_file_and_as_a_module(
    script: str, as_module: bool, tmp_path: Path
) -> None:
    start = ["-m", f"schemas.derive.{script}"] if as_module else [f"schemas/derive/{script}.py"]
    done = subprocess.run(
        [sys.executable, *start, "--help"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "usage:" in done.stdout


def test_all_scripts_are_known() -> None:
    assert {"accelerate", "deepspeed", "environment", "launchers", "transformers"} < set(SCRIPTS)


def test_a_release_that_cannot_be_got_is_passed_over(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def of_release(package: str, version: str) -> str:
        if version > "2.13.0":
            raise RuntimeError(f"pip cannot get {package} {version}: ResolutionImpossible")
        return f"the source of {version}"

    monkeypatch.setattr(
        package_source, "released", lambda _: ["2.12.0", "2.13.0", "2.14.0", "2.15.0"]
    )
    monkeypatch.setattr(package_source.PackageSource, "of_release", of_release)
    assert package_source.PackageSource.newest("torch") == ("2.13.0", "the source of 2.13.0")
    said = capsys.readouterr().err
    assert said.index("torch 2.15.0 is passed over") < said.index("torch 2.14.0 is passed over")

    monkeypatch.setattr(package_source, "released", lambda _: ["2.14.0", "2.15.0"])
    with pytest.raises(RuntimeError, match="none of the newest"):
        package_source.PackageSource.newest("torch")
