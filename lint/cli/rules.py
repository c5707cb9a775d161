"""`cfglint rules`: the list."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from cfglint.cli import UsageError

if TYPE_CHECKING:
    from cfglint.registry import RuleModule


def run(
    selectors: Annotated[
        list[str] | None,
        typer.Argument(help="Only these: codes, prefixes, families or names; all without any."),
    ] = None,
    output_format: Annotated[
        str, typer.Option("--output-format", "--format", help="text or json.")
    ] = "text",
) -> None:
    """List every rule: code, name, severity, fix, what it is about."""
    from cfglint import registry
    from cfglint.cli.explain import summary
    from cfglint.spelling import near

    for word in selectors or ():
        if not registry.is_known(word):
            guess = near(word, registry.known_words())
            raise UsageError(
                f"unknown rule {word!r}" + (f"; did you mean {guess}?" if guess else "")
            )
    modules = [m for m in registry.everything() if m.selected(selectors or ("ALL",))]
    if output_format == "json":
        print(json.dumps([summary(m) for m in modules], indent=1, ensure_ascii=False))
    elif output_format == "text":
        _list(modules)
    else:
        raise UsageError(f"unknown output format {output_format!r}; known are text, json")
    for broken in registry.broken():
        raise UsageError(str(broken))


def _list(modules: list[RuleModule]) -> None:
    from cfglint.cli._output import colour
    from cfglint.report.text import COLOURS, Paint

    paint = Paint(colour())
    width = max((len(m.rule.name) for m in modules), default=0)
    for module in modules:
        rule = module.rule
        shade = COLOURS[rule.severity.label]
        print(
            f"{paint(f'{rule.code:9}', '1')}{rule.name:{width}}"
            f" {paint(f'{rule.severity.label:8}', shade)} {rule.fixes or '-':14} {rule.summary}"
        )
