"""Every case under tests/cases: what must be found, what must not, and what --fix makes of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cfglint import registry
from tests.lintcases import CASES, Case, all_cases, copy, known, lint, row, wanted_rows

# Fair warnings that nearly every short launch line earns; they have cases of their own.
AMBIENT = ("ifname-missing", "port-hardcoded")


@pytest.mark.parametrize("case", all_cases(), ids=lambda c: f"{c.rule}/{c.path.name}")
def test_case(case: Case, tmp_path: Path) -> None:
    assert known(case.rule), f"there is no rule {case.rule}"
    tree = copy(case, tmp_path)
    expect = case.expect
    result = lint(tree, expect.get("given", ()))
    assert not result.crashed
    found = [row(f) for f in result.findings]
    titles = [f.fix.title for f in result.findings if f.fix is not None]
    assert [t for t in titles if re.match("[A-Z][a-z]+ ", t)] == [], "titles begin in lower case"
    for finding in result.findings:
        if finding.fix is not None:
            rule = finding.rule
            allowed = {rule.fix, "unsafe" if rule.unsafe_too else rule.fix}
            assert ("safe" if finding.fix.safe else "unsafe") in allowed, f"{rule.code} fixes so"
    wanted = wanted_rows(expect)
    assert bool(wanted) != bool(expect.get("clean")), "a case has findings or is clean"
    assert [r for r in found if r[2] == case.rule] == sorted(r for r in wanted if r[2] == case.rule)
    optional = {(r[0], r[2]) for r in wanted_rows(expect, "optional")}
    others = [
        r
        for r in found
        if r[2] not in (case.rule, *AMBIENT) and r[3] != "info" and (r[0], r[2]) not in optional
    ]
    assert [r for r in others if r not in wanted] == []
    if case.fixed is not None:
        _check_fix(case, tree)


def _check_fix(case: Case, tree: Path) -> None:
    assert case.fixed is not None
    rules = {r[2] for r in wanted_rows(case.expect)}
    repair_only(tree, rules)
    for file in sorted(p for p in case.fixed.rglob("*") if p.is_file()):
        relative = file.relative_to(case.fixed)
        assert (tree / relative).read_text() == file.read_text(), f"{relative} after the fix"
    again = repair_only(tree, rules)
    assert again == {}, "a second run changes files again"


def repair_only(tree: Path, rules: set[str]) -> dict[str, bytes]:
    from cfglint.fixing.fixer import fix
    from cfglint.record import replace
    from tests.lintcases import session

    one = session(tree)
    one.settings = replace(one.settings, select=tuple(sorted(rules)))
    fixed = fix(one.lint(), one.lint, unsafe=True)
    for path, data in fixed.texts.items():
        (tree / path).write_bytes(data)
    return fixed.texts


@pytest.mark.parametrize("module", registry.everything(), ids=lambda m: m.rule.code)
def test_rule_has_cases(module: registry.RuleModule) -> None:
    """At least two failing cases and two clean near-misses, and a fixed tree where it fixes."""
    if module.family == "meta":
        pytest.skip("tested with the suppressions")
    cases = [c for c in all_cases() if c.rule == module.rule.name]
    failing = [c for c in cases if not c.expect.get("clean")]
    clean = [c for c in cases if c.expect.get("clean")]
    assert len(failing) >= 2, f"{len(failing)} failing cases in {CASES / module.rule.name}"
    assert len(clean) >= 2, f"{len(clean)} clean near-misses"
    if module.rule.fix:
        assert any(c.fixed for c in failing), "it fixes, but no case shows a fixed tree"


def test_rules_are_declared_once() -> None:
    codes = [m.rule.code for m in registry.everything()]
    names = [m.rule.name for m in registry.everything()]
    assert len(set(codes)) == len(codes)
    assert len(set(names)) == len(names)
    for module in registry.everything():
        assert module.page, f"{module.rule.code} has no page"
        assert module.module.__name__.rsplit(".", 1)[-1] == module.rule.name.replace("-", "_")
