"""Firewall commands in scripts: which ports they open, and to whom.

Reads ufw, firewall-cmd, iptables, gcloud, aws and az commands as they stand in a text.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING

from cfglint.model.values import parse_int
from cfglint.patterns import lazy
from cfglint.record import dataclass
from cfglint.text import Span

if TYPE_CHECKING:
    from cfglint.model.document import Document

_TOOLS = re.compile(
    r"(?:^|[;&|]|\bsudo[ \t]+(?:-\w+[ \t]+)*)[ \t]*"
    r"(?P<tool>ufw|firewall-cmd|ip6?tables|gcloud|aws|az)[ \t]"
    r"(?P<rest>(?:[^\n\\;&|]|\\\r?\n|\\.)*)",
    re.M,
)
_NAMED = lazy(r"(?:ufw|firewall-cmd|tables|gcloud|aws|az)[ \t]")
_EVERYONE = ("0.0.0.0/0", "::/0", "*", "Internet", "any")
_SOURCES = (
    "--source-ranges",
    "--cidr",
    "--source-address-prefixes",
    "--source-address-prefix",
    "-s",
)
_PORTS = ("--dport", "--dports", "--port", "--destination-port-ranges", "--destination-port-range")


@dataclass(slots=True)
class Opening:
    """A command that lets traffic in. `ports` is empty where all of it is; `everyone` says that
    the command names the whole internet as its source."""

    span: Span
    tool: str
    ports: tuple[int, ...]
    everyone: bool


def openings(document: Document) -> Iterator[Opening]:
    """The openings of a text whose ports are known."""
    if not _NAMED.search(document.source.text):  # most texts name none, and are long
        return
    for match in _TOOLS.finditer(document.source.text):
        try:
            words = shlex.split(
                match["rest"].replace("\\\r\n", " ").replace("\\\n", " "), comments=True
            )
        except ValueError:
            continue
        ports = _ports(match["tool"], words)
        if ports is None:
            continue
        end = match.start("rest") + len(match["rest"].rstrip())
        span = Span(match.start("tool"), end)
        yield Opening(span, match["tool"], ports, _is_open_to_all(words))


def _ports(tool: str, words: list[str]) -> tuple[int, ...] | None:
    """The ports that a command opens: () all of them, None where it opens none or is not known."""
    if tool == "ufw":
        return _ufw(words)
    if tool == "firewall-cmd":
        found = [w.partition("=")[2] for w in words if w.startswith("--add-port=")]
        rich = " ".join(w.partition("=")[2] for w in words if w.startswith("--add-rich-rule="))
        if rich and re.search(r"\baccept\b", rich):
            named = re.findall(r"""\bport\s+(?:protocol=\S+\s+)?port=["']?([\d-]+)""", rich)
            return _numbers(named) if named else (None if " service " in rich else ())
        return _numbers(found) if found else (() if "--zone=trusted" in words else None)
    if tool.startswith("ip"):
        if "ACCEPT" not in words or not {"-A", "-I", "INPUT"} & set(words):
            return None
    elif tool == "gcloud":
        if "firewall-rules" not in words or "create" not in words:
            return None
        allowed = _values(words, "--allow", "--rules")
        if not allowed or "all" in allowed or "tcp" in allowed:
            return () if allowed else None
        return _numbers([w.partition(":")[2] for w in allowed if w.startswith("tcp")])
    elif tool == "aws":
        if "authorize-security-group-ingress" not in words:
            return None
    elif not {"nsg", "rule"} <= set(words):
        return None
    listed = _values(words, *_PORTS)
    if any(w in ("all", "-1", "*") for w in [*_values(words, "--protocol", "-p"), *listed]):
        return ()
    if not listed:
        return () if tool.startswith("ip") and "-s" in words else None
    return _numbers(listed)


def _ufw(words: list[str]) -> tuple[int, ...] | None:
    if "allow" not in words:
        return None
    rest = words[words.index("allow") + 1 :]
    if "port" in rest:
        at = rest.index("port") + 1
        return _numbers(rest[at : at + 1])
    if "from" in rest:
        return ()
    return _numbers([rest[0].partition("/")[0]] if rest else [])


def _values(words: list[str], *names: str) -> list[str]:
    found: list[str] = []
    for at, word in enumerate(words):
        name, _, value = word.partition("=")
        if name in names:
            found += (value or (words[at + 1] if at + 1 < len(words) else "")).split(",")
    return found


def _numbers(texts: list[str]) -> tuple[int, ...] | None:
    """The ports of `29500`, `29500/tcp`; () for a range that holds what the kernel picks."""
    found: list[int] = []
    for text in texts:
        first, _, last = re.sub(r"/\w+$", "", text).replace(":", "-").partition("-")
        low, high = parse_int(first), parse_int(last or first)
        if low is None or high is None:
            return None
        if high - low > 1000:
            return ()
        found += range(low, high + 1)
    return tuple(found) if found else None


def _is_open_to_all(words: list[str]) -> bool:
    return any(value.strip("'\"") in _EVERYONE for value in _values(words, *_SOURCES)) or (
        "from" in words and words[words.index("from") + 1 : words.index("from") + 2] == ["any"]
    )
