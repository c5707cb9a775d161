"""The rules as they are found: by import, and by reading their declarations."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import cfglint.rules
from cfglint import registry
from cfglint.cli import main
from cfglint.files.kinds import COMMANDS


def test_what_the_text_declares_is_what_is_imported() -> None:
    imported = [(m.rule.code, m.rule.name, m.family) for m in registry.everything()]
    assert list(registry.declared()) == imported


def test_selectors() -> None:
    for word in ("ALL", "PORT", "port", "PORT00", "PORT004", "port-out-of-range", "network"):
        assert registry.is_known(word), word
    for word in ("", "PROT", "PORT999", "port-out", "net-work"):
        assert not registry.is_known(word), word


# -- modules that cannot be imported ---------------------------------------------------------------

RULE_TEXT = """\
from cfglint.rule import ERROR, Rule

RULE = Rule(
    code="ZZZ00{}",
    name="zzz-{}",
    severity=ERROR,
    summary="of a test",
    kinds=("accelerate",),
)


def check_document(document, project):
    yield RULE.finding(document, (0, 1), "the good one ran")
"""


@pytest.fixture
def family(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of a further family, for as long as the test runs."""
    folder = tmp_path / "more" / "zzz"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text('KINDS = ("accelerate",)\n')
    (folder / "zzz_good.py").write_text(RULE_TEXT.format(1, "good"))
    monkeypatch.setattr(cfglint.rules, "__path__", [*cfglint.rules.__path__, str(folder.parent)])
    caches = (registry.families, registry.family, registry.everything, registry.declared)
    for cached in (*caches, registry._rule):
        cached.cache_clear()
    yield folder
    for name in [n for n in sys.modules if n.startswith("cfglint.rules.zzz")]:
        del sys.modules[name]
    registry._BROKEN.clear()
    for cached in (*caches, registry._rule):
        cached.cache_clear()


def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[object, str]:
    (tmp_path / "a.yaml").write_text("distributed_type: MULTI_GPU\nnum_processes: 2\n")
    with pytest.raises(SystemExit) as ended:
        main([*words, "--isolated", "--output-format", "concise", str(tmp_path / "a.yaml")])
    return ended.value.code, capsys.readouterr().out


def test_a_module_that_cannot_be_imported_is_named_and_the_others_run(
    family: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = "from cfglint.model.launch import NoSuchThing\n" + RULE_TEXT.format(2, "bad")
    (family / "zzz_bad.py").write_text(bad)
    (family / "zzz_typo.py").write_text("RULE = Rule(\n")
    code, out = run(tmp_path, capsys)
    assert code == 2
    assert "the good one ran" in out
    assert "META000" in out
    assert (
        "module cfglint.rules.zzz.zzz_bad cannot be imported: ImportError: cannot import name"
        in out
    )
    assert "'NoSuchThing'" in out
    assert "(zzz_bad.py:1)" in out
    assert "module cfglint.rules.zzz.zzz_typo cannot be imported: SyntaxError" in out


def test_a_rule_that_is_not_wanted_may_be_broken(
    family: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (family / "zzz_bad.py").write_text("import no_such_module\n" + RULE_TEXT.format(2, "bad"))
    for words in (("--ignore", "ZZZ002"), ("--ignore", "zzz-bad"), ("--select", "ZZZ001")):
        code, out = run(tmp_path, capsys, *words)
        assert (code, "META000" in out, "the good one ran" in out) == (1, False, True), words


def test_a_family_that_cannot_be_imported(
    family: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (family / "__init__.py").write_text("1 / 0\n")
    code, out = run(tmp_path, capsys)
    assert code == 2
    assert "module cfglint.rules.zzz cannot be imported: ZeroDivisionError" in out


def test_commands_that_show_rules_say_which_is_broken(
    family: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (family / "zzz_bad.py").write_text("import no_such_module\n" + RULE_TEXT.format(2, "bad"))
    for words in (["rules"], ["explain", "ZZZ002"]):
        with pytest.raises(SystemExit) as ended:
            main(words)
        said = capsys.readouterr()
        assert ended.value.code == 2
        assert "cfglint.rules.zzz.zzz_bad cannot be imported" in said.err
        assert ("zzz-good" in said.out) == (words == ["rules"])


def test_modules_for_few_kinds_exist() -> None:
    for name in registry.families():
        package = importlib.import_module(f"cfglint.rules.{name}")
        rules = {m.module.__name__.rpartition(".")[2]: m.rule for m in registry.family(name)}
        for kind, stems in getattr(package, "ALSO", {}).items():
            assert kind not in package.KINDS
            assert set(stems) <= rules.keys()
        for stem, kinds in getattr(package, "ONLY", {}).items():
            # What a rule says of its kinds agrees; what has no limit can be of none of the others.
            assert set(rules[stem].kinds) <= set(kinds), stem


def test_only_what_a_kind_needs_is_loaded() -> None:
    codes = {m.rule.code for m in registry.needed({"accelerate"})}
    assert {"ACC001", "DS013", "RUN009", "PORT004", "SYN001", "TOPO002"} <= codes
    assert not codes & {"DS001", "LF001", "RUN001", "K8S001", "TOPO015", "ADDR008", "SYN008"}
    commands = (kind for kind in COMMANDS if kind != "dotenv")
    assert all("ACC005" in {m.rule.code for m in registry.needed({kind})} for kind in commands)
    for kind in ("script", "makefile", "justfile", "compose"):
        assert "DS013" in {m.rule.code for m in registry.needed({kind})}
    scripts = [m.rule.code for m in registry.needed({"script", "accelerate"})]
    assert {"TOPO015", "ADDR008", "SYN009", "PORT004"} <= set(scripts)
    families = [code.rstrip("0123456789") for code in scripts]
    assert len(set(scripts)) == len(scripts)
    for family in set(families):
        mine = [code for code in scripts if code.rstrip("0123456789") == family]
        assert mine == sorted(mine)
