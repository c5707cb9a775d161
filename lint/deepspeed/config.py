"""A DeepSpeed config as its readers see it: who reads it, by which release, with what values.

`configs_in(document, project)` gives the configs of a document: a DeepSpeed JSON is one, and so is
an inline `deepspeed:` mapping of a LLaMA-Factory file. Three programs read such a config, each in
its own way (facts on DeepSpeed a, e, f): DeepSpeed itself (hjson, knows no "auto"), accelerate
(strict JSON, fills some "auto"), and the Hugging Face trainer on top of accelerate, which also
compares it with its own arguments.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from cfglint.deepspeed.contents import AUTO as AUTO
from cfglint.deepspeed.contents import Contents
from cfglint.model.edit import Fix
from cfglint.model.tree import Entry, Mapping, Node, Scalar, target, to_data
from cfglint.patterns import lazy
from cfglint.record import dataclass, field
from cfglint.releases.data import FALSE_WORDS, TRUE_WORDS, Release, Section, load
from cfglint.releases.validate import Fault, faults
from cfglint.rule import repair
from cfglint.syntax import editing as edit

if TYPE_CHECKING:
    from cfglint.deepspeed.use import Use
    from cfglint.model.document import Document
    from cfglint.project import Project
    from cfglint.releases.versions import Version

ABSENT: Any = type(
    "Absent", (), {"__repr__": lambda self: "ABSENT", "__bool__": lambda self: False}
)()
EXPONENT = lazy(r"[-+]?[0-9][0-9_]*[eE][-+]?[0-9]+")
HF_KINDS = ("trainer", "accelerate")
BATCH = ("train_batch_size", "train_micro_batch_size_per_gpu", "gradient_accumulation_steps")
# Sections whose further keys other code reads one by one, or passes on whole.
OPEN_SECTIONS = (
    "amp", "autotuning", "compression_training", "curriculum_learning", "data_efficiency",
    "datastates_ckpt", "eigenvalue", "elasticity", "nebula", "optimizer.params", "pipeline",
    "progressive_layer_drop", "quantize_training", "scheduler.params", "sparse_attention",
)  # fmt: skip
OTHER_READERS = ("inference", "msamp")  # transformers and accelerate look for these
REMARK = lazy(r"[_#/$-]|comments?$|notes?$|description$", re.I)
# What newer releases call a key, where the old name is read no more.
RENAMED = {
    "aio.thread_count": "intra_op_parallelism",
    "seq_parallel_comm_data_type": "seq_parallel_communication_data_type",
}
FP16_ONLY = frozenset(
    ("auto_cast", "consecutive_hysteresis", "hysteresis", "initial_scale_power", "loss_scale",
     "loss_scale_window", "min_loss_scale")
)  # fmt: skip


@dataclass
class DeepSpeedConfig:
    """One config, judged by one release of DeepSpeed.

    Paths are dotted (`zero_optimization.stage`); a key's other names count as itself.
    """

    document: Document
    root: Mapping
    version: Version
    project: Project
    is_inline: bool = False
    _uses: list[Use] | None = field(default=None, repr=False)

    # -- the release -------------------------------------------------------------------------

    @cached_property
    def release(self) -> Release:
        return load("deepspeed").at(self.version.number)

    def section(self, name: str) -> Section | None:
        """What the release knows of a section."""
        return self.release.section(name)

    def knows(self, path: str) -> bool:
        """Whether the release reads a key."""
        parent, _, key = path.rpartition(".")
        section = self.section(parent)
        return section is not None and section.spec(key) is not None

    def since(self, version: str) -> bool:
        """Whether the release is this one or newer."""
        return not self.version.before(version)

    @property
    def judged_by(self) -> str:
        """The release and how it is known, for messages."""
        return str(self.version)

    # -- values ------------------------------------------------------------------------------

    def mapping(self, path: str) -> Mapping | None:
        """The mapping at a path, "" for the whole; None where there is none."""
        return self._contents.mappings.get(path)

    def entry(self, path: str) -> Entry | None:
        """The entry of a key, under whatever name the file calls it; None where it is absent."""
        return self._contents.entries.get(path)

    @cached_property
    def _contents(self) -> Contents:
        return Contents(self.root, self.release)

    @property
    def autos(self) -> list[tuple[str, Entry]]:
        """Every "auto" of the config with its path."""
        return self._contents.autos

    @property
    def texts(self) -> list[str]:
        """The paths of the keys whose value is a string, "auto" left out."""
        return self._contents.texts

    def has(self, path: str) -> bool:
        """Whether the config has a key, whatever its value."""
        return path in self._contents.entries

    def value(self, path: str) -> Any:
        """The parsed value of a key, ABSENT where the config does not have it."""
        entry = self.entry(path)
        return ABSENT if entry is None else self.data(entry.value)

    def data(self, node: Node) -> Any:
        """A value as its reader types it: OmegaConf reads `5e8` in YAML as a number."""
        node = target(node)
        if not isinstance(node, Scalar):
            return to_data(node)
        if node.style == "" and EXPONENT.fullmatch(node.text):
            return float(node.text.replace("_", ""))
        return node.value

    def is_auto(self, path: str) -> bool:
        """Whether a key is left to its reader."""
        return bool(self.value(path) == AUTO)

    def known(self, path: str, default: Any = None) -> Any:
        """A key's value; `default` where it is absent, null or "auto"."""
        value = self.value(path)
        return default if value is ABSENT or value is None or value == AUTO else value

    def write(self, entry: Entry, value: Any) -> Fix | None:
        """The repair that gives a key another value."""
        change = edit.set_value(self.document, target(entry.value), value)
        return repair(f"write {edit.written(change, value)}", change, safe=True)

    def number(self, path: str) -> int | float | None:
        """A literal number, None for everything else and for one beyond all bounds (1e999)."""
        value = self.value(path)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return None
        return value if math.isfinite(value) else None

    def flag(self, path: str) -> bool | None:
        """A truth value as pydantic reads it; the release's default where the key is absent; None
        where it is "auto" or no truth value."""
        value = self.value(path)
        if value is ABSENT:
            return self.default(path) is True
        if isinstance(value, str):
            word = value.lower()
            return True if word in TRUE_WORDS else False if word in FALSE_WORDS else None
        return bool(value) if isinstance(value, (bool, int)) and value in (0, 1) else None

    def default(self, path: str) -> Any:
        """What the release takes for a key that is absent."""
        parent, _, key = path.rpartition(".")
        section = self.section(parent)
        spec = section.keys.get(key) if section else None
        return spec.default if spec else None

    # -- what several rules ask --------------------------------------------------------------

    @cached_property
    def stage(self) -> int | None:
        """The ZeRO stage, None where it is not known."""
        if self.mapping("zero_optimization") is None:
            whole = self.value("zero_optimization")
            return int(whole) if isinstance(whole, bool) else 0
        value = self.value("zero_optimization.stage")
        if value is ABSENT:
            return 0
        if isinstance(value, str) and value.strip() in ("0", "1", "2", "3"):
            return int(value)
        return int(value) if isinstance(value, (int, float)) and value in (0, 1, 2, 3) else None

    def offload(self, what: str) -> str | None:
        """The device of `offload_optimizer` or `offload_param`: "none", "cpu", "nvme"; None where
        it is not known."""
        section = f"zero_optimization.offload_{what}"
        legacy = self.flag(f"zero_optimization.cpu_offload{'_param' if what == 'param' else ''}")
        if self.mapping(section) is None:
            return "cpu" if legacy else "none"
        device = self.value(f"{section}.device")
        return "none" if device is ABSENT else device if device in ("none", "cpu", "nvme") else None

    @cached_property
    def precision(self) -> str | None:
        """ "fp16", "bf16" or "fp32", None where the files leave it open."""
        fp16, bf16 = self.flag("fp16.enabled"), self.flag(f"{self.bf16}.enabled")
        if fp16 or bf16:
            return "fp16" if fp16 else "bf16"
        return "fp32" if fp16 is False and bf16 is False else None

    @property
    def bf16(self) -> str:
        """The name of the section that counts as bf16."""
        return "bf16" if self.known("bf16") is not None else "bfloat16"

    @cached_property
    def optimizer(self) -> str | None:
        """The optimizer's type, in lower case where DeepSpeed itself has one of that name."""
        name = self.known("optimizer.type")
        if not isinstance(name, str):
            return None
        return name.lower() if name.lower() in self.release.table("optimizers") else name

    @property
    def trainer_keys(self) -> dict[str, tuple[str, str]]:
        """What accelerate or the trainer fill or compare: path -> (argument, "match" or "fill")."""
        return _trainer_keys(self.release)

    @cached_property
    def is_hf_style(self) -> bool:
        """Whether it has an "auto" where accelerate or the trainer fill one: only they can read
        it, or a program that does as they do."""
        return any(path in self.trainer_keys for path, _ in self.autos)

    @cached_property
    def is_for_hf(self) -> bool:
        """Whether accelerate or the trainer reads it: the files show it, or show no reader and a
        batch size that only they fill in."""
        if self.hf_use is not None:
            return True
        return not self.uses and any(path in BATCH for path, _ in self.autos)

    @property
    def is_tuned(self) -> bool:
        """Whether DeepSpeed's autotuner reads it first, which puts a micro batch size and a ZeRO
        section into each config that it tries (autotuning/constants.py)."""
        launches = [use.launch for use in self.uses if use.launch is not None]
        tuned = [x.command is not None and "autotuning" in x.command.given for x in launches]
        return any(tuned) or (not launches and self.flag("autotuning.enabled") is True)

    @property
    def has_batch_size(self) -> bool:
        """Whether it gives one of the two batch sizes of which every reader needs one."""
        return any(self.value(key) not in (ABSENT, None) for key in BATCH[:2])

    @cached_property
    def faults(self) -> list[Fault]:
        """Everything that the release does not take or does not know."""
        section = self.section("")
        return faults(self.document, section, self.root) if section else []

    def unknown(self) -> Iterator[Fault]:
        """The keys that the release knows nothing of, remarks and open sections left out."""
        for fault in self.faults:
            if fault.kind != "unknown" or fault.entry is None:
                continue
            top = fault.section.name
            opened = any(top == name or top.startswith(f"{name}.") for name in OPEN_SECTIONS)
            foreign = not top and (fault.key in OTHER_READERS or REMARK.match(fault.key))
            if not opened and not foreign:
                yield fault

    def end(self, fault: Fault) -> str:
        """What the run ends with because nothing reads a key: it was meant to be one that has to be
        there, or holds an "auto" that nobody fills in. "" where the run goes on without it."""
        if fault.near in BATCH[:2] and not self.has_batch_size:
            return f"Either {BATCH[0]} or {BATCH[1]} needs to be provided"
        if not self.is_for_hf:
            return ""
        if fault.near == "zero_optimization":
            return "Please specify the ZeRO optimization config in the DeepSpeed config."
        auto = next((path for path, _ in self.autos if f"{path}.".startswith(f"{fault.path}.")), "")
        return auto and f"'{auto}' not found in kwargs. Please specify '{auto}' without 'auto' ..."

    def home(self, fault: Fault) -> str | None:
        """The one section that an unknown key belongs to, "" for the top, None where none or
        several have a key of that name."""
        places = []
        for name in self.release.package.places(fault.key):
            section = self.section(name)
            if section is not None and "@" not in name and fault.key in section.keys:
                places.append(name)
        if fault.key not in ("enabled", "type", "params") and len(places) == 1:
            return places[0] if places[0] != fault.section.name else None
        return None

    def replacement(self, fault: Fault) -> str | None:
        """What the release calls an unknown key that older ones knew."""
        name = RENAMED.get(fault.path)
        return name if name is not None and name in fault.section.keys else None

    def last_known(self, fault: Fault) -> str | None:
        """The newest release that knows a key which this one does not, None where none does."""
        life = self.release.package.life(fault.section.name, fault.key)
        return life[1] if life else None

    def first_known(self, fault: Fault) -> str | None:
        """The first release that knows a key which this one does not, None where none does."""
        life = self.release.package.life(fault.section.name, fault.key)
        return life[0] if life else None

    def may_take(self, section: str, key: str) -> bool:
        """Whether a release that the files leave possible takes a key that this one does not."""
        package = self.release.package
        for number in package.versions:
            known = package.at(number).section(section)
            spec = known.keys.get(key) if known else None
            if spec is not None and not spec.refused and self.version.may_be(number):
                return True
        return False

    # -- readers -----------------------------------------------------------------------------

    @property
    def uses(self) -> list[Use]:
        """The known readers, after a look through the repository for them."""
        if self._uses is None:
            from cfglint.deepspeed.use import uses_of

            self._uses = uses_of(self, self.project)
        return self._uses

    @property
    def hf_use(self) -> Use | None:
        """A use by accelerate or the trainer, None where none is known."""
        return next((use for use in self.uses if use.kind in HF_KINDS), None)

    @property
    def plain_use(self) -> Use | None:
        """A use by DeepSpeed itself, None where none is known."""
        return next((use for use in self.uses if use.kind == "deepspeed"), None)

    @property
    def is_the_programs(self) -> bool:
        """Whether a program reads it, as far as is known nobody else, and may fill it in."""
        return bool(self.uses) and all(use.kind == "program" for use in self.uses)


@cache
def _trainer_keys(release: Release) -> dict[str, tuple[str, str]]:
    return {path: (argument, how) for path, argument, how in release.table("trainer")}


def configs_in(document: Document, project: Project) -> list[DeepSpeedConfig]:
    """The DeepSpeed configs of a document, made once."""
    configs: list[DeepSpeedConfig] = document.fact(
        "deepspeed configs", lambda: list(_find(document, project))
    )
    return configs


def _find(document: Document, project: Project) -> Iterator[DeepSpeedConfig]:
    root = target(document.root) if document.root is not None else None
    if not isinstance(root, Mapping):
        return
    if document.kind == "deepspeed":
        if not document.problems:
            version = project.versions(document, "deepspeed")
            yield DeepSpeedConfig(document, root, version, project)
    elif document.kind == "llamafactory":
        inline = root.get("deepspeed")
        if isinstance(inline, Mapping):
            version = project.versions(document, "deepspeed")
            yield DeepSpeedConfig(document, inline, version, project, is_inline=True)
