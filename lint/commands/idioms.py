"""What a shell expression computes: ranges of arithmetic, and expressions that are recognised."""

from __future__ import annotations

import re
from collections.abc import Callable

from cfglint.model.values import (
    Alternatives,
    Computed,
    Literal,
    Unknown,
    Value,
    Variable,
    parse_int,
)

Lookup = Callable[[str], "Value | None"]
Range = tuple[int, int]

_JOB_ID = re.compile(r"\bSLURM_(?:ARRAY_)?JOB_?ID\b|\bPBS_JOBID\b|\bLSB_JOBID\b|\bJOB_ID\b")
_FREE_PORT = re.compile(r"\.bind\(|getsockname|find_free_port|get_free_port|free_port|comm -23")
# A format of `date` that says no more than the day.
_DAY = re.compile(r"\+['\"]?(?:%-?[FYmdyjbBeDaAUV]|[^%'\"\s])+['\"]?\s*(?:$|[|>;&])")
_UNBOUNDED: Range = (0, 10**9)


def computed(text: str, lookup: Lookup) -> Value:
    """The value of `$((...))`, its old form `$[...]`, `$(...)` or a backquoted command."""
    if text.startswith("$((") and text.endswith("))"):
        return _arithmetic(text, text[3:-2], lookup)
    if text.startswith("$["):
        return _arithmetic(text, text[2:-1], lookup) if text.endswith("]") else Unknown(text)
    inner = text[2:-1] if text.startswith("$(") else text[1:-1]
    inner = inner.strip()
    if match := re.match(r"expr\s+(.+)", inner, re.S):
        return _arithmetic(text, match[1].replace("\\*", "*"), lookup)
    idiom, per_node = _idiom(inner)
    if "scontrol" in inner and re.search(r"\|\|\s*echo\s+[\"']?(?:localhost|127\.)", inner):
        idiom = "localhost-fallback"
    if idiom == "literal":
        return Literal(inner.split(None, 1)[1].strip("\"'"))
    low, high = _shuf_range(inner) if idiom == "random" else (None, None)
    if idiom:
        return Computed(text, low, high, per_node, idiom)
    return Unknown(text)


def variable(name: str) -> Value | None:
    """What a variable that the shell or the scheduler sets holds, None for others."""
    if name == "RANDOM":
        return Computed("$RANDOM", 0, 32767, True, "random")
    if name in ("HOSTNAME", "SLURMD_NODENAME"):
        return Computed(f"${name}", None, None, True, "hostname")
    return None


def _idiom(text: str) -> tuple[str, bool]:
    """The name of a recognised command, and whether each machine gets its own answer."""
    first = re.split(r"[\s|;&]", text, maxsplit=1)[0].rsplit("/", 1)[-1]
    if "scontrol" in text and "hostname" in text:
        return "scontrol-first-host", False
    if first in ("hostname", "uname"):
        ip = re.search(r"hostname\s+(-[a-zA-Z]*[iI]|--ip-address|--all-ip-addresses)", text)
        return ("hostname-ip" if ip else "hostname"), True
    if first in ("ip", "ifconfig") or re.search(r"\bip\s+(-\S+\s+)*(addr|a|route)\b", text):
        return "hostname-ip", True
    if _FREE_PORT.search(text):
        return "free-port", True
    if first in ("shuf",) or "$RANDOM" in text or "random.randint" in text:
        return "random", True
    if first in ("uuidgen",) or "uuid4" in text or "/random/uuid" in text:
        return "uuid", True
    if first == "date":
        return "date", _DAY.search(text) is None  # nodes of one job start on one day, mostly
    if _JOB_ID.search(text):
        return ("array-job-id" if "SLURM_ARRAY_JOB_ID" in text else "job-id"), False
    if first == "echo" and re.fullmatch(r"echo\s+[\w.:-]+", text):
        return "literal", False
    return "", False


def _shuf_range(text: str) -> tuple[int | None, int | None]:
    match = re.search(r"shuf\s.*?(\d+)-(\d+)", text) or re.search(
        r"randint\(\s*(\d+)\s*,\s*(\d+)\s*\)", text
    )
    return (int(match[1]), int(match[2])) if match else (None, None)


