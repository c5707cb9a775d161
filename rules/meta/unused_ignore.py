"""A suppression comment that suppresses nothing.

## What it flags

`# cfglint: ignore[PORT001]` where no such finding is left, an ignore without a rule in brackets, a
rule that does not exist, and a word other than `ignore` or `ignore-file`.

## Why

A stale ignore hides the next fault of that line. A bare one hides all of them, so it has no effect
and is reported.

## Example

    main_process_port: 0  # cfglint: ignore[port-hardcoded]

Repair: remove the comment (`--fix` does).

    main_process_port: 0
"""

from collections.abc import Iterator

from cfglint.edit import DropComment
from cfglint.project import Project
from cfglint.registry import is_known, known_words
from cfglint.rule import WARNING, Edit, Finding, Fix, Rule, Span, near
from cfglint.suppressions import Suppression

RULE = Rule(
    code="META001",
    name="unused-ignore",
    severity=WARNING,
    summary="a suppression comment that suppresses nothing",
    fix="safe",
    help="Remove the comment, or name the rule it is for.",
)


def check_suppressions(comments: list[Suppression], project: Project) -> Iterator[Finding]:
    """Findings for the comments of all given files, once every other rule has spoken."""
    partial = bool(project.settings.select or project.settings.ignore)
    for comment in comments:
        if comment.word not in ("ignore", "ignore-file"):
            yield _at(comment, f"cfglint knows no comment {comment.word!r}, only ignore and ignore-file")
        elif not comment.rules:
            yield _at(comment, f"`{comment.word}` without a rule has no effect; name it: ignore[CODE]")
        else:
            for word in comment.rules:
                if word in comment.used:
                    continue
                if not is_known(word):
                    guess = near(word, known_words())
                    meant = f"; did you mean {guess}?" if guess else ""
                    yield _at(comment, f"there is no rule {word}{meant}")
                elif not partial:
                    fix = _fix(comment) if not comment.used else None
                    yield _at(comment, f"{word} has nothing to suppress here", fix)


def _at(comment: Suppression, message: str, fix: Fix | None = None) -> Finding:
    return RULE.finding(comment.document, comment.span, message, fix=fix)


def _fix(comment: Suppression) -> Fix:
    source = comment.document.source
    span = comment.span
    if comment.alone:
        span = Span(source.line_of(span.start).start, source.line_end_after(span.start))
    else:
        line = source.line_of(span.start)
        rest = source.text[span.end : line.end]
        kept = len(source.text[line.start : span.start].rstrip())
        if not rest.strip():
            span = Span(line.start + kept, line.end)
    text = source.slice(comment.span)
    return Fix(
        "remove the comment",
        (Edit(comment.document.path, span, "", (DropComment(text),)),),
        safe=True,
    )
