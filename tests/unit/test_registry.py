"""The rules as they are found: by import, and by reading their declarations."""

from __future__ import annotations

from cfglint import registry


def test_what_the_text_declares_is_what_is_imported() -> None:
    imported = [(m.rule.code, m.rule.name, m.family) for m in registry.everything()]
    assert list(registry.declared()) == imported


def test_selectors() -> None:
    for word in ("ALL", "PORT", "port", "PORT00", "PORT004", "port-out-of-range", "network"):
        assert registry.is_known(word), word
    for word in ("", "PROT", "PORT999", "port-out", "net-work"):
        assert not registry.is_known(word), word
