"""What is wrong with a LLaMA-Factory config, as a person sees it: one fault for each cause."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from cfglint.llamafactory.arguments import UNKNOWN, Arguments, is_on
from cfglint.llamafactory.history import elsewhere, may_know
from cfglint.model.tree import Entry
from cfglint.patterns import lazy
from cfglint.record import dataclass
from cfglint.releases.checks import Failure
from cfglint.releases.data import Section, Spec
from cfglint.releases.versions import Version

EXTRA_KEYS = ("ALLOW_EXTRA_ARGS", "ALLOW_EXTRA_KEYS")  # variables that make unknown keys pass
# Keys that set what the whole run is: a refusal seldom speaks of these.
MODES = frozenset(
    ("stage", "finetuning_type", "do_train", "do_eval", "do_predict", "model_name_or_path")
)
# The keys of Megatron's own argument classes (facts on LLaMA-Factory d.9).
MEGATRON = lazy(
    r"(tensor|pipeline|virtual_pipeline|context|expert)_(model_|tensor_)?parallel_size"
    r"|sequence_parallel|pipeline_model_parallel_layout|recompute_\w+|\w+_fusion|moe_\w+"
    r"|mtp_num_layers|use_distributed_optimizer|overlap_(grad_reduce|param_gather)"
)


@dataclass(frozen=True, slots=True)
class ArgumentFault:
    """A failing check of the loader.

    `kind` is "value" (one key's value is wrong by itself), "missing" (a key has to be there) or
    "combination"; `key` the key to blame: the wrong one, the missing one, the subject of the
    refusal; `entry` where it, or what asks for it, stands.
    """

    kind: str
    key: str
    entry: Entry | None
    failure: Failure


@dataclass(frozen=True, slots=True)
class UnknownKey:
    """A key that the deployed versions do not take.

    `meant` is the key to write instead, `taker` the release that takes it: the last one that did,
    or (`is_newer`) the first one that does; "" for none.
    `certain`: no version that the files leave possible takes it. `reason`: "derived" (the package
    sets it by itself), "megatron" (exists with USE_MCA=1 only), "fork" (exists in a fork only) or
    "". `idle`: it had its old default, and so did nothing.
    """

    name: str
    entry: Entry
    meant: str | None
    taker: str
    is_newer: bool
    certain: bool
    reason: str
    idle: bool


def faults(given: Arguments) -> list[ArgumentFault]:
    """The failing checks; what only follows from a wrong value, or what a later stage finds of
    the same keys, is left out."""

    def find() -> list[ArgumentFault]:
        made = [_fault(given, failure) for failure in given.failures()]
        wrong = {f.key for f in made if f.kind == "value"}
        lacking = {f.key for f in made if f.kind == "missing"}
        made = [f for f in made if f.kind == "value" or not wrong.intersection(f.failure.keys)]
        made = [f for f in made if f.kind == "missing" or not lacking.intersection(f.failure.keys)]
        made = _standing(given, made)
        early = {k for f in made if not f.failure.late for k in f.failure.keys if k in given.given}
        found: dict[str, ArgumentFault] = {}
        for fault in made:
            later = fault.failure.late and fault.kind != "value"
            if not (later and (early - MODES).intersection(fault.failure.keys)):
                found.setdefault(fault.key, fault)
        return list(found.values())

    found: list[ArgumentFault] = given.project.fact(("faults", id(given.root)), find)
    return found


def _standing(given: Arguments, made: list[ArgumentFault]) -> list[ArgumentFault]:
    """The faults that stay once a key that is called by its old name, or misspelt, is renamed: for
    the others that name is the one fault."""
    if not made or given.root.index.keys() <= given.section.keys.keys():
        return made
    renamed = {k.name: k.meant for k in unknown_keys(given) if k.meant is not None}
    if not any(set(renamed.values()).intersection(f.failure.keys) for f in made):
        return made
    values = {renamed.get(name) or name: value for name, value in given.given.items()}
    left = {(f.error, f.says) for f in given.failures_of(values)}
    return [f for f in made if (f.failure.error, f.failure.says) in left]


def _fault(given: Arguments, failure: Failure) -> ArgumentFault:
    keys = [key for key in failure.keys if given.given.get(key, UNKNOWN) is not UNKNOWN]
    subject = _subject(failure, keys)
    if failure.missing:
        return ArgumentFault("missing", failure.missing, given.entry(subject), failure)
    if failure.key:
        key = next((k for k in [failure.key, *keys] if _is_mistyped(given, k)), failure.key)
        return ArgumentFault("value", key, given.entry(key), failure)
    kind = "combination"
    if len(failure.keys) == 1 and not failure.contexts and keys:
        spec = given.spec(subject)
        choices = spec.choices if spec else ()
        if failure.late or (choices and given.given[subject] not in choices):
            kind = "value"
    return ArgumentFault(kind, subject, given.entry(subject), failure)


def _is_mistyped(given: Arguments, key: str) -> bool:
    spec = given.spec(key)
    return spec is not None and spec.fault(given.given[key]) is not None


def _subject(failure: Failure, keys: list[str]) -> str:
    """The given key that a refusal speaks of: the first that its message names, else the last one
    looked at that is no mode of the whole run."""
    telling = [key for key in keys if key not in MODES]
    words = re.findall(r"\w+", failure.says)
    named = next((word for word in words if word in telling), None)
    return named or (telling or keys or [""])[-1]


def partners(given: Arguments, fault: ArgumentFault) -> list[str]:
    """The other keys that decided a combination, without those that tell a person nothing."""
    others = [key for key in fault.failure.keys if key != fault.key and not _is_past(given, key)]
    telling = [
        key for key in others
        if (key in given.given and key not in ("do_train", "model_name_or_path"))
        or (key not in given.given and key not in MODES and given.default(key) is not False)
    ]  # fmt: skip
    return telling or others


def _is_past(given: Arguments, key: str) -> bool:
    """Whether a key that the file does not have is only the old name of another."""
    spec = given.spec(key)
    return key not in given.given and spec is not None and spec.replaced_by is not None


def shown(given: Arguments, key: str) -> str:
    """A key with its value, as the file gives it or by default."""
    from cfglint.releases.validate import spelled

    value = given.value(key)
    if value is UNKNOWN or isinstance(value, dict | list):
        return key
    if key not in given.given:
        return f"{key}: {spelled(value)} (the default)" if value else f"no {key}"
    return f"{key}: {spelled(value)}"


def passes(given: Arguments, fault: ArgumentFault, **changes: Any) -> bool:
    """Whether the loader would accept the file but for its other faults, were these values given
    (UNKNOWN: were the key not there)."""
    values = {**given.given, **changes}
    trial = {k: v for k, v in values.items() if not (k in changes and v is UNKNOWN)}
    before = {(f.error, f.says) for f in given.failures()}
    before.discard((fault.failure.error, fault.failure.says))
    return all((f.error, f.says) in before for f in given.failures_of(trial))


def unknown_keys(given: Arguments) -> list[UnknownKey]:
    """The keys that the deployed versions do not take, unless something makes them pass."""
    taken = given.section.keys
    entries = {name: entry for name, entry in given.root.index.items() if name not in taken}
    if entries:
        from cfglint.llamafactory.vendored import takes_key

        entries = {
            name: e
            for name, e in entries.items()
            if not takes_key(given.document, given.project, name)
        }
    if not entries:
        return []
    given.search()
    if any(is_on(given.environment(name)) for name in EXTRA_KEYS):
        return []
    megatron = given.form == "train" and any(MEGATRON.fullmatch(name) for name in entries)
    if megatron and is_on(given.environment("USE_MCA")):
        return []
    near = {
        name: _nearest(given, name, entry)
        for name, entry in entries.items()
        if elsewhere(given, name) is None and not given.derived(name)
    }
    # of a fork's keys the next best one is another thing, no misspelling
    is_fork = sum(meant is None for meant in near.values()) > 1
    found = []
    for name, entry in entries.items():
        other = elsewhere(given, name)
        meant = other.spec.replaced_by if other else None if is_fork else near.get(name)
        if meant not in taken or meant in given.given:
            meant = None
        reason = "derived" if given.derived(name) else "megatron" if megatron else ""
        if name.startswith("kt_") and given.value("use_kt") is True and not given.pinned:
            reason = "fork"
        old = other.spec.raw.get("default", UNKNOWN) if other else UNKNOWN
        idle = old is not UNKNOWN and old == given.given[name]
        certain = given.pinned or not (reason in ("megatron", "fork") or may_know(given, name))
        taker, is_newer = (other.title, other.is_newer) if other else ("", False)
        found.append(UnknownKey(name, entry, meant, taker, is_newer, certain, reason, idle))
    return found


def _nearest(given: Arguments, name: str, entry: Entry) -> str | None:
    """The known key that an unknown one was probably meant to be."""
    from cfglint.releases.validate import unknown

    key = ("near", given.release.version, given.base.version, given.form, name)
    found: str | None = given.project.fact(
        key, lambda: unknown(given.section, given.root, name, entry).near
    )
    return found


def origin(given: Arguments, key: str) -> Version:
    """The package that a key belongs to, by its version."""
    own = (given.release.section(p) for p in given.release.table(f"form:{given.form}"))
    if any(section and key in section.keys for section in own):
        return given.llamafactory
    return given.transformers if given.form == "train" else given.llamafactory


# -- types ---------------------------------------------------------------------------------------

PYTHON_TYPES: dict[str, tuple[type, ...]] = {
    "bool": (bool,), "int": (int,), "number": (int, float), "str": (str,), "list": (list,),
    "mapping": (dict,), "null": (type(None),),
}  # fmt: skip


def suspects(given: Arguments) -> Iterator[tuple[str, Spec, Any]]:
    """The keys whose given value is not plainly of one of the key's types."""
    key = ("plain", given.release.version, given.base.version, given.form)
    plain: dict[str, frozenset[type]] = given.project.fact(key, lambda: _plain(given.section))
    for name, value in given.given.items():
        types = plain.get(name)
        if types is not None and type(value) not in types and value is not UNKNOWN:
            yield name, given.section.keys[name], value


def _plain(section: Section) -> dict[str, frozenset[type]]:
    """Per key the Python types of which every value will do."""
    return {
        key: frozenset(
            kind
            for name in spec.types
            for kind in PYTHON_TYPES.get(name, ())
            if not (name == "str" and spec.choices)
        )
        for key, spec in section.keys.items()
        if "any" not in spec.types
    }
