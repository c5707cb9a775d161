"""A variable in a recipe of which make takes the first letter for the name.

## What it flags

`$NAME` in a recipe line of a Makefile that starts a launcher, where no variable is called by the
first letter alone. Left alone: `$(NAME)` and `${NAME}`, which make fills in, and `$$NAME`, which the
shell does.

## Why it fails

make reads `$MASTER_PORT` as `$(M)ASTER_PORT`. With no variable M, the launcher is given the rest:

    torchrun: error: argument --master-port/--master_port: invalid int value: 'ASTER_PORT'

## Example

    === Makefile
    MASTER_PORT ?= 29500
    train:
    ␉torchrun --nproc_per_node 2 --master_port $MASTER_PORT train.py

Repair: make's own brackets, or two dollar signs for a variable of the shell.

    === Makefile
    MASTER_PORT ?= 29500
    train:
    ␉torchrun --nproc_per_node 2 --master_port $(MASTER_PORT) train.py

## References

- GNU make manual, "Basics of Variable References": a dollar sign and another character than a
  dollar sign or bracket takes that one character as the name.
"""

from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import ERROR, Document, Edit, Finding, Rule, repair

RULE = Rule(
    code="RUN020",
    name="make-dollar",
    severity=ERROR,
    summary="a variable in a recipe of which make takes the first letter for the name",
    fix="safe",
    kinds=("makefile",),
    help="Write $(NAME) for a variable of make, $$NAME for one of the shell.",
)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """Each such use in a line with a launcher."""
    for use in document.one_letter.values():
        better = f"$({use.name})" if use.is_set else f"$${use.name}"
        yield RULE.finding(
            document,
            use.span,
            f"make reads ${use.name} as $({use.name[0]}) and {use.name[1:]}",
            cause=f"Nothing sets {use.name[0]}, and the command gets {use.name[1:]}.",
            fix=repair(f"write {better}", Edit(document.path, use.span, better), safe=True),
        )
