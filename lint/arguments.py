"""A LLaMA-Factory config as its parser sees it: which form, which keys, which values, what fails.

`arguments(document, project)` gives it, made once for a file. What the files do not show (options
on the command line, the accelerate config that another file names) is UNKNOWN.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from cfglint.checks import UNKNOWN, Checks, Failure, Plan
from cfglint.document import Document
from cfglint.launch import Launch
from cfglint.project import Project
from cfglint.record import dataclass, field
from cfglint.schemadata import Package, Release, Section, Spec, combine, load
from cfglint.tree import Entry, Mapping, Node, Scalar, Sequence, find, target, to_data
from cfglint.versions import Version, order

BASE = "&transformers"
TRAINING = frozenset(
    ("do_train", "do_eval", "do_predict", "predict_with_generate", "output_dir", "dataset",
     "eval_dataset", "learning_rate")
)  # fmt: skip
# Keys that set what the whole run is: a refusal seldom speaks of these.
MODES = frozenset(
    ("stage", "finetuning_type", "do_train", "do_eval", "do_predict", "model_name_or_path")
)
OPEN_SETS = frozenset(("template", "tool_format"))  # each release adds some
EVALUATION = frozenset(("n_shot", "lang", "save_dir", "task_dir"))
EXTRA_KEYS = ("ALLOW_EXTRA_ARGS", "ALLOW_EXTRA_KEYS")  # variables that make unknown keys pass
# OmegaConf's floats: an exponent needs no dot, unlike YAML 1.1's.
EXPONENT = re.compile(r"[-+]?[0-9][0-9_]*[eE][-+]?[0-9]+")


def form_of(root: Mapping) -> str:
    """What a config is for: "train", "infer", "export", "eval" or "v1"."""
    keys = set(root.names())
    if "model" in keys and "model_name_or_path" not in keys:
        return "v1"
    if "task" in keys and keys & EVALUATION and not keys & {"do_train", "stage"}:
        return "eval"
    if "export_dir" in keys and not keys & {"do_train", "output_dir"}:
        return "export"
    return "train" if keys & TRAINING else "infer"


@dataclass(frozen=True, slots=True)
class ArgumentFault:
    """A failing check of the loader, as a person sees it.

    `kind` is "value" (one key's value is wrong by itself), "missing" (a key has to be there) or
    "combination"; `key` the key to blame: the wrong one, the missing one, the subject of the
    refusal; `entry` where it, or what asks for it, stands.
    """

    kind: str
    key: str
    entry: Entry | None
    failure: Failure


@dataclass
class Arguments:
    """One config file, judged by one release of LLaMA-Factory and one of transformers.

    `form` is what it is for; `section` every key that this form takes; `given` the values the file
    gives, as the loader types them (UNKNOWN for keys that a command line sets anew).
    """

    document: Document
    project: Project
    root: Mapping
    form: str
    llamafactory: Version
    transformers: Version
    release: Release
    base: Release
    section: Section
    given: dict[str, Any] = field(default_factory=dict)
    _failures: list[Failure] | None = None
    _faults: list[ArgumentFault] | None = None
    _searched: bool = False

    @property
    def pinned(self) -> bool:
        """Whether the versions that decide over keys are known."""
        return self.llamafactory.pinned and (self.form != "train" or self.transformers.pinned)

    @property
    def judged_by(self) -> str:
        """The versions, for messages."""
        return self.llamafactory.title

    def origin(self, key: str) -> Version:
        """The package that a key belongs to, by its version."""
        base = self.form == "train" and self.base.section("")
        owns = base and key in base.keys and key not in self._own(self.release, self.form)
        return self.transformers if owns else self.llamafactory

    @property
    def ray(self) -> bool:
        """Whether the job is one for Ray, as its keys or the commands that use it say."""
        if any(key.startswith("ray_") for key in self.given):
            return True
        self._search()
        return _is_on(self.environment("USE_RAY"))

    def entry(self, key: str) -> Entry | None:
        """The entry of the file that counts for a key."""
        return self.root.entry(key)

    def spec(self, key: str) -> Spec | None:
        """What the deployed versions say of a key."""
        return self.section.keys.get(key)

    def default(self, key: str) -> Any:
        """What a key holds where nothing gives it; UNKNOWN where that is not known."""
        spec = self.spec(key)
        if spec is None or spec.required:
            return UNKNOWN
        before = spec.raw.get("default_before")
        if before:
            torch = self.project.versions(self.document, "torch").number
            if torch and order(torch) < order(before["torch"]):
                return before["value"]
        if "default" in spec.raw:
            return spec.raw["default"]
        return None if "null" in spec.types else UNKNOWN

    def value(self, key: str) -> Any:
        """A key's value: given, else its default; UNKNOWN where the files do not show it."""
        return self.given[key] if key in self.given else self.default(key)

    def settled(self, key: str) -> Any:
        """A key's value once TrainingArguments has settled it."""
        return self._checks().settled(key)

    def failures(self) -> list[Failure]:
        """The loader's own checks that this file fails."""
        if self._failures is None:
            found = list(self._checks().failures(self.form))
            if found and self._search():
                found = list(self._checks().failures(self.form))
            self._failures = found
        return self._failures

    def faults(self) -> list[ArgumentFault]:
        """The failing checks, one for each fault: what only follows from a wrong value is left
        out."""
        if self._faults is None:
            made = [self._fault(failure) for failure in self.failures()]
            wrong = {f.key for f in made if f.kind == "value"}
            self._faults, seen = [], set()
            for fault in made:
                follows = fault.kind != "value" and wrong.intersection(fault.failure.keys)
                if not follows and fault.key not in seen:
                    seen.add(fault.key)
                    self._faults.append(fault)
        return self._faults

    def _fault(self, failure: Failure) -> ArgumentFault:
        given = [key for key in failure.keys if self.given.get(key, UNKNOWN) is not UNKNOWN]
        if failure.missing:
            place = next((k for k in reversed(given) if k not in MODES), given[-1] if given else "")
            return ArgumentFault("missing", failure.missing, self.entry(place), failure)
        if failure.key:
            key = next((k for k in [failure.key, *given] if self._is_mistyped(k)), failure.key)
            return ArgumentFault("value", key, self.entry(key), failure)
        subject = self._subject(failure, given)
        if len(failure.keys) == 1 and not failure.contexts and given:
            spec = self.spec(subject)
            choices = spec.choices if spec else ()
            if failure.late or (choices and self.given[subject] not in choices):
                return ArgumentFault("value", subject, self.entry(subject), failure)
        return ArgumentFault("combination", subject, self.entry(subject), failure)

    def _is_mistyped(self, key: str) -> bool:
        spec = self.spec(key)
        return spec is not None and spec.fault(self.given[key]) is not None

    @staticmethod
    def _subject(failure: Failure, given: list[str]) -> str:
        """The given key that a refusal speaks of: the first that its message names, else the last
        one looked at that is no mode of the whole run."""
        words = re.findall(r"\w+", failure.says)
        named = next((w for w in words if w in given and w not in MODES), None)
        return named or next(
            (k for k in reversed(given) if k not in MODES), given[-1] if given else ""
        )

    def suspects(self) -> Iterator[tuple[str, Spec, Any]]:
        """The keys whose given value is not plainly one of the key's types."""
        key = ("plain", self.release.version, self.base.version, self.form)
        plain: dict[str, frozenset[type]] = self.project.fact(key, lambda: _plain(self.section))
        for name, value in self.given.items():
            if value is not UNKNOWN and type(value) not in plain.get(name, ANYTHING):
                yield name, self.section.keys[name], value

    def nearest(self, name: str, entry: Entry) -> str | None:
        """The known key that an unknown one was probably meant to be."""
        from cfglint.validate import unknown

        key = ("near", self.release.version, self.base.version, self.form, name)
        found: str | None = self.project.fact(
            key, lambda: unknown(self.section, self.root, name, entry).near
        )
        return found

    def passes(self, fault: ArgumentFault, **changes: Any) -> bool:
        """Whether the loader would accept the file but for its other faults, were these values
        given (UNKNOWN: were the key not there)."""
        values = {**self.given, **changes}
        trial = {k: v for k, v in values.items() if not (k in changes and v is UNKNOWN)}
        checks = self._checks_of(trial)
        before = {(f.error, f.says) for f in self.failures()}
        before.discard((fault.failure.error, fault.failure.says))
        return all((f.error, f.says) in before for f in checks.failures(self.form))

    def derived(self, key: str) -> bool:
        """Whether a key is an attribute that LLaMA-Factory sets by itself and no file can."""
        raw = self.release.form(self.release.package.raw["sections"]["&model"])
        return raw is not None and key in raw.get("derived", ())

    def unknown(self) -> list[tuple[str, Entry]]:
        """The keys that the deployed versions do not take."""
        known = self.section.keys
        found = [(name, entry) for name, entry in self.root.index.items() if name not in known]
        if found:
            self._search()
            if any(_is_on(self.environment(name)) for name in EXTRA_KEYS):
                return []
        return found

    def absent(self) -> list[str]:
        """The fields without a default that nothing gives."""
        needed = [key for key, spec in self.section.keys.items() if spec.required]
        found = [key for key in needed if key not in self.given]
        if found:
            self._search()
        return [key for key in found if key not in self.given]

    def users(self) -> list[Launch]:
        """The commands that use this file, as far as they have been read."""
        return self.project.users(self.document)

    def _search(self) -> bool:
        """Look through the repository for commands that use this file, before anything is said
        against it; whether there are any."""
        if not self._searched:
            self._searched = True
            self.project.search_complete(self.document)
            self.given |= dict.fromkeys(_overrides(self.users()), UNKNOWN)
        return bool(self.users())

    def environment(self, name: str) -> str | None:
        """What a command that uses this file sets a variable to, None where none does."""
        for launch in self.users():
            setting = launch.env.get(name)
            if setting is not None:
                return setting.text or ""
        return None

    # ------------------------------------------------------------------ other releases

    def elsewhere(self, key: str) -> tuple[str, Spec] | None:
        """The newest other release (in words) that takes a key in this form, with its spec."""
        for package, name in self._parts():
            life = package.life(name, key)
            section = package.at(life[1]).section(name) if life else None
            if life and section and key in section.keys:
                title = "transformers" if name == "" else "LLaMA-Factory"
                return f"{title} {life[1]}", section.keys[key]
        return None

    def may_know(self, key: str) -> bool:
        """Whether versions that the files leave possible take a key."""
        for package, name in self._parts():
            if package.life(name, key) is None:
                continue
            version = self.transformers if name == "" else self.llamafactory
            for number in package.versions:
                section = package.at(number).section(name)
                if section is not None and key in section.keys and version.may_be(number):
                    return True
        return False

    def may_take(self, key: str, value: Any) -> bool:
        """Whether versions that the files leave possible take a value that this one does not."""
        if key in OPEN_SETS:
            return not self.llamafactory.pinned
        for package, name in self._parts():
            version = self.transformers if name == "" else self.llamafactory
            judged = (self.base if name == "" else self.release).version
            for number in package.versions:
                if number == judged:
                    continue
                section = package.at(number).section(name)
                spec = section.keys.get(key) if section else None
                if spec and spec.choices and value in spec.choices and version.may_be(number):
                    return True
        return False

    def _parts(self) -> list[tuple[Package, str]]:
        """The sections that any release makes this form of, with their packages."""
        package = self.release.package

        def find_parts() -> list[tuple[Package, str]]:
            tables = (package.at(v).table(f"form:{self.form}") for v in package.versions)
            parts = dict.fromkeys(part for table in tables for part in table)
            return [(self.base.package, "") if p == BASE else (package, p) for p in parts]

        found: list[tuple[Package, str]] = self.project.fact(("parts", self.form), find_parts)
        return found

    @staticmethod
    def _own(release: Release, form: str) -> set[str]:
        sections = (release.section(p) for p in release.table(f"form:{form}") if p != BASE)
        return {key for section in sections if section for key in section.keys}

    # ------------------------------------------------------------------ checks

    def _checks(self) -> Checks:
        return self._checks_of(self.given)

    def _checks_of(self, given: dict[str, Any]) -> Checks:
        base = self.base if self.form == "train" else None

        def plan() -> Plan:
            return Plan(self.release, self.form, base, self.default)

        torch = self.project.versions(self.document, "torch").number
        key = ("checks", self.release.version, self.base.version, self.form, torch)
        made: Plan = self.project.fact(key, plan)
        return Checks(self.release, given, self.default, self._context, base, made)

    def _context(self, name: str) -> Any:
        """What the files show of the run."""
        topic, _, about = name.partition(":")
        if topic == "env":
            return _is_on(self.environment(about))
        if topic == "exists":
            path = self.given.get(about)
            found = self.project.exists(self.document, path) if isinstance(path, str) else None
            return UNKNOWN if found is None else found
        if topic.startswith("transformers>="):
            number = self.transformers.number
            return UNKNOWN if number is None else order(number) >= order(topic[14:])
        if topic == "parallel_mode":
            return "distributed" if self._is_distributed() else UNKNOWN
        if topic == "zero3":
            return self._zero3()
        if topic == "fsdp":
            return True if self.given.get("fsdp") not in (None, "", False, UNKNOWN) else UNKNOWN
        return UNKNOWN

    def _is_distributed(self) -> bool:
        """Whether the job surely has several processes: DeepSpeed runs no other way."""
        deepspeed = self.given.get("deepspeed")
        if deepspeed is not UNKNOWN and deepspeed:
            return True
        for launch in self.users():
            per_node = launch.effective("nproc_per_node")
            if launch.is_multinode or (per_node and per_node.isdigit() and int(per_node) > 1):
                return True
        return False

    def _zero3(self) -> Any:
        """Whether DeepSpeed's stage is 3; False without DeepSpeed."""
        value = self.given.get("deepspeed")
        if value is UNKNOWN:
            return UNKNOWN
        if not value:
            return False
        stage = find(self.root, "deepspeed", "zero_optimization", "stage")
        if stage is None:
            for _, linked in self.project.linked(self.document, "deepspeed"):
                if linked.root is not None:
                    stage = find(linked.root, "zero_optimization", "stage")
        if isinstance(stage, Scalar):
            return str(stage.value) == "3"
        return UNKNOWN


def arguments(document: Document, project: Project) -> Arguments | None:
    """The arguments of a config file, None where it is no mapping."""

    def make() -> Arguments | None:
        root = target(document.root) if document.root is not None else None
        if not isinstance(root, Mapping):
            return None
        return _make(document, project, root)

    made: Arguments | None = project.fact(("arguments", id(document)), make)
    return made


def _make(document: Document, project: Project, root: Mapping) -> Arguments:
    llamafactory = project.versions(document, "llamafactory")
    transformers = project.versions(document, "transformers")
    release = load("llamafactory").at(llamafactory.number)
    base = load("transformers").at(transformers.number)
    form = form_of(root)
    if not release.table(f"form:{form}"):
        form = "train"  # this release has no such trainer and reads the file as one for training
    parts = release.table(f"form:{form}")
    key = ("sections", release.version, base.version, form)
    section: Section = project.fact(
        key,
        lambda: combine(*(base.section("") if p == BASE else release.section(p) for p in parts)),
    )
    made = Arguments(
        document, project, root, form, llamafactory, transformers, release, base, section
    )
    loose = release.table("reader") == ("omegaconf",)
    made.given = {name: _typed(entry.value, loose) for name, entry in root.index.items()}
    made.given |= dict.fromkeys(_overrides(made.users()), UNKNOWN)
    return made


class _Everything:
    def __contains__(self, item: object) -> bool:
        return True


ANYTHING = _Everything()
PYTHON_TYPES: dict[str, tuple[type, ...]] = {
    "bool": (bool,), "int": (int,), "number": (int, float), "str": (str,), "list": (list,),
    "mapping": (dict,), "null": (type(None),),
}  # fmt: skip


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


def _is_on(value: str | None) -> bool:
    """Whether LLaMA-Factory takes an environment variable's value for yes."""
    return value is not None and value.lower() in ("1", "y", "true")


def _typed(node: Node, loose: bool) -> Any:
    """A value as the loader types it. `loose`: OmegaConf, for which 1e-4 is a number."""
    node = target(node)
    if isinstance(node, Scalar):
        value = node.value
        if loose and isinstance(value, str) and node.is_plain and EXPONENT.fullmatch(value):
            return float(value.replace("_", ""))
        return value
    if isinstance(node, Sequence):
        return [_typed(item, loose) for item in node.items]
    if isinstance(node, Mapping):
        return {name: _typed(entry.value, loose) for name, entry in node.index.items()}
    return to_data(node)


def _overrides(users: list[Launch]) -> Iterator[str]:
    """The keys that commands set after the file's name: `llamafactory-cli train a.yaml k=v`."""
    for launch in users:
        for word in launch.program.args if launch.program else ():
            name, sign, _ = word.raw.partition("=")
            if sign and name.isidentifier():
                yield name
