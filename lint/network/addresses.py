"""What an address in a file is: whose it is, whether it is one at all.

Sources: facts on network e.1-6, a.15; accelerate b4.
"""

from __future__ import annotations

import ipaddress
import re
from functools import cache

from cfglint.patterns import lazy
from cfglint.spelling import near

_PLACEHOLDER = lazy(
    r"(?i)^(?:(?=[\d.]*x)(?:\d{1,3}|x{1,3})(?:\.(?:\d{1,3}|x{1,3})){3}"
    r"|.*\bx\.x\b.*|<[^>]*>|\[[a-z_ ]+\]|\{[a-z_ ]+\}"
    r"|(?:your|my|the)?[-_ ]?(?:master|main|head|node|server|machine|host|rank0|first)?[-_ ]?"
    r"(?:node|process)?[-_ ]?(?:ip|addr|address|ip[-_ ]?addr(?:ess)?)(?:[-_ ]?(?:here|of.*))?"
    r"|your[-_. ].*|.*_here|.*-here|change[-_ ]?me"
    r"|replace[-_ ]?me|todo|tbd|fixme|\.{3}|\?+|-+"
    r"|\W*(?:removed|redacted|hidden|masked|censored|anonymi[sz]ed)\W*"
    r"|(?=.*\b(?:ip|addr|address|host|hostname|node|master)\b)[a-z]+(?:[ _-]+[a-z]+)* +[a-z]+)$"
)
# Words of another language with an address in them: 主节点IP.
_WORDS = lazy(
    r"(?i)(?=.*[^\W\d_a-z])(?=.*(?:ip|addr|host|node|\u5730\u5740|\u4e3b\u673a|\u8282\u70b9|\u673a\u5668"
    r"|\u670d\u52a1\u5668)).*"
)
_ALMOST = lazy(r"[Ll][A-Za-z]{6,10}")
_HOST = lazy(r"^[\w\.:-]+$")  # torch's own pattern for the host of an endpoint
DOCUMENTATION = tuple(
    map(
        ipaddress.ip_network, ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32")
    )
)
_DOCKER = ipaddress.ip_network("172.17.0.0/16")


@cache
def parse(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The IP address that a text is (brackets around IPv6 allowed), None for a name."""
    try:
        return ipaddress.ip_address(text.strip("[]").partition("%")[0])
    except ValueError:
        return None


def is_loopback(text: str) -> bool:
    """localhost, 127/8, ::1 and the names that mean them."""
    address = parse(text)
    if address is not None:
        return address.is_loopback
    return text.lower() in ("localhost", "ip6-localhost", "localhost.localdomain")


def is_wildcard(text: str) -> bool:
    """0.0.0.0 or ::, every address of the machine that dials it."""
    address = parse(text)
    return address is not None and address.is_unspecified


def is_docker_bridge(text: str) -> bool:
    """An address of Docker's default bridge. 172.18 to 172.31 are left out: real networks (the
    default VPC of AWS among them) use those."""
    address = parse(text)
    return isinstance(address, ipaddress.IPv4Address) and address in _DOCKER


def is_documentation(text: str) -> bool:
    """An address reserved for documentation: a placeholder."""
    address = parse(text)
    return address is not None and any(
        address in network for network in DOCUMENTATION if network.version == address.version
    )


def is_public(text: str, own: tuple[str, ...] = ()) -> bool:
    """A globally routable address that is in none of the networks the site calls its own."""
    address = parse(text)
    if address is None or not address.is_global or address.is_multicast:
        return False
    return not any(
        address in network
        for network in map(ipaddress.ip_network, own)
        if network.version == address.version
    )


def is_placeholder(text: str) -> bool:
    """A text that somebody was to replace: `xxx.xxx.xxx.xxx`, `<MASTER_IP>`, 192.0.2.1."""
    text = text.strip()
    if not text.isascii() and _WORDS.match(text):
        return True
    return is_documentation(text) or bool(_PLACEHOLDER.match(text))


def is_misspelt(text: str) -> bool:
    """Whether a name is `localhost` with a letter or two wrong: `locahost`, `loadlhost`."""
    return bool(_ALMOST.fullmatch(text)) and near(text, ("localhost",)) is not None


def fault(text: str) -> tuple[str, str | None] | None:
    """What keeps a text from being a host name or address, and the host that is plainly meant.

    None when nothing does. The second part is None where no host is plain.
    """
    bare = text.strip()
    if not bare:
        return "it is empty", None
    if is_placeholder(bare):
        return None
    if "$" in bare or "`" in bare or "{" in bare:
        return f"nothing expands {bare!r} here", None
    for quote in ('"', "'"):
        if bare.startswith(quote) or bare.endswith(quote):
            return "the quotes are part of the value", _plain(bare.strip(quote))
    scheme, sign, rest = bare.partition("://")
    if sign:
        return f"{scheme}:// is no part of an address", _plain(rest.rstrip("/").partition(":")[0])
    if "@" in bare:
        return f"{bare.partition('@')[0]}@ is for ssh, not part of an address", _plain(
            bare.rpartition("@")[2]
        )
    if "/" in bare:
        host, _, tail = bare.partition("/")
        is_mask = tail.isascii() and tail.isdigit() and parse(host) is not None
        return f"/{tail} is no part of an address", _plain(host) if is_mask or not tail else None
    if bare.lower() in ("none", "null", "nan"):
        return f"{bare!r} is taken as the name of a host", None
    if parse(bare) is None:
        host, colon, port = bare.rpartition(":")
        if (colon and port.isdigit() and parse(host.strip("[]"))) or (
            colon and port.isdigit() and ":" not in host
        ):
            return f"the port :{port} does not belong into the address", _plain(host.strip("[]"))
    if text != bare:
        return "blanks around it are part of the value", _plain(bare)
    if any(c.isspace() for c in bare) or "," in bare:
        return "it is more than one word", None
    if parse(bare) is None:
        if re.fullmatch(r"[\d.]+", bare):
            return "it is no IP address", None
        if not _HOST.match(bare):
            return "it holds characters that no host name has", None
        if bare.lower() != "localhost" and is_misspelt(bare):
            return "localhost is meant", "localhost"
    return None


def _plain(text: str) -> str | None:
    return text if text and _HOST.match(text) and fault(text) is None else None
