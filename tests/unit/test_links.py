"""A link to a file that is looked at anyway is the same file."""

from __future__ import annotations

from pathlib import Path

from cfglint.files.discovery import without_links


def test_one_file_is_judged_once(tmp_path: Path) -> None:
    real, link = tmp_path / "acc.yaml", tmp_path / "a.yaml"
    real.write_text("num_machines: 1\n")
    link.symlink_to(real)
    assert without_links([link, real]) == [real]
    assert without_links([link]) == [link], "alone it is all there is"
    other = tmp_path / "b.yaml"
    other.symlink_to(real)
    assert without_links([link, other]) == [link]
