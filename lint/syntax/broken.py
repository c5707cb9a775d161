"""What breaks a shell text off or apart before anything of it runs: SYN007 and SYN009."""

from __future__ import annotations

from cfglint.model.document import Document
from cfglint.model.fragment import Fragment
from cfglint.syntax.assignments import cut_assignments
from cfglint.syntax.continuations import broken_continuations


def tell(document: Document, fragment: Fragment) -> None:
    """Add what is wrong with a shell text of a file to the file's problems, each place once: a text
    may be read for each call of it, and as a part of another one."""
    seen = {(problem.code, problem.span.start) for problem in document.problems}
    returns = document.kind != "slurm"  # which sbatch refuses
    for problem in (*broken_continuations(fragment, returns), *cut_assignments(fragment)):
        if (problem.code, problem.span.start) not in seen:
            document.problems.append(problem)
