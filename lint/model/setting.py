"""The model of what stands in a file: values with their meaning and place, words, references."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from cfglint.model.edit import Edit, Fixed, Place
from cfglint.model.values import Literal, Value, Variable, as_int, literal
from cfglint.patterns import lazy
from cfglint.record import dataclass, field, replace
from cfglint.text import Span

if TYPE_CHECKING:
    from cfglint.model.document import Document
    from cfglint.model.fragment import Fragment

_VARIABLE = lazy(r"\$\{?([A-Za-z_]\w*)\}?")


@dataclass(frozen=True, slots=True)
class _OfDefault:
    """The place of a default: what is written there keeps the variable around it."""

    place: Place
    variable: Variable

    def write(self, value: Value) -> Edit | None:
        return self.place.write(Variable(self.variable.name, value, self.variable.operator))

    def remove(self) -> Edit | None:
        return None


@dataclass(slots=True)
class Setting:
    """A value with its meaning and its place.

    `span` is where the guilty literal stands (the assignment, not the flag that uses it);
    `used_at` is the use, where that is elsewhere. `key` is the name as the file spells it
    (`main_process_port`, `--master_port`, `MASTER_PORT`), `key_span` its place.
    `origin` is "config", "flag", "env" or "shell" (a shell variable that a flag expands).
    """

    name: str
    value: Value
    document: Document
    span: Span
    key: str = ""
    key_span: Span | None = None
    used_at: Span | None = None
    origin: str = "config"
    place: Place = field(default_factory=Fixed)
    raw: str = ""  # how a command writes the value where it uses it: `29500`, `$MASTER_PORT`
    branches: tuple[Setting, ...] = ()  # which of them gives the value is open: `Alternatives`

    def __init__(
        self,
        name: str,
        value: Value,
        document: Document,
        span: Span,
        key: str = "",
        key_span: Span | None = None,
        used_at: Span | None = None,
        origin: str = "config",
        place: Place | None = None,
        raw: str = "",
        branches: tuple[Setting, ...] = (),
    ) -> None:
        # Written out: scripts set thousands.
        self.name = name
        self.value = value
        self.document = document
        self.span = span
        self.key = key
        self.key_span = key_span
        self.used_at = used_at
        self.origin = origin
        self.place = Fixed() if place is None else place
        self.raw = raw
        self.branches = branches

    def each(self) -> tuple[Setting, ...]:
        """The settings that can give the value, one for each branch; itself where it is one."""
        return self.branches or (self,)

    def readings(self) -> Iterator[Setting]:
        """The literals that the files themselves may give it, each as a setting of its own: itself,
        those of branches, the defaults of variables."""
        for one in self.each():
            value = one.value
            if isinstance(value, Literal):
                yield one
            elif not isinstance(value, Variable) or "+" in value.operator:
                continue
            elif isinstance(value.default, Literal):
                yield replace(one, value=value.default, place=_OfDefault(one.place, value))

    @property
    def is_default(self) -> bool:
        """Whether it is the default of a variable, which the environment may overrule."""
        return isinstance(self.place, _OfDefault)

    @property
    def text(self) -> str | None:
        """The literal text, None where it is not a literal."""
        return literal(self.value)

    @property
    def number(self) -> int | None:
        """The literal whole number, None where it is not one."""
        return as_int(self.value)

    @property
    def reference(self) -> str | None:
        """`$(NAME)`, as Kubernetes fills it in, of a literal `$NAME` in a manifest."""
        if "$" not in (self.text or "") or self.document.kind != "kubernetes":
            return None
        name = _VARIABLE.fullmatch(self.text or "")
        return f"$({name[1]})" if name else None

    def write(self, value: Value | str) -> Edit | None:
        """The edit that gives this setting another value in its own syntax, None if impossible."""
        return self.place.write(Literal(value) if isinstance(value, str) else value)

    def remove(self) -> Edit | None:
        """The edit that removes the setting, None if impossible."""
        return self.place.remove()

    def rename(self, name: str) -> Edit | None:
        """The edit that gives a variable another name where it is set, None if impossible."""
        rename: Callable[[str], Edit | None] | None = getattr(self.place, "rename", None)
        return rename(name) if rename else None

    def keep_secret(self) -> Edit | None:
        """The edit that lets a variable take its value from where its place keeps secrets (a Secret
        of Kubernetes, those of a repository), None where it has no such thing."""
        keep: Callable[[], Edit | None] | None = getattr(self.place, "keep_secret", None)
        return keep() if keep else None


@dataclass(slots=True)
class Program:
    """What the launcher starts. `kind`: "script", "module", "command", "unknown"."""

    kind: str
    text: str  # train.py, llamafactory.cli, llamafactory-cli ...
    span: Span
    args: Sequence[Word] = ()  # what stands after it
    word: Word | None = None  # the word itself, where it is one of a command


@dataclass(slots=True)
class Word:
    """One word of a command line after expansion.

    `raw` is how it is written, `span` where. `sources` are the assignments whose literals it
    expands (`$MASTER_PORT` -> the setting MASTER_PORT=29500). `place` rewrites this very word.
    `quoted` says that the whole word stands in quotes.
    """

    value: Value
    raw: str
    span: Span
    place: Place = field(default_factory=Fixed)
    sources: tuple[Setting, ...] = ()
    quoted: bool = False

    @property
    def text(self) -> str | None:
        """The literal text, None where a variable or command stands in it."""
        return literal(self.value)

    def remove_to(self, last: Word) -> Edit | None:
        """The edit that takes the words of a list from this to the `last` out, None for no way."""
        remove: Callable[[Place], Edit | None] | None = getattr(self.place, "remove_to", None)
        return remove(last.place) if remove is not None else None

    def split(self) -> list[Edit] | None:
        """The edits that make an item of a list one item for each of its words, None for no way."""
        split: Callable[[], list[Edit] | None] | None = getattr(self.place, "split", None)
        return split() if split else None


@dataclass(frozen=True, slots=True)
class Behind:
    """A launcher that a program gets as arguments: `-m`, its module, and the edit that puts them,
    with the launcher's own options, in front of the program (None for no way)."""

    option: Word
    module: Word
    to_front: Edit | None


