"""A plain YAML value that its reader takes for another type than it looks like.

## What it flags

- accelerate (PyYAML, YAML 1.1): `mixed_precision: no` is false, `1e8` without a dot is text,
  where the launch needs a word or a number. `distributed_type: NO` works and is left alone.
- LLaMA-Factory before 0.9.4, which reads with PyYAML too: `learning_rate: 5e-5` is text.
- A leading zero makes an octal number (`035714` is 15308), colons make one to the base 60.
- compose: unquoted `22:22` under `ports`, octal numbers in an environment.
- Kubernetes: unquoted numbers and truth values where the API wants strings: `env` values,
  `command` and `args`.

## Why it fails

    AttributeError: 'bool' object has no attribute 'lower'
    ValueError: invalid literal for int() with base 10: '1e8'
    TypeError: '<=' not supported between instances of 'float' and 'str'
    cannot unmarshal number into Go struct field EnvVar.spec.containers.env.value of type string

## Example

    distributed_type: MULTI_GPU
    num_processes: 2
    mixed_precision: no

Repair: quotes keep it a word.

    distributed_type: MULTI_GPU
    num_processes: 2
    mixed_precision: 'no'

## When to ignore it

When the odd reading is meant (an octal file mode is not reported).

## References

yaml.org/type (YAML 1.1: bool, int, float); huggingface/accelerate#1386;
hiyouga/LLaMA-Factory#4149, #8505.
"""

import re
from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import (
    ERROR,
    WARNING,
    Document,
    Finding,
    Fix,
    Mapping,
    Node,
    Rule,
    Scalar,
    Sequence,
    edit,
    repair,
    resolve_alias,
    walk,
)

