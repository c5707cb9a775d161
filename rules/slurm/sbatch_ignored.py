"""An #SBATCH line that Slurm does not read as it is meant.

## What it flags

An `#SBATCH` line below the first command; a variable in one (`$HOME`), which is never expanded;
blanks around the sign of `--key = value`. In a batch script that a script submits by a
here-document, too: there a shell expands the variables, if the here-document's sign is not quoted.

## Why it fails

sbatch reads directives up to the first command and takes them literally. A late one is a comment;
the job gets the cluster's defaults, one node for instance. A literal `$HOME` becomes a folder of
that name, or the job is refused:

    sbatch: error: Unable to open file
    sbatch: error: Invalid numeric value "=" for --nodes.

## Example

    #!/bin/bash
    #SBATCH --nodes=2
    export NCCL_DEBUG=WARN
    #SBATCH --time=02:00:00
    srun torchrun --nnodes=2 --nproc_per_node=8 --rdzv_backend=c10d --rdzv_id=1 --rdzv_endpoint=n1:29400 train.py

Repair: all directives above the first command.

    #!/bin/bash
    #SBATCH --nodes=2
    #SBATCH --time=02:00:00
    export NCCL_DEBUG=WARN
    srun torchrun --nnodes=2 --nproc_per_node=8 --rdzv_backend=c10d --rdzv_id=1 --rdzv_endpoint=n1:29400 train.py
"""

import re
from collections import Counter
from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import WARNING, Document, Edit, Finding, Fix, Rule, Setting, Span, repair

RULE = Rule(
    code="SLURM001",
    name="sbatch-ignored",
    severity=WARNING,
    summary="an #SBATCH line that Slurm does not read as it is meant",
    fix="safe",
    kinds=("slurm", "script"),
    symptoms=(r"sbatch: error: Invalid numeric value \"=\"", r"sbatch: error: Unable to open file"),
)
# A sign with blanks and a value behind it; nothing but a comment there is a form to fill in.
_BLANKS = re.compile(r"(?:[ \t]+=[ \t]*|=[ \t]+)(?=[^\s#-])")


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """Each directive of each batch script that the file is or submits."""
    for batch in document.batches.values():
        yield from _ignored(document, batch.directives, batch.body, batch.is_literal)


def _moved(document: Document, line: Span, body: int) -> Fix | None:
    """The repair that makes a late directive count, for an option that stands nowhere else: of two
    values the last one would hold. None where Slurm would take a variable by its name."""
    source = document.source
    if "$" in source.slice(line).partition("#SBATCH")[2].partition(" #")[0]:
        return None
    return repair(
        "move it above the first command",
        Edit(document.path, Span(line.start, source.line_end_after(line.start)), ""),
        Edit(document.path, Span(body, body), source.slice(line) + source.newline),
        safe=True,
    )


def _ignored(
    document: Document, directives: list[Setting], body: int, is_literal: bool
) -> Iterator[Finding]:
    source = document.source
    late: set[int] = set()
    given = Counter(setting.key for setting in directives)
    for setting in directives:
        key = setting.key_span or setting.span
        line = source.line_of(key.start)
        if key.start > body:
            if line.start not in late:
                late.add(line.start)
                yield RULE.finding(
                    document,
                    line,
                    f"{setting.key} stands below the first command, where it is a comment",
                    cause="The job runs without it.",
                    help="Move the line up.",
                    fix=_moved(document, line, body) if given[setting.key] == 1 else None,
                )
            continue
        filled_in = "template" in document.path.lower()
        if is_literal and "$" in (setting.text or "") and not filled_in:
            yield RULE.at(
                setting,
                f"{setting.text} is not expanded in an #SBATCH line",
                cause="Slurm takes the text as it is written, dollar sign included.",
                help="Give the option on sbatch's command line, or use Slurm's own %j, %x, %u.",
            )
        blanks = _BLANKS.match(source.text, key.end)
        if blanks:
            yield RULE.finding(
                document,
                Span(key.start, key.end + len(blanks.group())),
                f'blanks around the sign: Slurm takes "=" for the value of {setting.key}',
                cause="sbatch refuses the job, or takes the next word for its script.",
                help=f"Write {setting.key}=VALUE.",
                fix=repair(
                    "take the blanks out",
                    Edit(document.path, Span(key.end, key.end + len(blanks.group())), "="),
                    safe=True,
                ),
            )
