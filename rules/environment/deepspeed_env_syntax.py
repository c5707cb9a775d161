"""A line of `.deepspeed_env` that is not `NAME=value`.

## What it flags

Blank lines, comments, lines without `=`, and `export NAME=value` (a warning) in `.deepspeed_env`.

## Why it fails

DeepSpeed's launcher splits every line at its first `=` and knows neither comments nor blank lines:

    ValueError: not enough values to unpack (expected 2, got 1)

A comment with a `=` in it is worse. It becomes `export # NAME=value; ...`, the shell takes the
rest of the command for a comment, nothing runs on any node, and the launcher ends with exit code
0.

## Example

    === .deepspeed_env
    # NCCL_DEBUG=INFO
    NCCL_SOCKET_IFNAME=eth0

Repair: only NAME=value lines.

    === .deepspeed_env
    NCCL_SOCKET_IFNAME=eth0

## When to ignore it

Never, as long as the file is read; only launches over several machines read it.

## References

- DeepSpeed `launcher/runner.py`.
"""

from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import ERROR, WARNING, Document, Edit, Finding, Rule, Span, repair

RULE = Rule(
    code="ENV008",
    name="deepspeed-env-syntax",
    severity=ERROR,
    summary="a line of .deepspeed_env that is not NAME=value",
    fix="safe",
    kinds=("deepspeed-env",),
    symptoms=(r"not enough values to unpack \(expected 2, got 1\)",),
    cause='The launcher stops: "not enough values to unpack (expected 2, got 1)".',
    help="Only NAME=value lines: no blank lines, no comments, no export.",
)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    source = document.source
    count = len(source.line_starts)
    for number in range(1, count + 1):
        line = source.line_span(number)
        text = source.slice(line).strip()
        if number == count and line.start == line.end:
            continue  # behind the last line break
        whole = Edit(document.path, Span(line.start, source.line_end_after(line.start)), "")
        if "=" not in text:
            what = "a blank line" if not text else f"no NAME=value: {text[:40]}"
            yield _at(document, line, what, whole if not text or text[0] == "#" else None)
        elif text[0] == "#":
            yield RULE.finding(
                document,
                line,
                "a comment with = in it makes every node run nothing, with exit code 0",
                cause="The shell takes all that follows `export #` for a comment.",
                fix=repair("remove the line", whole, safe=True),
            )
        elif text.startswith("export "):
            at = line.start + source.slice(line).index("export ")
            width = len(text) - len(text[len("export ") :].lstrip())
            edit = Edit(document.path, Span(at, at + width), "")
            yield RULE.finding(
                document,
                Span(at, at + len("export")),
                "the launcher writes export itself; a variable called export comes along",
                severity=WARNING,
                cause="It becomes `export export NAME=value`.",
                fix=repair("remove export", edit, safe=True),
            )


def _at(document: Document, line: Span, what: str, edit: Edit | None) -> Finding:
    fix = repair("remove the line", edit, safe=True)
    return RULE.finding(document, line, f"{what} in .deepspeed_env", fix=fix)
