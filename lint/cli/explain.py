"""`cfglint explain RULE`: a rule's page. `--error TEXT` finds the rule of an error message."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cfglint.cli import UsageError

if TYPE_CHECKING:
    from cfglint.registry import RuleModule

EPILOG = (
    "A whole log is `cfglint diagnose LOG`'s matter. All rules: `cfglint rules`."
    " Exit codes: 0 found, 1 no rule knows such an error, 2 no such rule."
)


def run(
    rules: Annotated[
        list[str] | None,
        typer.Argument(help="Codes, prefixes, names or families: PORT001, port-hardcoded, port."),
    ] = None,
    error: Annotated[
        str | None, typer.Option(help="An error message, or a part of one: which rules explain it?")
    ] = None,
    output_format: Annotated[
        str, typer.Option("--output-format", "--format", help="text or json.")
    ] = "text",
) -> None:
    """Print a rule's page: what it flags, why that fails, an example and its repair."""
    if output_format not in ("text", "json"):
        raise UsageError(f"unknown output format {output_format!r}; known are text, json")
    if error is not None:
        if rules:
            raise UsageError("give a rule or --error, not both")
        raise typer.Exit(0 if _search(error, output_format == "json") else 1)
    if not rules:
        raise UsageError(
            "which rule? `cfglint explain PORT001`, or `cfglint explain --error 'EADDRINUSE'`"
        )
    modules = [module for word in rules for module in _named(word)]
    if output_format == "json":
        data = [as_data(module) for module in modules]
        print(json.dumps(data[0] if len(data) == 1 else data, indent=1, ensure_ascii=False))
        return
    from cfglint.cli._output import colour

    for count, module in enumerate(modules):
        if count:
            print()
        if colour():
            _in_colour(module)
        else:
            print(f"{_headline(module)}\n\n{module.page}")


def _named(word: str) -> list[RuleModule]:
    """The rules that a code, prefix, name or family means. Raises UsageError for none."""
    from cfglint import registry
    from cfglint.spelling import near

    one = registry.lookup(word)
    if one is not None:
        return [one]
    group = [m for m in registry.everything() if m.selected([word])]
    if not group:
        for broken in registry.broken():
            if broken.selected([word]):
                raise UsageError(str(broken))
        guess = near(word, registry.known_words())
        meant = f"; did you mean {guess}?" if guess else "; `cfglint rules` lists them"
        raise UsageError(f"there is no rule {word!r}{meant}")
    return group


def _headline(module: RuleModule) -> str:
    rule = module.rule
    fix = f"{rule.fixes} fix" if rule.fix else "no automatic fix"
    return f"{rule.code} {rule.name} ({rule.severity.label}, {fix}, since {rule.since})"


def _in_colour(module: RuleModule) -> None:
    from rich.console import Console
    from rich.markdown import Markdown
    from rich.text import Text

    from cfglint.explain import pages

    rule = module.rule
    shade = {"error": "red", "warning": "yellow", "info": "cyan"}[rule.severity.label]
    head = Text()
    head.append(f"{rule.code} ", style=f"bold {shade}")
    head.append(rule.name, style="bold")
    head.append(f"  {_headline(module).partition('(')[2].rstrip(')')}", style="dim")
    console = Console(force_terminal=True, width=_width(), highlight=False)
    console.print(head)
    console.print()
    console.print(Markdown(pages.markdown(module.page), code_theme="ansi_dark"))


def _width() -> int | None:
    """At most 100 columns: longer lines are hard to read."""
    import shutil

    return min(shutil.get_terminal_size().columns, 100)


def _search(error: str, as_json: bool) -> bool:
    """Print the rules that explain an error message, best first; whether there are any."""
    from cfglint.explain import symptoms

    hits = symptoms.search(error)
    if as_json:
        rows = [{**summary(hit.module), "matched": hit.text, "in": hit.where} for hit in hits]
        print(json.dumps(rows, indent=1, ensure_ascii=False))
        return bool(hits)
    if not hits:
        print(
            "No rule knows such an error. It may come from the program, the data or the machine"
            " rather than from the files that start the job.",
            file=sys.stderr,
        )
        return False
    from cfglint.cli._output import colour
    from cfglint.report.text import COLOURS, Paint
    from cfglint.wording import visible

    paint = Paint(colour())
    width = max(len(hit.module.rule.name) for hit in hits)
    for hit in hits:
        rule = hit.module.rule
        print(
            f"{paint(f'{rule.code:8}', '1', COLOURS[rule.severity.label])}"
            f" {paint(f'{rule.name:{width}}', '1')}  {rule.summary}"
        )
        print(f"{'':8} {'':{width}}  {paint(visible(hit.why), '2')}")
    best = hits[0].module.rule
    print(
        f"\n`cfglint explain {best.code}` prints the page; `cfglint diagnose LOG PATHS` holds a log"
    )
    print("against your files.")
    return True


def summary(module: RuleModule) -> dict[str, Any]:
    """What a list of rules says of one."""
    rule = module.rule
    return {
        "code": rule.code,
        "name": rule.name,
        "severity": rule.severity.label,
        "fix": rule.fix or None,
        "kinds": list(rule.kinds),
        "since": rule.since,
        "family": module.family,
        "summary": rule.summary,
    }


def as_data(module: RuleModule) -> dict[str, Any]:
    """Everything a rule says of itself: its declaration, its page, its examples as files."""
    from cfglint.explain import pages

    return {
        **summary(module),
        "cause": module.rule.cause,
        "help": module.rule.help,
        "symptoms": list(module.rule.symptoms),
        "page": module.page,
        "examples": [{"bad": e.bad, "repair": e.repair} for e in pages.examples(module.page)],
    }
