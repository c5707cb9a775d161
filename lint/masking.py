"""Secrets never leave: what looks like a key or token is masked in every output.

Told by the name it is given to (HF_TOKEN, WANDB_API_KEY, ...) or by the shape of known tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from cfglint.patterns import lazy
from cfglint.text import Span

# The ends of names that hold secrets. They are looked for with plain string searches: one regular
# expression over whole files cost more than parsing them.
_ENDS = (
    "token", "api_key", "apikey", "secret", "secret_key", "secretkey", "access_key", "accesskey",
    "access_key_id", "password", "passwd", "credential", "credentials", "private_key", "login_key",
    "wandb_key", "wandb-key", "api-key",
)  # fmt: skip
_VALUE = r"\\?[\"']?(?P<value>[^\s\"'#,;}\]\\`]{6,})"
_AFTER = lazy(rf"\\?[\"']?\]?(?P<sign>[ \t]*(?:[:?]?=|:)[ \t]*|[ \t]+){_VALUE}")
# An item of a manifest's `env`: `name: HF_TOKEN` and its value behind it.
_ITEM = lazy(rf"[\"']?[ \t]*[,\r\n]\s*[\"']?value[\"']?(?P<sign>[ \t]*:[ \t]*){_VALUE}")
_ITEM_NAME = lazy(r"\bname[\"']?[ \t]*:[ \t]*[\"']?[A-Z][A-Z0-9_]*\Z")
_NAME_BEFORE = lazy(r"[A-Za-z0-9_.-]*\Z")
# Shapes: Hugging Face, OpenAI/Anthropic, GitHub, GitLab, AWS, Google, Slack, JWT, NVIDIA, W&B.
_SHAPES = {
    "hf_": r"hf_[A-Za-z0-9]{20,}",
    "sk-": r"sk-(?:ant-|proj-)?[A-Za-z0-9_-]{20,}",
    "gh": r"gh[pousr]_[A-Za-z0-9]{30,}",
    "github_pat_": r"github_pat_[A-Za-z0-9_]{40,}",
    "glpat-": r"glpat-[A-Za-z0-9_-]{20,}",
    "AKIA": r"AKIA[0-9A-Z]{16}",
    "AIza": r"AIza[0-9A-Za-z_-]{35}",
    "xox": r"xox[abprs]-[A-Za-z0-9-]{10,}",
    "eyJ": r"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",
    "nvapi-": r"nvapi-[A-Za-z0-9_-]{30,}",
    "wandb_v1_": r"wandb_v1_[A-Za-z0-9_]{40,}",
}
# `wandb login KEY` in a shell, `wandb.login(key="KEY")` in a cell.
_LOGIN = lazy(
    r"wandb(?:[ \t]+login(?:[ \t]+--?[\w-]+(?:=\S+)?)*[ \t]+|\.login\([^()]*?\bkey[ \t]*=[ \t]*)"
    r"\\?[\"']?(?P<value>[0-9a-f]{40})(?![0-9a-f])"
)
_LONG = lazy(r"(?=\D*\d)[A-Za-z0-9_-]{24,}")
_PLACEHOLDER = lazy(
    r"(?i)^(?:\(?\$.*|<.*>?|\{\{.*|x{4,}|\*+|\.{3,}.*|your[-_ ].*|my[-_].*|change[-_ ]?me.*"
    r"|replace.*|todo.*|none|null"
    r"|true|false|.*example.*|.*dummy.*|.*placeholder.*|insert.*|enter.*|put[-_].*|secret\d*|password|token\d*"
    r"|/.*|\.\.?/.*|\.\*.*|\d+|(?:(?:token|key|sk)-)?abc-?1234?5?6?|.*\$[({].*"
    r"|[\w.-]+\.(?:txt|json|ya?ml|sh|py|env|pem|key|crt|toml|ini)"  # where it stands
    r"|[a-z_][\w.]*[(\[].*|[a-z]{2,6}[-_](?:x{3,}|\*+)|.*\*{3}.*"  # calls, sk-xxx, stars
    r"|(?:nvapi-|hf_|sk-|ghp_)[a-z_]{1,12}"
    r"|.*(?:\.{3}|…).*"  # sk-proj-..., somebody has left the rest out
    r"|.*(?:your|_here|-here|xxxx).*|.*/[a-z_]*(?:password|token)=.*|ALL/.*)$"  # sed's s/// too
)
# No line of Python begins with a program and a word behind it.
_SHELL_LINE = lazy(
    r"[\s\"]*(?:%(?:set_)?env\b|!|export\b|(?:ssh|wandb|huggingface-cli|hf|git|docker|accelerate"
    r"|deepspeed|torchrun|llamafactory-cli|srun|mpirun|python3?)[ \t]+[\w./-])"
)
# Where a line of a cell can begin in the JSON of a notebook.
_LINE_STARTS = lazy(r"\A|\n|\\n|(?<!\\)\"")
# What has a blank for its sign: `ENV NAME value`, `%env NAME value`, a line of ~/.netrc.
_SETS = lazy(
    r"(?:^|[\r\n])[ \t]*(?i:ENV|setenv)[ \t]+\Z|%(?:set_)?env[ \t]+\Z"
    r"|\bmachine[ \t]+[\w.-]+(?:[ \t]+|\\n[ \t]*)login[ \t]+\S+?(?:[ \t]+|\\n[ \t]*)\Z"
)
# The name of a Secret (`db-auth`) or of its key (`connection_string`), a mode (`same-origin`).
_WORDS = lazy(r"[a-z]+(?:[-_][a-z]+)+")
_NAMES = ("_token", "_api_key", "_access_key", "_secret_key")
_WORDY = lazy(
    r"(?i)^[\"']?(?:.*(?:pad|eos|bos|unk|special|image|video|audio|mask|sep|cls|num|max|min|new|add|stop|split|tokenizer)"
    r"[a-z_]*tokens?|tokens?|.*per_token.*|nopasswd|.*(?:request|client|next|continuation)_?token|--secrets?)[\"']?$"
)


def secrets(text: str) -> list[Span]:
    """The spans of literal secrets in a text, in order, none overlapping."""
    return list(_secrets(text))


def is_literal_in_code(text: str, span: Span) -> bool:
    """Whether a span of a notebook's text is a string or a variable's value, not a name of the
    program: it stands in quotes, `%env`, `!`, `export` or a program begins its line, or it has the
    form that only keys have."""
    if text[span.start - 1 : span.start] in ("'", '"'):
        return True
    if any(re.compile(form).match(text, span.start, span.end) for form in _SHAPES.values()):
        return True
    begin = max(m.end() for m in _LINE_STARTS.finditer(text, 0, span.start))
    return _SHELL_LINE.match(text, begin, span.start) is not None


@lru_cache(maxsize=4096)  # a rule and the reports ask for the same texts
def _secrets(text: str) -> tuple[Span, ...]:
    found = [*_by_shape(text), *_by_login(text)]
    for span in _by_name(text):
        if not any(s.start < span.end and span.start < s.end for s in found):
            found.append(span)
    return tuple(sorted(found))


def _by_shape(text: str) -> Iterator[Span]:
    for start, pattern in _SHAPES.items():
        for at in _places(text, start):
            match = re.compile(pattern).match(text, at)
            if match is None or (at > 0 and (text[at - 1].isalnum() or text[at - 1] == "_")):
                continue
            if not _is_example(match.group()):
                yield Span(*match.span())


def _by_login(text: str) -> Iterator[Span]:
    for at in _places(text, "wandb"):
        match = _LOGIN.match(text, at)
        if match is not None:
            yield Span(*match.span("value"))


def _by_name(text: str) -> Iterator[Span]:
    lower = text.lower()
    if len(lower) != len(text):
        lower = text  # a rare letter whose lower case is longer; names are ASCII anyway
    for end in _ENDS:
        for at in _places(lower, end):
            match = _AFTER.match(text, at + len(end)) or _item(text, at + len(end))
            if match is None:
                continue
            before = _NAME_BEFORE.search(text, max(0, at - 80), at)
            begin = before.start() if before else at
            value = match["value"]
            if _PLACEHOLDER.match(value) or _WORDY.match(text[begin : at + len(end)]):
                continue
            if _is_a_name(value, text[begin : at + len(end)]):
                continue
            if value[0] in "+?" and text[max(0, begin - 2) : begin] == "${":
                continue  # `${HF_TOKEN:+...}`: the name is only asked for
            if _WORDS.fullmatch(value) and end not in ("password", "passwd"):
                continue
            # An option of a command may have a blank for its sign.
            blank = match["sign"].strip() == ""
            option = text[begin : begin + 2] == "--" and _LONG.fullmatch(value) is not None
            if blank and not option and not _SETS.search(text, max(0, begin - 80), begin):
                continue
            if _is_random(value):
                yield Span(*match.span("value"))


def _item(text: str, end: int) -> re.Match[str] | None:
    """The value of a name that ends at an index, where both are of one item of `env`."""
    match = _ITEM.match(text, end)
    return match if match and _ITEM_NAME.search(text, max(0, end - 80), end) else None


def _places(text: str, word: str) -> Iterator[int]:
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + 1)


def _is_example(value: str) -> bool:
    body = value.split("_", 1)[-1].lower()
    words = ("xxx", "your", "example", "placeholder", "dummy")
    return len(set(body)) <= 3 or any(word in body for word in words)


def _is_a_name(value: str, name: str) -> bool:
    """Whether a value names a secret: the variable's own name with something before it, as in
    `--env-secret HF_TOKEN=team_HF_TOKEN`, or a header's (`X-Auth-Token`)."""
    said, own = (x.lower().replace("-", "_") for x in (value, name))
    return ("_" in own and said.endswith(own)) or said.endswith(_NAMES)


def _is_random(value: str) -> bool:
    """Whether a value looks made by a machine or a person to be secret, not a word or a path."""
    if (
        len(set(value)) <= 3
        or "://" in value
        or value.startswith(("$", "%", "-", "/", "|", "^", "="))
    ):
        return False
    return (
        any(c.isdigit() for c in value) or any(c in "!@%^&*-+=" for c in value) or len(value) >= 16
    )


class Masker:
    """Replaces secrets in anything that is shown."""

    def __init__(self) -> None:
        self._values: set[str] = set()
        self._pattern: re.Pattern[str] | None = None

    def learn(self, text: str) -> None:
        """Take in the secrets of a file's text."""
        fresh = {text[s.start : s.end] for s in secrets(text)} - self._values
        if fresh:
            self._values |= fresh
            longest = sorted(self._values, key=len, reverse=True)
            self._pattern = re.compile("|".join(map(re.escape, longest)))

    def mask(self, text: str) -> str:
        """The text with every known secret as stars of the same length."""
        if self._pattern is None:
            return text
        return self._pattern.sub(lambda m: "*" * len(m.group()), text)
