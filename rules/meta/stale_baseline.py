"""A baseline entry whose finding is gone.

## What it flags

An entry of the baseline file (`--baseline`, or `baseline` in the settings) that no finding answers
to any more, in a file that was linted or that no longer exists.

## Why

The fault was repaired, or its line was rewritten. While the entry stays, the same fault can come
back to that line unseen.

## What it looks like

    {"path": "node0.yaml", "rule": "PORT004", ..., "reason": "old cluster"}

after `node0.yaml` was repaired.

## Repair

`cfglint baseline prune` takes the stale entries out and leaves the others, with their reasons, as
they are.
"""

from collections.abc import Iterator

from cfglint.rule import WARNING, Document, Finding, Rule, Span

RULE = Rule(
    code="META002",
    name="stale-baseline",
    severity=WARNING,
    summary="a baseline entry whose finding is gone",
    help="Remove it: `cfglint baseline prune`.",
)


def check_baseline(document: Document, span: Span, message: str) -> Iterator[Finding]:
    """The finding for an entry at a place of the baseline file."""
    yield RULE.finding(document, span, message)
