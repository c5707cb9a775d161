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

from collections.abc import Iterator

from cfglint.misread import Misread, misread
from cfglint.project import Project
from cfglint.rule import ERROR, WARNING, Document, Finding, Fix, Rule, edit, repair

RULE = Rule(
    code="SYN006",
    name="yaml-type-trap",
    severity=WARNING,
    summary="a plain YAML value that its reader takes for another type",
    fix="safe",
    unsafe_too=True,
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
    for one in misread(document, project):
        fix = _fix(document, one)
        yield RULE.finding(
            document,
            one.node.span,
            f"{one.node.text} without quotes is {_kind(one)}",
            severity=ERROR if one.stops else WARNING,
            cause=_cause(one),
            help="Put it in quotes." if fix is None else fix.advice,
            fix=fix,
        )


def _kind(one: Misread) -> str:
    is_flag = isinstance(one.read, bool)
    if one.role == "string":
        return "a truth value" if is_flag else "a number"
    if isinstance(one.read, str):
        return "text, not a number"
    return str(one.read).lower() if is_flag else f"the number {one.read}"


def _cause(one: Misread) -> str:
    if one.role == "key":
        return f"{one.name} needs {one.needs}"
    if one.role == "argument":
        return f"\"'<=' not supported between 'float' and 'str'\" and the like ({one.needs})."
    if one.role == "port":
        return "A YAML 1.1 reader publishes another port."
    if one.role == "variable":
        return f"The container sees {one.name}={one.read}."
    if one.role == "string":
        sort = "bool" if isinstance(one.read, bool) else "number"
        return f"cannot unmarshal {sort} into a string field."
    return "YAML 1.1 reads it so."


def _fix(document: Document, one: Misread) -> Fix | None:
    if one.meant is None:
        return None
    change = edit.set_value(document, one.node, one.meant)
    title = f"write {edit.written(change, one.meant)}" if one.written else "put it in quotes"
    return repair(title, change, safe=one.role != "number")