# The last digits: `${NAME: -4}`, `${NAME:(-4)}`, `${NAME:0-4}`.
_SLICE = re.compile(r":\s*(?:\(\s*-|0?-)\s*(\d+)\s*\)?$")
_CUT = re.compile(r"\$\{((\w+):[^{}]*)\}")
_STRIPS = re.compile(r"\^0|\+\s*0\b|\bbc\b")  # sed, awk and bc take zeros in front away
# `echo` without -n: the line break is one of the last characters that `tail -c` takes.
_ENDS_A_LINE = re.compile(r"\becho\s+(?!-n|-en)|<<<")


class _Fold:
    """Bounds of an arithmetic expression by interval arithmetic."""

    _TOKEN = re.compile(
        r"\s*(\d+#?\w*|[A-Za-z_]\w*|\$\{[A-Za-z_]\w*[^}]*\}|\$[A-Za-z_]\w*|\*\*|[-+*/%()])"
    )

    def __init__(self, text: str, lookup: Lookup) -> None:
        self.lookup = lookup
        self.per_node = False
        self.idiom = ""
        self.octal: list[str] = []  # what stands for digits that may begin with 0
        self.based = False  # behind `10#`
        self.defaults = False  # it builds on what a variable is by default
        self.tokens: list[str] = []
        at = 0
        while at < len(text.rstrip()):
            if text.startswith("$(", at) or (text[at].isspace() and text[at:].lstrip()[:2] == "$("):
                start = text.index("$(", at)
                depth = end = start + 1
                depth = 0
                for end in range(start + 1, len(text)):
                    depth += {"(": 1, ")": -1}.get(text[end], 0)
                    if not depth:
                        break
                self.tokens.append(text[start : end + 1])
                at = end + 1
                continue
            match = self._TOKEN.match(text, at)
            if not match:
                raise ValueError(text[at:])
            self.tokens.append(match[1])
            at = match.end()

    def run(self) -> Range | None:
        value = self.sum()
        if self.tokens:
            raise ValueError("more")
        return value

    def take(self, *signs: str) -> str:
        return self.tokens.pop(0) if self.tokens and self.tokens[0] in signs else ""

    def sum(self) -> Range | None:
        value = self.product()
        while sign := self.take("+", "-"):
            other = self.product()
            if value is None or other is None:
                value = None
            elif sign == "+":
                value = (value[0] + other[0], value[1] + other[1])
            else:
                value = (value[0] - other[1], value[1] - other[0])
        return value

    def product(self) -> Range | None:
        value = self.atom()
        while sign := self.take("*", "/", "%"):
            other = self.atom()
            if sign == "%" and other and other[0] == other[1] > 0:
                whole = value is not None and value[0] >= 0 and value[1] < other[0]
                value = value if whole else (0, other[1] - 1)
            elif value is None or other is None:
                value = None
            elif sign == "*":
                products = [a * b for a in value for b in other]
                value = (min(products), max(products))
            elif sign == "/" and other[0] == other[1] > 0:
                value = (value[0] // other[0], value[1] // other[0])
            else:
                value = None
        return value

    def atom(self) -> Range | None:
        if not self.tokens:
            raise ValueError("end")
        token = self.tokens.pop(0)
        if token == "(":
            value = self.sum()
            if not self.take(")"):
                raise ValueError(")")
            return value
        if token == "-":
            value = self.atom()
            return None if value is None else (-value[1], -value[0])
        if token[0].isdigit():
            return self._number(token)
        if token.startswith("$(") or token.startswith("`"):
            return self._command(token)
        name = token.lstrip("${").rstrip("}")
        match = re.match(r"\w+", name)
        return self._variable(match[0] if match else "", name, token)

    def _number(self, token: str) -> Range | None:
        base, sign, digits = token.rpartition("#")
        if sign and digits:
            return (int(digits, int(base)),) * 2
        if sign:  # 10#$(...)
            self.based = True
            value = self.atom()
            self.based = False
            return value
        number = parse_int(token)
        return None if number is None else (number, number)

    def _command(self, token: str) -> Range | None:
        value = computed(token, self.lookup)
        if isinstance(value, Computed):
            self._note(value.per_node, value.idiom)
            if value.low is not None and value.high is not None:
                return (value.low, value.high)
            return self._tail(token, value)
        return None

    def _tail(self, token: str, value: Computed, command: str = "") -> Range | None:
        """The last digits of a job id, which a command (by default the token itself) cuts off."""
        command = command or token
        tail = re.search(r"(?:tail\s+-c\s*-?|cut\s+-c\s*\d+-)(\d+)", command)
        if tail is None or value.idiom not in ("job-id", "array-job-id"):
            return None
        if not _STRIPS.search(command):
            self._digits(token)
        line_break = "tail" in tail[0] and _ENDS_A_LINE.search(command) is not None
        return (0, 10 ** max(int(tail[1]) - line_break, 0) - 1)

    def _digits(self, token: str) -> None:
        if not self.based:
            self.octal.append(token)

    def _variable(self, name: str, whole: str, token: str) -> Range | None:
        if _JOB_ID.fullmatch(name):
            self._note(False, "array-job-id" if name == "SLURM_ARRAY_JOB_ID" else "job-id")
            tail = _SLICE.search(whole)
            if tail is not None:
                self._digits(token)
            return (0, 10 ** int(tail[1]) - 1) if tail else _UNBOUNDED
        found = self.lookup(name)
        if found is None:
            found = variable(name)
        if isinstance(found, Variable) and found.default is not None:
            found, self.defaults = found.default, True
        if isinstance(found, Literal):
            number = parse_int(found.text)
            return None if number is None else (number, number)
        if isinstance(found, Unknown) and whole == name and (cut := _CUT.fullmatch(found.text)):
            return self._variable(cut[2], cut[1], token)  # NAME=${SLURM_JOB_ID: -4}
        if isinstance(found, Computed):
            self._note(found.per_node, found.idiom)
            if found.low is None:  # NAME=$(echo $SLURM_JOB_ID | tail -c 4)
                return self._tail(token, found, found.text)
            if found.high is not None:
                self.defaults = self.defaults or found.low == found.high
                return (found.low, found.high)
        if isinstance(found, Alternatives):
            numbers = [parse_int(o.text) if isinstance(o, Literal) else None for o in found.options]
            known = [n for n in numbers if n is not None]
            return (min(known), max(known)) if len(known) == len(numbers) and known else None
        return None

    def _note(self, per_node: bool, idiom: str) -> None:
        self.per_node = self.per_node or per_node
        self.idiom = self.idiom or idiom


def _arithmetic(text: str, expression: str, lookup: Lookup) -> Value:
    try:
        fold = _Fold(expression, lookup)
        bounds = fold.run()
    except (ValueError, RecursionError):
        return Unknown(text)
    if fold.octal and text.startswith(("$((", "$[")):
        low, high = bounds or (None, None)
        decimal = text[:2] + _in_decimal(text[2:], fold.octal)
        return Computed(text, low, high, fold.per_node, "octal", decimal)
    if bounds is None or bounds[1] >= 10**8:
        return Computed(text, None, None, fold.per_node, fold.idiom)
    if bounds[0] == bounds[1] and not fold.idiom and not fold.defaults:
        return Literal(str(bounds[0]))
    return Computed(text, bounds[0], bounds[1], fold.per_node, fold.idiom)


def _in_decimal(text: str, digits: list[str]) -> str:
    """Arithmetic with `10#` in front of what stands for digits, by its value: `10#${NAME}`."""
    for token in dict.fromkeys(digits):
        name = token.lstrip("$")
        plain = name.isidentifier()
        ends = r"(?!\w)" if plain else ""
        based = f"10#${{{name}}}" if plain else f"10#{token}"
        text = based.join(re.split(rf"(?<![\w#$]){re.escape(token)}{ends}", text))
    return text
