r"""A continued command breaks off, and the rest of its options is lost.

## What it flags

In scripts, and in what recipes, workflow steps, notebook cells, containers, `bash -c` and
here-documents give to a shell: a blank, a carriage return (line breaks of Windows, scripts only) or
a comment behind a trailing backslash, and a comment line or an empty line inside a continued command,
where options, overrides of Hydra's (`data.path=x`) or a program follow; a line that begins with an option, or an
indented one with an override, below the line of a launch that ends without a backslash, or with a
slash in its place; an option at the margin below a backslash without a blank in front, which makes
one word of both; a backslash and a blank in front of an option in the middle of a line. A recipe's
line that begins with `--option` counts, too: make takes the dashes for its sign to ignore errors,
and runs `option`. In a list `NAME=( ... )` comment lines are fine; what follows a backslash on its line becomes items of the list.

## Why it fails

A backslash continues a line only when the line break follows at once. A blank behind it is an
argument " ", or part of the next word; a comment swallows its own backslash. The rest runs as
another command:

    run.sh: line 7: --master_port: command not found

## Example

    torchrun --nproc_per_node=8 \␠
        --nnodes=1 train.py

Repair: nothing behind the backslash.

    torchrun --nproc_per_node=8 \
        --nnodes=1 train.py
"""

from collections.abc import Iterator

from cfglint.programs.broken_lines import broken_line, slash_for_backslash
from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Launch, Rule, repair

RULE = Rule(
    code="SYN007",
    name="shell-continuation-broken",
    severity=ERROR,
    summary="a continued command breaks off",
    fix="safe",
    symptoms=(
        r"line \d+: (?P<value>--?[\w-]+|\+{0,2}\w+(?:\.\w+)+=).*: command not found",
        r"the following arguments are required: training_script",
        r"can't find '__main__' module in '/'",
    ),
    cause="The rest is run as another command, which does not exist.",
)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """Each place that the reader found."""
    for problem in document.problems:
        if problem.code != "SYN007":
            continue
        yield RULE.at(
            problem,
            problem.message,
            document=document,
            cause=problem.detail.get("cause"),
            help=problem.detail.get("help", "Remove what follows the backslash."),
            fix=repair(problem.detail["title"], *problem.detail["edits"], safe=True),
        )


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """A launch in a recipe, a step, a cell or a container's script; a slash for its program."""
    slash = slash_for_backslash(launch)
    if slash is not None:
        yield RULE.finding(
            launch.document,
            slash.span,
            "a slash ends the line, where a backslash was meant: it is taken for the program",
            cause="python: can't find '__main__' module in '/'",
            help="Write a backslash.",
            fix=repair("write a backslash", slash.edit, safe=True),
        )
    broken = broken_line(launch)
    if broken is not None:
        yield RULE.finding(
            launch.document,
            broken.span,
            "a blank follows the backslash, so the command ends here",
            cause=f'The rest is run as another command: "{broken.first}: command not found".',
            help="Remove what follows the backslash.",
            fix=repair("remove the blank", broken.edit, safe=True),
        )