RULE = Rule(
    code="SYN006",
    name="yaml-type-trap",
    severity=WARNING,
    summary="a plain YAML value that its reader takes for another type",
    fix="safe",
    kinds=("accelerate", "llamafactory", "compose", "kubernetes"),
    symptoms=(
        r"'bool' object has no attribute '(lower|upper)'",
        r"invalid literal for int\(\) with base 10: '\d+e\d+'",
        r"'<=' not supported between instances of 'float' and 'str'",
        r"cannot unmarshal (number|bool) into Go struct field EnvVar",
    ),
)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The misread values, at the values."""
    if document.kind == "accelerate":
        yield from _accelerate(document, project)
    elif document.kind == "llamafactory":
        yield from _llamafactory(document, project)
    for root in document.roots if type(document.tree).__name__ != "JsonFile" else ():
        if document.kind == "compose":
            yield from _compose(document, root)
        elif document.kind == "kubernetes":
            yield from _kubernetes(document, root)
        else:
            yield from _odd_numbers(document, root)


def _finding(
    document: Document, node: Scalar, read: str, cause: str, fix: Fix | None, *, error: bool = False
) -> Finding:
    return RULE.finding(
        document,
        node.span,
        f"{node.text} without quotes is {read}",
        severity=ERROR if error else WARNING,
        cause=cause,
        help="Put it in quotes." if fix is None or "quotes" in fix.title else f"{fix.title}.",
        fix=fix,
    )


def _plain(node: Node | None) -> Scalar | None:
    """A value written without quotes in YAML, aliases followed."""
    node = resolve_alias(node) if node is not None else None
    return node if isinstance(node, Scalar) and node.style == "" and node.text else None


def _quoted(document: Document, node: Scalar) -> Fix | None:
    return repair("Put it in quotes", edit.set_value(document, node, node.text), safe=True)


def _accelerate(document: Document, project: Project) -> Iterator[Finding]:
    from cfglint.accelerate_config import config_of  # here: other kinds need neither of the two

    config = config_of(document, project)
    given = config.options(project) if config else set()
    for fault, refused in config.wrong_values() if config else ():
        node = _plain(fault.node)
        if node is None or fault.spec is None or fault.key in given:
            continue
        is_word = isinstance(fault.value, bool) and node.text.lower() in ("no", "off", "yes", "on")
        is_number = isinstance(fault.value, str) and _is_exponent(node.text)
        better = fault.meant
        if better is None or not (is_word or is_number):
            continue
        written = repr(better) if is_word else better
        fix = repair(f"Write {written}", edit.set_value(document, node, better), safe=True)
        read = f"{str(fault.value).lower()}" if is_word else "text, not a number"
        where = f"{fault.path} needs {fault.accepted}"
        yield _finding(document, node, read, where, fix, error=refused)


def _llamafactory(document: Document, project: Project) -> Iterator[Finding]:
    from cfglint.arguments import arguments

    version = project.versions(document, "llamafactory")
    given = arguments(document, project) if version.before("0.9.4") else None
    root = document.root
    for entry in root.entries if given is not None and isinstance(root, Mapping) else ():
        inner = resolve_alias(entry.value)
        is_deepspeed = entry.name == "deepspeed" and isinstance(inner, Mapping)
        for node in walk(inner) if is_deepspeed else (inner,):
            scalar = _plain(node)
            spec = given.spec(entry.name or "") if given else None
            is_number = is_deepspeed or (spec and {"number", "int"} & set(spec.types))
            if scalar and is_number and isinstance(scalar.value, str) and _is_exponent(scalar.text):
                better = _dotted(scalar.text)
                fix = repair(
                    f"Write {better}", edit.set_value(document, scalar, float(better)), safe=True
                )
                cause = (
                    f"\"'<=' not supported between 'float' and 'str'\" and the like ({version})."
                )
                yield _finding(document, scalar, "text, not a number", cause, fix)


def _is_exponent(text: str) -> bool:
    """A number with an exponent that YAML 1.1 does not take for one: no dot, or no sign."""
    return re.fullmatch(r"[+-]?\d+(\.\d*)?[eE][+-]?\d+", text) is not None


def _dotted(text: str) -> str:
    mantissa, _, exponent = text.lower().partition("e")
    mantissa = mantissa if "." in mantissa else f"{mantissa}.0"
    return f"{mantissa}e{exponent if exponent[:1] in '+-' else '+' + exponent}"


def _odd_numbers(document: Document, root: Node) -> Iterator[Finding]:
    """Octal and base-60 numbers."""
    for node in _values(root):
        if not (node.text[:1] == "0" or ":" in node.text):
            continue
        scalar = _plain(node)
        if scalar is None or type(scalar.value) is not int:
            continue
        if _is_octal(scalar.text) or ":" in scalar.text:
            better = int(scalar.text) if _is_octal(scalar.text) else None
            change = edit.set_value(document, scalar, better) if better is not None else None
            fix = repair(f"Write {better}", change)
            yield _finding(
                document, scalar, f"the number {scalar.value}", "YAML 1.1 reads it so.", fix
            )


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


def _compose(document: Document, root: Node) -> Iterator[Finding]:
    services = root.get("services") if isinstance(root, Mapping) else None
    for entry in services.entries if isinstance(services, Mapping) else ():
        service = resolve_alias(entry.value)
        if not isinstance(service, Mapping):
            continue
        ports, variables = service.get("ports"), service.get("environment")
        for item in ports.items if isinstance(ports, Sequence) else ():
            node = _plain(item)
            if node is not None and ":" in node.text and isinstance(node.value, int):
                cause = "A YAML 1.1 reader publishes another port."
                yield _finding(
                    document, node, f"the number {node.value}", cause, _quoted(document, node)
                )
        for one in variables.entries if isinstance(variables, Mapping) else ():
            node = _plain(one.value)
            if node is not None and isinstance(node.value, int) and _is_octal(node.text):
                cause = f"The container sees {one.name}={node.value}."
                yield _finding(
                    document, node, f"the number {node.value}", cause, _quoted(document, node)
                )


def _kubernetes(document: Document, root: Node) -> Iterator[Finding]:
    for mapping in walk(root):
        if not isinstance(mapping, Mapping) or "name" not in mapping:
            continue
        env = mapping.get("env")
        values = [
            resolve_alias(item).get("value")  # type: ignore[attr-defined]
            for item in (env.items if isinstance(env, Sequence) else ())
            if isinstance(resolve_alias(item), Mapping)
        ]
        for key in ("command", "args"):
            words = mapping.get(key)
            if isinstance(words, Sequence) and ("image" in mapping or "env" in mapping):
                values.extend(words.items)
        for value in values:
            node = _plain(value)
            if node is not None and not isinstance(node.value, (str, type(None))):
                is_flag = isinstance(node.value, bool)
                read = "a truth value" if is_flag else "a number"
                cause = f"cannot unmarshal {'bool' if is_flag else 'number'} into a string field."
                fix = _quoted(document, node)
                yield _finding(document, node, read, cause, fix, error=True)
