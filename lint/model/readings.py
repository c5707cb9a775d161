"""What readers find in a file that is neither a launch nor a fault of the text."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from cfglint.record import dataclass
from cfglint.text import Span

if TYPE_CHECKING:
    from cfglint.model.document import Document
    from cfglint.model.edit import Edit
    from cfglint.model.setting import Setting


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch script: its directives, and where its first command stands (offsets of the file).

    `is_literal` False: a shell fills in its variables when it submits it.
    """

    directives: list[Setting]
    body: int
    is_literal: bool = True


@dataclass(frozen=True, slots=True)
class Misread:
    """A piece of a command that Compose reads in another way than a shell.

    `what`: "operator" (it and the rest are dropped), "continuation" (a backslash before a line
    break), "refused" (a parenthesis), "script" (words behind a shell's -c). `hides` says that a
    job's start is in what does not run, and in nothing that does.
    """

    what: str
    text: str
    span: Span
    hides: bool
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True, slots=True)
class Unshelled:
    """A piece of a command that only a shell knows, where none reads it.

    `what`: "assignment", "builtin" (a command of the shell's own), "operator" (an item of a list),
    "expanded" (assignments from a variable, which a shell takes for plain words), "image" (an
    assignment without `-e` in front of a container's image). `program` starts
    the command on the same machine (`nohup`); "" for a container's own. `service` is the Compose
    service whose entrypoint, which may be a shell, gets the command; "" where none does.
    """

    what: str
    text: str
    span: Span
    edits: list[Edit] | None
    program: str = ""
    service: str = ""


@dataclass(frozen=True, slots=True)
class Unfilled:
    """`$NAME` at a place of the file. `edit` makes it `$$NAME`, where a shell reads it."""

    name: str
    span: Span
    setting: Setting
    edit: Edit | None


@dataclass(slots=True)
class OneLetter:
    """A `$NAME` of a recipe, of which make takes the first letter for the name. `is_set`: a
    variable of the whole name is set in the file."""

    span: Span
    name: str
    is_set: bool = False


@dataclass(slots=True)
class ComposeRole:
    """What a Compose file is in its project.

    `merged`: commands name it together with others. `is_open`: what it says may be overruled, or
    is judged with another file. `partial`: it includes what is not at hand. `claimed`: names of
    services that other files of the project have too. `folder`: from which its paths lead, where
    that is not its own. `included_by`: the one file that includes it; `unclear_variables`: several
    do, or one in a way that leaves its variables open.
    """

    merged: bool = False
    is_open: bool = False
    partial: bool = False
    claimed: Collection[str] = ()
    folder: Path | None = None
    included_by: Document | None = None
    unclear_variables: bool = False
