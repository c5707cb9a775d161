"""docs/rules/ and the README's table say what the rules say."""

from __future__ import annotations

import re
from pathlib import Path

from cfglint import registry
from cfglint.explain import symptoms
from docs import generate

RULE_LINK = re.compile(r"\]\(([\w./-]+)\)")


def test_nothing_is_stale() -> None:
    wrong = [str(path.relative_to(generate.ROOT)) for path in generate.stale()]
    assert wrong == [], "run python -m docs.generate"


def test_readme_has_the_table() -> None:
    text = generate.README.read_text(encoding="utf-8")
    between = text.partition(generate.BEGIN)[2].partition(generate.END)[0]
    for module in registry.everything():
        assert f"| {module.rule.code} | [{module.rule.name}](" in between


def test_links_lead_somewhere() -> None:
    pages = [*generate.RULES.glob("*.md"), *(generate.ROOT / "docs").glob("*.md")]
    assert len(pages) > len(registry.everything())
    for page in pages:
        for target in RULE_LINK.findall(page.read_text(encoding="utf-8")):
            path = page.parent / target.partition("#")[0]
            assert path.exists(), f"{page.name} links to {target}"


def test_a_changed_rule_makes_its_page_stale(tmp_path: Path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr(generate, "RULES", tmp_path)
    made = generate.wanted()
    for path, text in made.items():
        if path.parent == tmp_path:
            path.write_text(text)
    assert all(path.parent != tmp_path for path in generate.stale())
    page = tmp_path / "port-out-of-range.md"
    page.write_text(page.read_text() + "more\n")
    (tmp_path / "gone.md").write_text("a rule that is no more\n")
    assert {page, tmp_path / "gone.md"} <= set(generate.stale())


def test_table_escapes_bars() -> None:
    text = f"a\n{generate.BEGIN}\nold\n{generate.END}\nb\n"
    assert generate.with_table(text, "new") == (
        f"a\n{generate.BEGIN}\n\nnew\n\n{generate.END}\nb\n"
    )


def test_symptoms_are_specific() -> None:
    """Each pattern compiles and spells out enough of a message to mean something."""
    for symptom in symptoms.table():
        source = symptom.pattern.pattern
        assert symptom.weight >= 4, f"{symptom.module.rule.code}: {source!r} is too general"
        assert not symptom.pattern.search("Traceback (most recent call last):"), source
        assert not symptom.pattern.search("RuntimeError: something went wrong"), source
        assert not symptom.pattern.search("exitcode  : 1 (pid: 4711)"), source
