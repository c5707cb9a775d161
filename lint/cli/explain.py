"""`cfglint explain RULE`: a rule's page."""

from __future__ import annotations

from typing import Annotated

import typer

from cfglint.cli import UsageError


def run(
    rule: Annotated[str, typer.Argument(help="A code or name: PORT001, port-hardcoded.")],
) -> None:
    """Print a rule's page: what it flags, why that fails, and the repair."""
    from cfglint import registry
    from cfglint.rule import near

    module = registry.lookup(rule)
    if module is None:
        guess = near(rule, registry.known_words())
        raise UsageError(f"there is no rule {rule!r}" + (f"; did you mean {guess}?" if guess else ""))
    one = module.rule
    fix = f"{one.fix} fix" if one.fix else "no automatic fix"
    print(f"{one.code} {one.name} ({one.severity.label}, {fix}, since {one.since})\n\n{module.page}")
