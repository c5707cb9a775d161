"""A LLaMA-Factory config as its parser sees it: which form, which keys, which values, what fails.

`arguments(document, project)` gives it, made once for a file. What the files do not show (options
on the command line, the accelerate config that another file names) is UNKNOWN.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from cfglint.model.document import Document
from cfglint.model.edit import Edit
from cfglint.model.launch import Launch
from cfglint.model.tree import Entry, Mapping, Node, Scalar, Sequence, find, target, to_data
from cfglint.patterns import lazy
from cfglint.record import dataclass, field
from cfglint.releases.check_plan import Plan
from cfglint.releases.checks import UNKNOWN as UNKNOWN
from cfglint.releases.checks import Checks, Failure
from cfglint.releases.data import Release, Section, Spec, combine, load
from cfglint.releases.versions import Version, order
from cfglint.syntax import editing as edit

if TYPE_CHECKING:
    from cfglint.project import Project

BASE = "&transformers"
TRAINING = frozenset(
    ("do_train", "do_eval", "do_predict", "predict_with_generate", "output_dir", "dataset",
     "eval_dataset", "learning_rate")
)  # fmt: skip
EVALUATION = frozenset(("n_shot", "lang", "save_dir", "task_dir"))
# OmegaConf's floats: an exponent needs no dot, unlike YAML 1.1's.
NUMERIC = frozenset("+-0123456789")
EXPONENT = lazy(r"[-+]?[0-9][0-9_]*[eE][-+]?[0-9]+")


def form_of(keys: set[str]) -> str:
    """What a config with these keys is for: "train", "infer", "export", "eval" or "v1"."""
    if "model" in keys and "model_name_or_path" not in keys:
        return "v1"
    if "task" in keys and keys & EVALUATION and not keys & {"do_train", "stage"}:
        return "eval"
    if "export_dir" in keys and not keys & {"do_train", "output_dir"}:
        return "export"
    return "train" if keys & TRAINING else "infer"


@dataclass
class Arguments:
    """One config file, judged by one release of LLaMA-Factory and one of transformers.

    `form` is what it is for; `section` every key that this form takes; `given` the values the file
    gives, as the loader types them (UNKNOWN for keys that a command line sets anew).
    """

    by_argparse: ClassVar[bool] = False  # whether flags give them, whose choices argparse checks
    NOUN: ClassVar[str] = "key of a config"
    LEFT_OVER: ClassVar[str] = "keys"  # what the parser's message calls keys that nothing takes
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
    _searched: bool = False

    @property
    def pinned(self) -> bool:
        """Whether the versions that decide over keys are known."""
        return self.llamafactory.pinned and (self.form != "train" or self.transformers.pinned)

    @property
    def judged_by(self) -> str:
        """The versions, for messages."""
        return self.llamafactory.title

    @property
    def ray(self) -> bool:
        """Whether the job is one for Ray, as its keys or the commands that use it say."""
        if any(key.startswith("ray_") for key in self.given):
            return True
        self.search()
        return is_on(self.environment("USE_RAY"))

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
        base = self.base if self.form == "train" else None
        return Checks(self.release, self.given, self.default, self._context, base).settled(key)

    def failures(self) -> list[Failure]:
        """The loader's own checks that this file fails."""
        if self._failures is None:
            found = self.failures_of(self.given)
            if found and self.search():
                found = self.failures_of(self.given)
            self._failures = found
        return self._failures

    def failures_of(self, given: dict[str, Any]) -> list[Failure]:
        """The checks that fail with other values in the file's place."""
        base = self.base if self.form == "train" else None

        def plan() -> Plan:
            return Plan(self.release, self.form, base, self.default)

        torch = self.project.versions(self.document, "torch").number
        key = ("checks", self.release.version, self.base.version, self.form, torch)
        made: Plan = self.project.fact(key, plan)
        checks = Checks(self.release, given, self.default, self._context, base)
        return list(made.failures(checks))

    def derived(self, key: str) -> bool:
        """Whether a key is an attribute that LLaMA-Factory sets by itself and no file can."""
        raw = self.release.form(self.release.package.raw["sections"]["&model"])
        return raw is not None and key in raw.get("derived", ())

    def absent(self) -> list[str]:
        """The fields without a default that nothing gives."""
        found = [key for key in self.section.required if key not in self.given]
        if found:
            self.search()
        return [key for key in found if key not in self.given]

    def written(self, key: str) -> str:
        """A key as messages quote it: in a file by its name."""
        return f"'{key}'"

    def renamed(self, entry: Entry, name: str) -> Edit | None:
        """The edit that calls a key another name."""
        return edit.rename_key(self.document, entry, name)

    def removed(self, entry: Entry) -> Edit | list[Edit] | None:
        """The edit that takes a key and its value away."""
        return edit.remove_entry(self.document, self.root, entry)

    def changed(self, entry: Entry, value: Any) -> Edit | None:
        """The edit that gives a key another value."""
        return edit.set_value(self.document, entry.value, value)

    def added(self, name: str, value: Any, after: Entry | None) -> Edit | None:
        """The edit that adds a key."""
        return edit.insert_entry(self.document, self.root, name, value, after=after)

    def users(self) -> list[Launch]:
        """The commands that use this file, as far as they have been read."""
        return self.project.users(self.document)

    def search(self) -> bool:
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

    # ------------------------------------------------------------------ checks

    def _context(self, name: str) -> Any:
        """What the files show of the run."""
        topic, _, about = name.partition(":")
        if topic == "env":
            return is_on(self.environment(about))
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

    def deepspeed(self) -> list[Node | None]:
        """What the DeepSpeed configs hold that are named beside the other arguments."""
        return [d.root for _, d in self.project.linked(self.document, "deepspeed")]

    def _zero3(self) -> Any:
        """Whether DeepSpeed's stage is 3; False without DeepSpeed, UNKNOWN where its config is
        not in the tree."""
        value = self.given.get("deepspeed")
        if not value or value is UNKNOWN:
            return UNKNOWN if value is UNKNOWN else False
        roots = [find(self.root, "deepspeed")] if isinstance(value, dict) else self.deepspeed()
        stage = find(roots[0], "zero_optimization", "stage") if roots and roots[0] else None
        return str(stage.value) == "3" if isinstance(stage, Scalar) else UNKNOWN


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
    users = project.users(document)
    form = form_of({*root.names(), *_overrides(users)})
    made = assemble(Arguments, document, project, root, form)
    loose = made.release.table("reader") == ("omegaconf",)
    made.given = {name: _typed(entry.value, loose) for name, entry in root.index.items()}
    made.given |= dict.fromkeys(_overrides(made.users()), UNKNOWN)
    return made


