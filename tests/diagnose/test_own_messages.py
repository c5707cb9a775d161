"""Every rule is found by the message that its own page quotes, in its own bad example."""

from __future__ import annotations

from pathlib import Path

from cfglint import registry
from cfglint.explain import diagnose, pages, symptoms
from cfglint.registry import RuleModule
from tests.lintcases import session

RIGHT_FIRST = 0.9
# Rules whose page tells no message: what they are about ends no job.
WITHOUT_MESSAGE = {"ACC008", "LF007", "RUN013"}


def quoted(module: RuleModule) -> list[str]:
    """The lines of a page that one of the rule's own symptoms matches."""
    lines: list[str] = []
    for section in pages.sections(module.page):
        if section.title.startswith("Example"):
            continue
        for part in section.parts:
            if isinstance(part, str):
                lines.append(" ".join(part.replace("`", "").split()))
            else:
                # A long message is wrapped on the page.
                block = part.text.splitlines()
                lines += [*block, " ".join(line.strip() for line in block)]
    own = module.rule.code
    return [x for x in lines if any(s.module.rule.code == own for s, _ in symptoms.matches(x))]


def test_rules_are_found_by_their_own_message(tmp_path: Path) -> None:
    right, missed, asked = 0, [], 0
    for module in registry.everything():
        code = module.rule.code
        shown = pages.examples(module.page)
        if not module.rule.symptoms or not shown:
            continue
        lines = quoted(module)
        if code in WITHOUT_MESSAGE:
            assert not lines, f"{code} quotes a message now"
            continue
        assert lines, f"the page of {code} quotes none of its messages"
        folder = tmp_path / code
        for name, text in shown[0].bad.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        found = diagnose.diagnose(diagnose.read([lines[0]]), session(folder).lint())
        order = [e.module.rule.code for e in found.explained]
        asked += 1
        right += order[:1] == [code]
        # A page may quote another port or address than its example has; that is no explanation.
        known = [*order, *(e.module.rule.code for e in found.possible)]
        if code not in known:
            missed.append(f"{code} is not among {known} for {lines[0]!r}")
    assert not missed
    assert asked > 100
    assert right / asked >= RIGHT_FIRST, f"{right} of {asked}"
