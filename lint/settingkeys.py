"""The keys of the settings: what each takes, how it is read, and the JSON Schema of it.

One table says all of it; the reader, the schema, `cfglint settings` and `cfglint init` use it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from cfglint.model.document import KINDS
from cfglint.record import dataclass
from cfglint.site import JobGroup, Site
from cfglint.spelling import near

PACKAGES = ("accelerate", "deepspeed", "llamafactory", "transformers", "torch", "nccl")
SEVERITIES = ("error", "warning", "info")
_NEVER = (*SEVERITIES, "never")


class BadValueError(Exception):
    """A value that a key does not take; `below` are the keys under it that lead to the place."""

    def __init__(self, message: str, *below: str) -> None:
        super().__init__(message)
        self.message = message
        self.below = below


@dataclass(frozen=True)
class Key:
    """A key: `read` turns a TOML value into what Settings holds, `schema` describes the TOML value.

    `merge` says what becomes of it under `extend`: "replace", "add" (lists) or "table" (by key).
    """

    read: Callable[[Any], Any]
    schema: dict[str, Any]
    text: str
    default: str = ""
    merge: str = "replace"


def unknown(key: str, known: Iterable[str], what: str = "setting") -> str:
    """The message for a key that does not exist, with what was likely meant."""
    names = list(known)
    guess = near(key, names)
    meant = f"did you mean {guess!r}?" if guess else f"known are {', '.join(sorted(names))}"
    return f"unknown {what} {key!r}; {meant}"


# -- readers -----------------------------------------------------------------------------------


def _texts(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return tuple(value)
    raise BadValueError(f"a list of strings is wanted, not {value!r}")


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    raise BadValueError(f"a string is wanted, not {value!r}")


def _flag(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    raise BadValueError(f"true or false is wanted, not {value!r}")


def _number(value: Any) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and value > 0:
        return value
    raise BadValueError(f"a positive whole number is wanted, not {value!r}")


def _table(value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    raise BadValueError(f"a table is wanted, not {value!r}")


def _one_of(choices: tuple[str, ...]) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        if value in choices:
            return str(value)
        guess = near(str(value), choices)
        meant = f"; did you mean {guess!r}?" if guess else ""
        raise BadValueError(f"one of {', '.join(choices)} is wanted, not {value!r}{meant}")

    return read


def _values(read: Callable[[Any], Any]) -> Callable[[Any], dict[str, Any]]:
    """A table with any keys whose values are all read alike."""

    def table(value: Any) -> dict[str, Any]:
        result = {}
        for key, one in _table(value).items():
            try:
                result[key] = read(one)
            except BadValueError as problem:
                raise BadValueError(problem.message, key, *problem.below) from None
        return result

    return table


def _closed(
    readers: dict[str, Callable[[Any], Any]], what: str = "setting"
) -> Callable[[Any], dict[str, Any]]:
    """A table of which every key is known."""

    def table(value: Any) -> dict[str, Any]:
        result = {}
        for key, one in _table(value).items():
            if key not in readers:
                raise BadValueError(unknown(key, readers, what), key)
            try:
                result[key] = readers[key](one)
            except BadValueError as problem:
                raise BadValueError(problem.message, key, *problem.below) from None
        return result

    return table


def _range(value: Any) -> tuple[int, int]:
    numbers = value.replace("-", " ").split() if isinstance(value, str) else value
    try:
        low, high = (int(one) for one in numbers)
    except (TypeError, ValueError):
        raise BadValueError("two ports are wanted, as [20000, 20999]") from None
    if not 0 < low <= high <= 65535:
        raise BadValueError(f"{low}-{high} is no range of ports")
    return low, high


def _networks(value: Any) -> tuple[str, ...]:
    import ipaddress

    networks = _texts(value)
    for network in networks:
        try:
            ipaddress.ip_network(network)
        except ValueError as problem:
            raise BadValueError(str(problem)) from None
    return networks


# A release as installers write it: 1.2, v4.46.0, 2.5.1+cu124, 2.21.5-1, 0.9.4.dev0.
VERSION_PATTERN = (
    r"^v?[0-9]+(\.[0-9]+)*([-_.]?(a|b|c|rc|alpha|beta|pre|post|dev)[-_.]?[0-9]*)*"
    r"([-+][0-9A-Za-z.]+)?$"
)


def _version(value: Any) -> str:
    import re

    if isinstance(value, (int, float)) and not isinstance(value, bool):
        raise BadValueError(f'a version stands in quotes, as "{value}"')
    if not re.match(VERSION_PATTERN, _text(value).strip()):
        raise BadValueError(f"a version is wanted, as 1.2.1, not {value!r}")
    return str(value).strip()


def _kind(value: Any) -> str:
    if value in KINDS:
        return str(value)
    raise BadValueError(unknown(str(value), KINDS, "kind"))


SITE: dict[str, Callable[[Any], Any]] = {
    "socket-interface": _text,
    "port-range": _range,
    "ephemeral-port-range": _range,
    "gpus-per-node": _number,
    "private-networks": _networks,
}


def site(table: dict[str, Any]) -> Site:
    """The Site of a read table."""
    return Site(**{key.replace("-", "_"): value for key, value in table.items()})


def _jobs(value: Any) -> tuple[JobGroup, ...]:
    read = _closed({"files": _texts, "every-node": _texts})
    tables = value if isinstance(value, list) else [value]
    return tuple(
        JobGroup(table.get("files", ()), table.get("every-node", ())) for table in map(read, tables)
    )


# -- schemas -----------------------------------------------------------------------------------

TEXT: dict[str, Any] = {"type": "string"}
FLAG: dict[str, Any] = {"type": "boolean"}
TEXTS: dict[str, Any] = {"anyOf": [TEXT, {"type": "array", "items": TEXT}]}
POSITIVE: dict[str, Any] = {"type": "integer", "minimum": 1}
_PORT = {"type": "integer", "minimum": 1, "maximum": 65535}
PORTS: dict[str, Any] = {
    "anyOf": [
        {"type": "array", "items": _PORT, "minItems": 2, "maxItems": 2},
        {"type": "string", "pattern": "^[0-9]+[- ]+[0-9]+$"},
    ]
}


def _any_key(values: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": values}


def _closed_schema(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "additionalProperties": False}


_JOB = _closed_schema({"files": TEXTS, "every-node": TEXTS})
_SITE = _closed_schema(
    {
        "socket-interface": TEXT | {
            "description": "the network interface between the nodes, as NCCL_SOCKET_IFNAME names it"
        },
        "port-range": PORTS | {"description": "the team's agreed rendezvous ports, both inclusive"},
        "ephemeral-port-range": PORTS | {
            "description": "net.ipv4.ip_local_port_range of the hosts (32768-60999 unless set)"
        },
        "gpus-per-node": POSITIVE | {"description": "how many GPUs a host has"},
        "private-networks": TEXTS | {
            "description": "networks that look public and that the hosts own, as 203.0.113.0/24"
        },
    }
)  # fmt: skip

KEYS: dict[str, Key] = {
    "extend": Key(_texts, TEXTS, "settings files to begin with; what stands here wins over them"),
    "required-version": Key(_text, TEXT, "the cfglint that these settings are for, as >=0.1,<0.2"),
    "select": Key(_texts, TEXTS, "only these rules: code, prefix, family or name", "all rules"),
    "extend-select": Key(_texts, TEXTS, "these rules as well", merge="add"),
    "ignore": Key(_texts, TEXTS, "not these rules"),
    "extend-ignore": Key(_texts, TEXTS, "nor these, beside those of `extend`", merge="add"),
    "per-file-ignores": Key(
        _values(_texts), _any_key(TEXTS), "glob -> rules that are not reported there", merge="table"
    ),
    "severity": Key(
        _values(_one_of(SEVERITIES)),
        _any_key({"enum": list(SEVERITIES)}),
        "rule (or prefix, family) -> the severity that its findings get",
        merge="table",
    ),
    "exclude": Key(_texts, TEXTS, "globs of files and folders to leave out"),
    "extend-exclude": Key(_texts, TEXTS, "more of them, beside those of `extend`", merge="add"),
    "fail-on": Key(
        _one_of(_NEVER),
        {"enum": list(_NEVER)},
        "the severity from which the exit code is 1",
        "warning",
    ),
    "unsafe-fixes": Key(_flag, FLAG, "let --fix make unsafe repairs too", "false"),
    "require-reason": Key(
        _flag, FLAG, "report suppressions and baseline entries without a reason", "false"
    ),
    "baseline": Key(_text, TEXT, "file of known findings that are not reported"),
    "max-file-size": Key(_number, POSITIVE, "bytes above which a file is not read", "10000000"),
    "kinds": Key(
        _values(_kind),
        _any_key({"enum": sorted(KINDS)}),
        "glob -> kind, where the content does not tell",
        merge="table",
    ),
    "versions": Key(
        _closed(dict.fromkeys(PACKAGES, _version), "package"),
        _closed_schema(dict.fromkeys(PACKAGES, TEXT | {"pattern": VERSION_PATTERN})),
        "what is deployed; without it pins in the tree, else the newest",
        merge="table",
    ),
    "site": Key(_closed(SITE), _SITE, "what only the site knows; fixes use it", merge="table"),
    "job": Key(
        _jobs,
        {"anyOf": [_JOB, {"type": "array", "items": _JOB}]},
        "files that are the nodes of one job, and scripts that every node runs",
    ),
}


def schema() -> dict[str, Any]:
    """The JSON Schema of cfglint.toml (of `[tool.cfglint]` in pyproject.toml)."""
    properties = {
        name: {**key.schema, "description": key.text[0].upper() + key.text[1:] + "."}
        for name, key in KEYS.items()
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "cfglint settings",
        **_closed_schema(properties),
    }
