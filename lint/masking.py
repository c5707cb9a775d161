"""Secrets never leave: what looks like a key or token is masked in every output.

Told by the name it is given to (HF_TOKEN, WANDB_API_KEY, ...) or by the shape of known tokens.
"""

from __future__ import annotations

import re

from cfglint.text import Span

_NAME = (
    r"[A-Za-z0-9_.-]*(?:TOKEN|API_?KEY|SECRET(?:_?KEY)?|ACCESS_?KEY(?:_?ID)?|PASSWORD|PASSWD|CREDENTIALS?"
    r"|PRIVATE_?KEY|LOGIN_?KEY)"
)
_NAMED = re.compile(
    rf"(?i)(?<![A-Za-z0-9_])(?P<name>[\"']?{_NAME}[\"']?)(?P<sign>[ \t]*[:=][ \t]*|[ \t]+)"
    r"(?P<quote>[\"']?)(?P<value>[^\s\"'#,;}\]\\`]{6,})"
)
# Shapes: Hugging Face, OpenAI/Anthropic, GitHub, GitLab, AWS, Google, Slack, JWT, ModelScope.
_SHAPE = re.compile(
    r"(?<![A-Za-z0-9_])(?P<value>hf_[A-Za-z0-9]{20,}|sk-(?:ant-|proj-)?[A-Za-z0-9_-]{20,}"
    r"|gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{40,}|glpat-[A-Za-z0-9_-]{20,}"
    r"|AKIA[0-9A-Z]{16}|AIza[0-9A-Za-z_-]{35}|xox[abprs]-[A-Za-z0-9-]{10,}"
    r"|eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}|nvapi-[A-Za-z0-9_-]{30,})"
)
_PLACEHOLDER = re.compile(
    r"(?i)^(?:\$.*|<.*>?|\{\{.*|x{4,}|\*+|\.{3,}.*|your[-_ ].*|my[-_].*|change[-_ ]?me.*|replace.*|todo.*|none|null"
    r"|true|false|example.*|dummy.*|placeholder.*|insert.*|enter.*|put[-_].*|secret|password|token|/.*|\./.*|\d+|[a-z_]+\(.*"
    r"|.*(?:your|_here|-here|xxxx).*)$"
)
_SETS = re.compile(r"(?:^|[\r\n])[ \t]*(?i:ENV|setenv)[ \t]+\Z")
_WORDY = re.compile(
    r"(?i)^[\"']?(?:.*(?:pad|eos|bos|unk|special|image|video|audio|mask|sep|cls|num|max|min|new|add|stop|split|tokenizer)"
    r"[a-z_]*tokens?|tokens?|.*per_token.*)[\"']?$"
)


def secrets(text: str) -> list[Span]:
    """The spans of literal secrets in a text, in order, none overlapping."""
    found: list[Span] = []
    for match in _SHAPE.finditer(text):
        if not _is_example(match["value"]):
            found.append(Span(*match.span("value")))
    for match in _NAMED.finditer(text):
        value = match["value"]
        if _PLACEHOLDER.match(value) or _WORDY.match(match["name"]):
            continue
        if match["sign"].strip() == "" and not _SETS.search(text, 0, match.start()):
            continue  # only `ENV NAME value` has a blank for its sign
        if not _is_random(value):
            continue
        span = Span(*match.span("value"))
        if not any(s.start < span.end and span.start < s.end for s in found):
            found.append(span)
    return sorted(found)


def _is_example(value: str) -> bool:
    body = value.split("_", 1)[-1].lower()
    return len(set(body)) <= 3 or "xxx" in body or "your" in body or "example" in body


def _is_random(value: str) -> bool:
    """Whether a value looks made by a machine or a person to be secret, not a word or a path."""
    if len(set(value)) <= 3 or "://" in value or value.startswith(("$", "%", "-", "/")):
        return False
    return any(c.isdigit() for c in value) or any(c in "!@%^&*-+=" for c in value) or len(value) >= 16


class Masker:
    """Replaces secrets in anything that is shown."""

    def __init__(self) -> None:
        self._values: set[str] = set()
        self._pattern: re.Pattern[str] | None = None

    def learn(self, text: str) -> None:
        """Take in the secrets of a file's text."""
        lower = text.lower()
        if not any(w in lower for w in ("token", "key", "secret", "passw", "credential", "hf_", "sk-", "gh", "xox", "eyj")):  # fmt: skip
            return
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