@dataclass(frozen=True, slots=True)
class Written:
    """A file that another one writes (a script by a here-document, a notebook by a cell) or holds
    (a ConfigMap): where its text stands, the text as the shell fills it in, as long as what stands
    there ("" where it is not known), and the file's name. Where the file that holds it spells it in
    its own way, `fragment` has the text from `start` on, and `shift` is its indentation there."""

    span: Span
    text: str
    name: str
    fragment: Fragment | None = field(default=None, compare=False, repr=False)
    start: int = 0
    shift: int = 0


@dataclass(slots=True)
class ConfigRef:
    """A file that a launch or config names. `role`: "accelerate", "deepspeed", "llamafactory",
    "hostfile", "env_file", "dockerfile", "script", "dataset_info"."""

    role: str
    path: str
    span: Span
    setting: Setting | None = None
    # Whether the file may be made, or lie elsewhere, when it is read: the script goes to folders
    # that are not known, or names the file before.
    movable: bool = False
    written: Written | None = None  # what the naming file itself writes there
    place: str = ""  # where a path in a container lies in the tree, as far as that is known
    document: Document | None = None  # the linked document, once the project has found it
    # Whether a command in front of the launch writes the file; asked where it is missing.
    makers: tuple[Callable[[], bool], ...] = field(default=(), compare=False, repr=False)
    folder: str = ""  # to which the script has gone from where it was started, "" for nowhere

    @property
    def started_at(self) -> str:
        """The path from where the job is started: in front the folder to which the script goes."""
        return f"{self.folder}/{self.path}" if self.folder else self.path

    @property
    def made(self) -> bool:
        """Whether a command in front of the launch writes the file."""
        return any(writes() for writes in self.makers)
