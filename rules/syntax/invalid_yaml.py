"""YAML that does not parse.

## What it flags

A file of a known kind that the YAML parser refuses, at the line and column where it stopped. Conflict
markers of a merge and tabs used as indentation are named as such. Templates (Jinja, Helm) are a kind
of their own and are not judged.

## Why it fails

    yaml.scanner.ScannerError: mapping values are not allowed here

is what accelerate, LLaMA-Factory (`yaml.safe_load`, OmegaConf) and compose print before anything
starts.

## Example

    distributed_type: MULTI_GPU
    num_machines: 2
    num_processes: 16
    main_process_ip: 10.0.0.1: 21500

Repair: quote a value that holds a colon and a blank, and mend the indentation.

    distributed_type: MULTI_GPU
    num_machines: 2
    num_processes: 16
    main_process_ip: 10.0.0.1
    main_process_port: 21500
"""

import re
from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Rule

RULE = Rule(
    code="SYN002",
    name="invalid-yaml",
    severity=ERROR,
    summary="YAML that does not parse",
    symptoms=(
        r"yaml\.(scanner\.ScannerError|parser\.ParserError|composer\.ComposerError)",
        r"mapping values are not allowed here",
        r"could not find expected ':'",
        r"found character '\\t' that cannot start any token",
    ),
    cause="Whatever reads this file stops here with a yaml ScannerError or ParserError.",
    help="Mend the YAML at this place; what follows it has not been checked.",
)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The place where the parser stopped, or the first conflict marker."""
    for problem in document.problems:
        if problem.code != RULE.code:
            continue
        if "unmerged" in problem.detail:
            yield RULE.at(
                problem, problem.message, document=document, help=problem.detail["unmerged"]
            )
            continue
        line = document.source.line_of(problem.span.start)
        tab = re.match(r"[ ]*\t", document.source.slice(line))
        message = "a tab is used as indentation; YAML allows only blanks there"
        yield RULE.at(
            problem, message if tab else f"not valid YAML: {problem.message}", document=document
        )
