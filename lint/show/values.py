"""A value of the model in words, and where it is written."""

from __future__ import annotations

from cfglint.model.document import Document
from cfglint.model.launch import Launch, Setting
from cfglint.model.values import Alternatives, Computed, Literal, Unknown, Value, Variable
from cfglint.record import dataclass
from cfglint.text import Span

IDIOMS = {
    "hostname": "this node's host name",
    "hostname-ip": "this node's own address",
    "random": "a random number",
    "free-port": "a free port, looked for when it runs",
    "scontrol-first-host": "the first node of the Slurm allocation",
    "job-id": "from the Slurm job id",
    "array-job-id": "from the Slurm array's id",
    "uuid": "a random id",
    "date": "from the clock",
}
LONGEST = 60  # signs of an expression that are shown


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that is known, or known not to be known, of a launch.

    `state`: "known" (the files say it), "default" (the launcher's own), "open" (the files leave it
    to the environment, or compute it), "absent" (nobody gives it). `document` and `span` say where
    it is written, where it is written.
    """

    name: str
    value: str
    state: str = "known"
    document: Document | None = None
    span: Span | None = None
    note: str = ""

    @property
    def source(self) -> str:
        """file:line, or "" where it is not written anywhere."""
        return where(self.document, self.span) if self.document and self.span else ""


def where(document: Document, span: Span) -> str:
    """A place as `file:line`."""
    return f"{document.path}:{document.source.position(span.start)[0]}"


def describe(value: Value) -> tuple[str, str]:
    """A value in words, and its state: "known" or "open"."""
    if isinstance(value, Literal):
        return (value.text, "known") if value.text else ("(empty)", "known")
    if isinstance(value, Variable):
        return _variable(value)
    if isinstance(value, Computed):
        fixed = value.low is not None and value.low == value.high and not value.per_node
        return _computed(value), "known" if fixed else "open"
    if isinstance(value, Alternatives):
        words = [describe(option) for option in value.options]
        text = " or ".join(dict.fromkeys(text for text, _ in words))
        return _short(text), "known" if all(state == "known" for _, state in words) else "open"
    assert isinstance(value, Unknown)
    return _short(value.text) or "unknown", "open"


def _variable(value: Variable) -> tuple[str, str]:
    if value.required:
        return f"${value.name} (must be set)", "open"
    if value.default is None or "+" in value.operator:
        return f"${value.name}", "open"
    text, state = describe(value.default)
    if not text or text == "(empty)":
        return f"${value.name}", "open"
    return f"{text} unless ${value.name} is set", state


def _computed(value: Computed) -> str:
    if value.low is not None and value.high is not None and value.low != value.high:
        how = IDIOMS.get(value.idiom, "computed")
        return f"{value.low} to {value.high}, {how}"
    if value.low is not None and value.low == value.high:
        return str(value.low)
    return IDIOMS.get(value.idiom, _short(value.text))


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def of_setting(name: str, setting: Setting) -> Fact:
    """The fact that a setting states."""
    text, state = describe(setting.value)
    return Fact(name, text, state, setting.document, setting.span)


def of_launch(name: str, launch: Launch, *settings: str, absent: str = "") -> Fact:
    """What the first of these settings states, else the launcher's default, else "absent"."""
    for one in settings:
        setting = launch.get(one)
        if setting is not None:
            return of_setting(name, setting)
    for one in settings:
        default = launch.effective(one)
        if default is not None:
            return Fact(name, default, "default", note=f"default of {launch.launcher}")
    return Fact(name, absent or "not given", "absent")
