"""A suppression without a reason, where the settings ask for one.

## What it flags

With `require-reason = true` in the settings: a `# cfglint: ignore[...]` comment without ` -- ` and
some words behind it, and a baseline entry whose `reason` is empty.

## Why

Whoever meets the comment next year cannot tell whether it still holds.

## Example

    === cfglint.toml
    require-reason = true
    === acc.yaml
    compute_environment: LOCAL_MACHINE
    distributed_type: MULTI_GPU
    num_processes: 8
    main_process_port: 29500  # cfglint: ignore[port-hardcoded]

Repair: say why.

    === acc.yaml
    compute_environment: LOCAL_MACHINE
    distributed_type: MULTI_GPU
    num_processes: 8
    main_process_port: 29500  # cfglint: ignore[port-hardcoded] -- the firewall opens this port only

## When to ignore it

It is silent unless `require-reason` is set.
"""

from collections.abc import Iterator

from cfglint.adoption.suppressions import Suppression
from cfglint.project import Project
from cfglint.rule import WARNING, Document, Finding, Rule, Span

RULE = Rule(
    code="META003",
    name="missing-reason",
    severity=WARNING,
    summary="a suppression without a reason, where the settings ask for one",
    help="Say why behind ` -- `: # cfglint: ignore[CODE] -- the reason.",
)


def check_suppressions(comments: list[Suppression], project: Project) -> Iterator[Finding]:
    """The comments that give no reason."""
    if project.settings.require_reason:
        for comment in comments:
            if comment.rules and not comment.reason and comment.word != "ignore-end":
                text = f"`{comment.word}[{', '.join(comment.rules)}]` gives no reason"
                yield RULE.finding(comment.document, comment.span, text)


def check_reasons(document: Document, span: Span, message: str) -> Iterator[Finding]:
    """The finding for an entry at a place of the baseline file."""
    yield RULE.finding(document, span, message, help='Fill in its "reason".')
