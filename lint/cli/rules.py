"""`cfglint rules`: the list."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from cfglint.cli import UsageError


def run(
    output_format: Annotated[str, typer.Option(help="text or json.")] = "text",
) -> None:
    """List every rule: code, name, severity, fix, what it is about."""
    from cfglint import registry

    modules = registry.everything()
    if output_format == "json":
        rows = [
            {
                "code": m.rule.code,
                "name": m.rule.name,
                "severity": m.rule.severity.label,
                "fix": m.rule.fix or None,
                "kinds": list(m.rule.kinds),
                "since": m.rule.since,
                "family": m.family,
                "summary": m.rule.summary,
            }
            for m in modules
        ]
        print(json.dumps(rows, indent=1))
    elif output_format == "text":
        width = max((len(m.rule.name) for m in modules), default=0)
        for m in modules:
            rule = m.rule
            print(
                f"{rule.code:9} {rule.name:{width}} {rule.severity.label:8}"
                f" {rule.fix or '-':7} {rule.summary}"
            )
    else:
        raise UsageError(f"unknown output format {output_format!r}; known are text, json")
