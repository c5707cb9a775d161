"""More than one YAML document in an accelerate config.

## What it flags

A second document (after `---`) in a file that accelerate reads.

## Why it fails

    yaml.composer.ComposerError: expected a single document in the stream but found another document

## Example

    distributed_type: MULTI_GPU
    num_processes: 2
    ---
    distributed_type: MULTI_GPU
    num_processes: 4

Repair: one file for each.

    distributed_type: MULTI_GPU
    num_processes: 2

## When to ignore it

Never: accelerate does not load the file.

## References

accelerate, commands/config/config_args.py: `load_config_from_file` calls `yaml.safe_load`.
"""

from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Rule, Span

RULE = Rule(
    code="ACC016",
    name="acc-several-documents",
    severity=ERROR,
    summary="more than one YAML document in an accelerate config",
    kinds=("accelerate",),
    symptoms=(r"expected a single document in the stream",),
    cause='accelerate ends with "expected a single document in the stream".',
    help="Keep one document in the file.",
)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The second document, at its first line."""
    if len(document.roots) > 1:
        start = document.roots[1].start
        end = document.source.line_of(start).end
        yield RULE.finding(
            document, Span(start, end), "accelerate reads one document, here is another"
        )
