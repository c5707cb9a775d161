"""Plain YAML values that their reader takes for another type than they look like.

Which reader a file has decides: PyYAML (YAML 1.1) for accelerate and for LLaMA-Factory before
0.9.4, the Kubernetes API with the types of its fields. Source: yaml.org/type (bool, int, float).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from cfglint.model.tree import Mapping, Node, Scalar, Sequence, target, walk
from cfglint.patterns import lazy
from cfglint.record import dataclass

if TYPE_CHECKING:
    from cfglint.model.document import Document
    from cfglint.project import Project


@dataclass(frozen=True, slots=True)
class Misread:
    """A value without quotes that is read as something else than it says.

    `read` is what the reader makes of it (False, 15308, the text "1e8"). `role` is what stands
    there: "key" (of accelerate's config), "argument" (of LLaMA-Factory), "port" and "variable" (of
    a Compose service), "string" (a field of Kubernetes' API) or "number" (anything else). `meant`
    is the value to write instead, None where it is not known; `written` shows it, "" where quotes
    alone mend it. `name` is the key or variable, `needs` what is wanted there, or the release that
    wants it. `stops`: the reader refuses the file.
    """

    node: Scalar
    read: object
    role: str
    meant: object = None
    written: str = ""
    name: str = ""
    needs: str = ""
    stops: bool = False


def misread(document: Document, project: Project) -> Iterator[Misread]:
    """The misread values of an accelerate, LLaMA-Factory, Compose or Kubernetes file."""
    if document.kind == "accelerate":
        yield from _accelerate(document, project)
    elif document.kind == "llamafactory":
        yield from _llamafactory(document, project)
    for root in document.roots if type(document.tree).__name__ != "JsonFile" else ():
        if document.kind == "compose":
            yield from _compose(root)
        elif document.kind == "kubernetes":
            yield from _kubernetes(root)
        else:
            yield from _odd_numbers(root)


def _plain(node: Node | None) -> Scalar | None:
    """A value written without quotes in YAML, aliases followed."""
    node = target(node) if node is not None else None
    return node if isinstance(node, Scalar) and node.style == "" and node.text else None


def _accelerate(document: Document, project: Project) -> Iterator[Misread]:
    from cfglint.accelerate.config import config_of  # here: other kinds need neither of the two

    config = config_of(document, project)
    given = config.options(project) if config else set()
    for fault, refused in config.wrong_values() if config else ():
        node = _plain(fault.node)
        if node is None or fault.spec is None or fault.key in given:
            continue
        is_word = isinstance(fault.value, bool) and node.text.lower() in ("no", "off", "yes", "on")
        is_number = isinstance(fault.value, str) and _is_exponent(node.text)
        meant = fault.meant
        if meant is None or not (is_word or is_number):
            continue
        written = repr(meant) if is_word else f"{meant}"
        yield Misread(
            node, fault.value, "key", meant, written, fault.path, fault.accepted, stops=refused
        )


def _llamafactory(document: Document, project: Project) -> Iterator[Misread]:
    from cfglint.llamafactory.arguments import arguments

    version = project.versions(document, "llamafactory")
    given = arguments(document, project) if version.before("0.9.4") else None
    root = document.root
    for entry in root.entries if given is not None and isinstance(root, Mapping) else ():
        inner = target(entry.value)
        is_deepspeed = entry.name == "deepspeed" and isinstance(inner, Mapping)
        for node in walk(inner) if is_deepspeed else (inner,):
            scalar = _plain(node)
            spec = given.spec(entry.name or "") if given else None
            is_number = is_deepspeed or (spec and {"number", "int"} & set(spec.types))
            if scalar and is_number and isinstance(scalar.value, str) and _is_exponent(scalar.text):
                written = _dotted(scalar.text)
                yield Misread(
                    scalar, scalar.value, "argument", float(written), written,
                    entry.name or "", f"{version}",
                )  # fmt: skip


_EXPONENT = lazy(r"[+-]?\d+(\.\d*)?[eE][+-]?\d+")


def _is_exponent(text: str) -> bool:
    """A number with an exponent that YAML 1.1 does not take for one: no dot, or no sign."""
    return _EXPONENT.fullmatch(text) is not None


def _dotted(text: str) -> str:
    mantissa, _, exponent = text.lower().partition("e")
    mantissa = mantissa if "." in mantissa else f"{mantissa}.0"
    return f"{mantissa}e{exponent if exponent[:1] in '+-' else '+' + exponent}"


def _odd_numbers(root: Node) -> Iterator[Misread]:
    """Octal and base-60 numbers."""
    for node in _values(root):
        if not (node.text[:1] == "0" or ":" in node.text):
            continue
        scalar = _plain(node)
        if scalar is None or type(scalar.value) is not int:
            continue
        if _is_octal(scalar.text):
            decimal = int(scalar.text)
            yield Misread(scalar, scalar.value, "number", decimal, f"{decimal}")
        elif ":" in scalar.text:
            yield Misread(scalar, scalar.value, "number")


def _values(node: Node) -> Iterator[Scalar]:
    """The scalar values below a node, keys and aliases left out."""
    below = node.items if isinstance(node, Sequence) else ()
    if isinstance(node, Mapping):
        below = [entry.value for entry in node.entries]
    for value in below:
        if isinstance(value, Scalar):
            yield value
        else:
            yield from _values(value)


def _is_octal(text: str) -> bool:
    digits = text.lstrip("+-")
    return len(digits) > 1 and digits.startswith("0") and digits.isdigit() and int(digits) > 7


def _compose(root: Node) -> Iterator[Misread]:
    services = root.get("services") if isinstance(root, Mapping) else None
    for entry in services.entries if isinstance(services, Mapping) else ():
        service = target(entry.value)
        if not isinstance(service, Mapping):
            continue
        ports, variables = service.get("ports"), service.get("environment")
        for item in ports.items if isinstance(ports, Sequence) else ():
            node = _plain(item)
            if node is not None and ":" in node.text and isinstance(node.value, int):
                yield Misread(node, node.value, "port", node.text)
        for one in variables.entries if isinstance(variables, Mapping) else ():
            node = _plain(one.value)
            if node is not None and isinstance(node.value, int) and _is_octal(node.text):
                yield Misread(node, node.value, "variable", node.text, name=f"{one.name}")


def _kubernetes(root: Node) -> Iterator[Misread]:
    for mapping in walk(root):
        if not isinstance(mapping, Mapping) or "name" not in mapping:
            continue
        env = mapping.get("env")
        items = map(target, env.items) if isinstance(env, Sequence) else ()
        values = [item.get("value") for item in items if isinstance(item, Mapping)]
        for key in ("command", "args"):
            words = mapping.get(key)
            if isinstance(words, Sequence) and ("image" in mapping or "env" in mapping):
                values.extend(words.items)
        for value in values:
            node = _plain(value)
            if node is not None and not isinstance(node.value, (str, type(None))):
                yield Misread(node, node.value, "string", node.text, stops=True)
