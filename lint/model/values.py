"""What a file says about a value, without guessing.

A rule that meets `Unknown` stays silent. `literal`, `as_int` and `possible` are the questions that
rules ask of a value.
"""

from __future__ import annotations

from collections.abc import Iterator

from cfglint.record import dataclass


@dataclass(unsafe_hash=True, slots=True)
class Literal:
    """The value is this text."""

    text: str

    def __init__(self, text: str) -> None:
        self.text = text  # written out: there are thousands of them


@dataclass(unsafe_hash=True, slots=True)
class Variable:
    """An environment or shell variable that something expands: `${NAME:-default}`.

    `operator` is the sign before the default (`:-`, `-`, `:=`, `=`, `:+`, `+`), `:?` or `?` where
    the variable must be set, "" for a bare `$NAME`. `default` is None where the text gives none.
    """

    name: str
    default: Value | None = None
    operator: str = ""

    def __init__(self, name: str, default: Value | None = None, operator: str = "") -> None:
        self.name = name
        self.default = default
        self.operator = operator

    @property
    def required(self) -> bool:
        """Whether expansion fails when the variable is not set (`${NAME:?}`)."""
        return self.operator in (":?", "?")


@dataclass(frozen=True, slots=True)
class Computed:
    """An expression: `$((10000 + SLURM_JOB_ID % 20000))`, `$RANDOM`, `$(hostname)`.

    `low` and `high` bound it (both inclusive) where it can be folded; they are one number where
    that holds by default only (`$((MASTER_PORT + 1))` behind `${MASTER_PORT:-29500}`). `per_node`
    says that every machine that evaluates it gets its own value (random, host name, free-port
    probe). `idiom` names a recognised expression: "hostname", "hostname-ip", "random", "free-port",
    "scontrol-first-host", "job-id", "array-job-id", "uuid", "date",
    "early-launch-node", "octal" and the like, or "". `decimal` is the expression with `10#` before
    the digits that bash would take for octal ones, where it has such.
    """

    text: str
    low: int | None = None
    high: int | None = None
    per_node: bool = False
    idiom: str = ""
    decimal: str = ""


@dataclass(frozen=True, slots=True)
class Alternatives:
    """One of several values, by a branch the files do not decide."""

    options: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Unknown:
    """Anything else. `text` is how it is written."""

    text: str


Value = Literal | Variable | Computed | Alternatives | Unknown


def literal(value: Value | None) -> str | None:
    """The text of a literal, else None."""
    return value.text if isinstance(value, Literal) else None


def as_int(value: Value | None) -> int | None:
    """The whole number that a literal spells in decimal digits, else None."""
    text = literal(value)
    return parse_int(text) if text is not None else None


def parse_int(text: str) -> int | None:
    """The whole number `text` spells (a sign and ASCII digits, blanks around them), else None."""
    text = text.strip()
    digits = text[1:] if text[:1] in ("-", "+") else text
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) < 19 else None


def possible(value: Value | None) -> Iterator[str]:
    """Every literal the value can be as far as the file says: itself, a default, each branch."""
    if isinstance(value, Literal):
        yield value.text
    elif isinstance(value, Variable) and value.default is not None and "+" not in value.operator:
        yield from possible(value.default)
    elif isinstance(value, Computed):
        known = default_literal(value)
        if known is not None:
            yield known
    elif isinstance(value, Alternatives):
        for option in value.options:
            yield from possible(option)


def default_literal(value: Value | None) -> str | None:
    """The literal, or the literal default of a variable: what holds when nobody sets anything."""
    if isinstance(value, Variable) and "+" not in value.operator:
        return default_literal(value.default)
    if isinstance(value, Computed) and value.low is not None and value.low == value.high:
        return str(value.low) if not value.idiom else None
    return literal(value)


def default_int(value: Value | None) -> int | None:
    """`default_literal` as a whole number, else None."""
    text = default_literal(value)
    return parse_int(text) if text is not None else None


def is_unknown(value: Value | None) -> bool:
    """Whether nothing at all is known of the value."""
    return isinstance(value, Unknown) or (isinstance(value, Variable) and value.default is None)
