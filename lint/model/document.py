"""A file of a run: its text, kind, tree and what a reader made of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cfglint.model.readings import ComposeRole
from cfglint.record import dataclass, field
from cfglint.text import SourceText, Span

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cfglint.commands.scope import Scope
    from cfglint.commands.texts import ShellText
    from cfglint.model.launch import ConfigRef, Launch
    from cfglint.model.readings import Batch, Misread, OneLetter, Unfilled, Unshelled
    from cfglint.model.setting import Setting, Word, Written
    from cfglint.model.workload import Workload


KINDS = (
    "accelerate", "deepspeed", "llamafactory", "dataset-info", "compose", "dockerfile", "script",
    "slurm", "kubernetes", "dotenv", "deepspeed-env", "hostfile", "makefile", "justfile",
    "workflow", "notebook", "template",
)  # fmt: skip


@dataclass(slots=True)
class Problem:
    """Something wrong with the text itself, found while it was read.

    `code` is the SYN rule that reports it; `detail` is what that rule needs beside the message.
    """

    code: str
    message: str
    span: Span
    detail: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Document:
    """One file.

    `path` is how reports name it (relative to the working directory, forward slashes); `file` is
    where it lies. `given` says that it was asked for: findings stand only in given documents, the
    others are read for context. `tree` is the parsed form its kind has: `YamlFile`, `JsonFile`,
    `Dockerfile`, `Script` ... of `cfglint.syntax`, or None.
    """

    path: str
    file: Path
    source: SourceText
    kind: str | None = None
    reason: str = ""
    given: bool = True
    tree: Any = None
    problems: list[Problem] = field(default_factory=list)
    launches: list[Launch] = field(default_factory=list)
    # Scripts that its containers start, which no line shows to take part in a job.
    scripts: list[Launch] = field(default_factory=list)
    links: list[ConfigRef] = field(default_factory=list)
    files: list[Document] = field(default_factory=list, repr=False)  # of one Compose project
    outer: Document | None = field(default=None, repr=False)  # the script that writes it
    inner: list[Document] = field(default_factory=list, repr=False)  # what it writes (`embedded`)
    places: tuple[Any, dict[int, list[Any]]] | None = field(default=None, repr=False)  # `editing`
    holds: str | None = None  # the kind of a config that stands in this one as a mapping
    # Makes the texts of it that a shell runs by themselves (not those of containers), of those that
    # a test lets through.
    shell_texts: Callable[[Callable[[str], bool]], Iterable[ShellText]] | None = None
    # Makes the variables that its data give to steps or pods, whatever these run.
    variables: Callable[[], Iterable[Setting]] | None = None
    batches: dict[int, Batch] = field(default_factory=dict)  # by where they begin
    # The containers that its commands start, by their names; None where several have one name.
    started_boxes: dict[str, Scope | None] = field(default_factory=dict, repr=False)
    workloads: list[Workload] = field(default_factory=list)
    unsplit: list[Word] = field(default_factory=list)  # items that hold a whole command line
    misread: list[Misread] = field(default_factory=list)
    unshelled: dict[int, Unshelled] = field(default_factory=dict)  # by where they begin
    unfilled: list[Unfilled] = field(default_factory=list)
    one_letter: dict[int, OneLetter] = field(default_factory=dict)  # by where they begin
    # Scripts that services start, each with its environment.
    started: list[tuple[str, Mapping[str, Setting]]] = field(default_factory=list)
    written: Written | None = None  # as which its outer script writes it
    kept: list[Written] = field(default_factory=list, repr=False)  # what it holds for others
    compose: ComposeRole = field(default_factory=ComposeRole)
    _facts: dict[str, Any] = field(default_factory=dict, repr=False)

    def fact(self, key: str, compute: Callable[[], Any]) -> Any:
        """Something that several rules need of the file, computed once."""
        if key not in self._facts:
            self._facts[key] = compute()
        return self._facts[key]

    @property
    def unit(self) -> list[Document]:
        """The files that are started together as one: those of its Compose project, or itself."""
        return self.files or [self]

    @property
    def readable(self) -> bool:
        """Whether its bytes are text; else there is no tree, and one problem says why."""
        return not self.problems or all(problem.code != "SYN001" for problem in self.problems)

    @property
    def is_unseen(self) -> bool:
        """Whether none of its content could be looked at, and its name promises no kind."""
        return self.kind is None and any(
            problem.code == "SYN001" and not problem.detail.get("data") for problem in self.problems
        )

    @property
    def root(self) -> Any:
        """The root node of a YAML or JSON file (of its first document), None else."""
        return getattr(self.tree, "root", None)

    @property
    def roots(self) -> list[Any]:
        """The root nodes of all YAML documents in the file."""
        return getattr(self.tree, "roots", [])