Made = TypeVar("Made", bound=Arguments)


def assemble(
    kind: type[Made], document: Document, project: Project, root: Mapping, form: str
) -> Made:
    """Arguments of a form, as the deployed versions take them; none is given yet."""
    llamafactory = project.versions(document, "llamafactory")
    transformers = project.versions(document, "transformers", "llamafactory")
    release = load("llamafactory").at(llamafactory.number)
    base = load("transformers").at(transformers.number)
    if not release.table(f"form:{form}"):
        form = "train"  # this release has no such trainer and reads the file as one for training
    parts = release.table(f"form:{form}")
    key = ("sections", release.version, base.version, form)
    section: Section = project.fact(
        key,
        lambda: combine(*(base.section("") if p == BASE else release.section(p) for p in parts)),
    )
    return kind(document, project, root, form, llamafactory, transformers, release, base, section)


def is_on(value: str | None) -> bool:
    """Whether LLaMA-Factory takes an environment variable's value for yes."""
    return value is not None and value.lower() in ("1", "y", "true")


def _typed(node: Node, loose: bool) -> Any:
    """A value as the loader types it. `loose`: OmegaConf, for which 1e-4 is a number."""
    if node.__class__ is not Scalar:
        node = target(node)
    if isinstance(node, Scalar):
        value = node.value
        if loose and value.__class__ is str and node.is_plain and value[:1] in NUMERIC:
            return float(value.replace("_", "")) if EXPONENT.fullmatch(value) else value
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
