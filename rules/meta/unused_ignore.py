"""A suppression that suppresses nothing.

## What it flags

`# cfglint: ignore[PORT001]` where no such finding is left, an ignore without a rule in brackets, a
rule that does not exist, a word that cfglint does not know, and a block without its other end. In
the settings: an entry of `per-file-ignores` that nothing needs (when the whole tree is linted).

## Why

A stale ignore hides the next fault of that line. A bare one would hide all of them, so it has no
effect and is reported.

## Example

    compute_environment: LOCAL_MACHINE
    distributed_type: MULTI_GPU
    num_processes: 8
    main_process_port: 0  # cfglint: ignore[port-hardcoded]

Repair: remove the comment (`--fix` does).

    compute_environment: LOCAL_MACHINE
    distributed_type: MULTI_GPU
    num_processes: 8
    main_process_port: 0
"""

from collections.abc import Iterator

from cfglint.adoption.suppressions import WORDS, Suppression
from cfglint.model.edit import DropComment
from cfglint.project import Project
from cfglint.registry import is_known, known_words
from cfglint.rule import WARNING, Document, Edit, Finding, Fix, Rule, Span, near

RULE = Rule(
    code="META001",
    name="unused-ignore",
    severity=WARNING,
    summary="a suppression that suppresses nothing",
    fix="safe",
    help="Remove the comment, or name the rule it is for.",
)


def check_suppressions(comments: list[Suppression], project: Project) -> Iterator[Finding]:
    """Findings for the comments of all given files, once every other rule has spoken."""
    partial = bool(project.settings.select or project.settings.ignore)
    for comment in comments:
        if comment.word not in WORDS:
            guess = near(comment.word, WORDS)
            meant = f"did you mean {guess}?" if guess else f"it knows {', '.join(WORDS)}"
            yield _at(comment, f"cfglint knows no comment {comment.word!r}; {meant}")
            continue
        if comment.problem:
            yield _at(comment, f"`{comment.word}` has no other end: {comment.problem}")
        if comment.word == "ignore-end":
            continue
        if not comment.rules:
            lacks = f"`{comment.word}` without a rule has no effect; name it: ignore[CODE]"
            yield _at(comment, lacks)
        for word in comment.rules:
            if word in comment.used:
                continue
            if not is_known(word):
                guess = near(word, known_words())
                meant = f"; did you mean {guess}?" if guess else "; `cfglint rules` lists them"
                yield _at(comment, f"there is no rule {word}{meant}")
            elif not partial:
                whole = not comment.used and comment.word != "ignore-begin"
                fix = _fix(comment) if whole else None
                yield _at(comment, f"{word} has nothing to suppress here", fix)


def check_file_ignores(document: Document, span: Span, message: str) -> Iterator[Finding]:
    """The finding for an entry of `per-file-ignores` at a place of the settings file."""
    yield RULE.finding(document, span, message, help="Remove the entry.")


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
