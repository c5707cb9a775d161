"""An #SBATCH line that Slurm does not read as it is meant.

## What it flags

An `#SBATCH` line below the first command; a variable in one (`$HOME`), which is never expanded;
blanks around the sign of `--key = value`; a misspelt one (`#SBATCh`, `#SBACTH`). In a batch script that
a script submits by a here-document, too: there a shell expands the variables, if the here-document's sign
is not quoted. A batch script that does not begin with `#!`, and one whose lines end as those of Windows
do (an error), which sbatch refuses.

## Why it fails

sbatch reads directives up to the first command and takes them literally. A late one is a comment;
the job gets the cluster's defaults, one node for instance. A literal `$HOME` becomes a folder of
that name, or the job is refused:

    sbatch: error: Unable to open file
    sbatch: error: Invalid numeric value "=" for --nodes.
    sbatch: error: This does not look like a batch script.
    sbatch: error: Batch script contains DOS line breaks (\\r\\n)

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

from collections.abc import Iterator

from cfglint.jobs.directives import misplaced
from cfglint.project import Project
from cfglint.rule import ERROR, WARNING, Document, Finding, Rule

RULE = Rule(
    code="SLURM001",
    name="sbatch-ignored",
    severity=WARNING,
    summary="an #SBATCH line that Slurm does not read as it is meant",
    fix="safe",
    kinds=("slurm", "script"),
    symptoms=(
        r"sbatch: error: Invalid numeric value \"=\"",
        r"sbatch: error: Unable to open file",
        r"This does not look like a batch script",
        r"Batch script contains DOS line breaks",
    ),
)
# Of each kind: what it is, what happens, what to do.
_WORDS = {
    "late": (
        "{key} stands below the first command, where it is a comment",
        "The job runs without it.",
        "Move the line up.",
    ),
    "literal": (
        "{text} is not expanded in an #SBATCH line",
        "Slurm takes the text as it is written, dollar sign included.",
        "Give the option on sbatch's command line, or use Slurm's own %j, %x, %u.",
    ),
    "blanks": (
        'blanks around the sign: Slurm takes "=" for the value of {key}',
        "sbatch refuses the job, or takes the next word for its script.",
        "Write {key}=VALUE.",
    ),
    "misspelt": (
        "{key} is a comment: directives begin with #SBATCH",
        "The job runs without it.",
        "Write #SBATCH, in capitals.",
    ),
    "first": (
        "sbatch takes no script that does not begin with #!",
        'sbatch stops: "This does not look like a batch script."',
        "Write #!/bin/bash into its very first line.",
    ),
    "returns": (
        "sbatch takes no script whose lines end in carriage returns",
        'sbatch stops: "Batch script contains DOS line breaks".',
        "Save the file with line breaks of Linux (dos2unix).",
    ),
}


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """Each directive of each batch script that the file is or submits."""
    for one in misplaced(document):
        message, cause, advice = _WORDS[one.why]
        written = {"key": one.key, "text": one.text}
        yield RULE.finding(
            document,
            one.span,
            message.format(**written),
            severity=ERROR if one.why == "returns" else None,
            cause=cause,
            help=advice.format(**written),
            fix=one.fix,
        )
