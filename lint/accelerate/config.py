"""An accelerate config as `accelerate launch` reads it: which launcher it leads to, and which of
its keys and values that launcher looks at.

Sources: facts on accelerate a2, a4, b1 to b6; commands/launch.py and utils/launch.py, and the
plugins in utils/dataclasses.py of accelerate 1.15.0.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

from cfglint.accelerate.values import CONDITIONS, OF_SECTIONS, OF_TOP
from cfglint.model.tree import Entry, Mapping, Node, find, target, to_data
from cfglint.releases.data import FALSE_WORDS, TRUE_WORDS, Release, Section, load
from cfglint.releases.validate import Fault, faults

if TYPE_CHECKING:
    from cfglint.model.document import Document
    from cfglint.model.launch import ConfigRef, Launch
    from cfglint.project import Project
    from cfglint.releases.versions import Version

PLAIN = ("NO", "MULTI_CPU")  # one process, unless mpirun starts more
TORCHRUN = ("FSDP", "MEGATRON_LM", "TP")
SECTION_OF = {  # the distributed type without which a section is not read
    "deepspeed_config": "DEEPSPEED",
    "fsdp_config": "FSDP",
    "megatron_lm_config": "MEGATRON_LM",
    "tp_config": "TP",
}


class AccelerateConfig:
    """The config in one document, judged by one release."""

    def __init__(self, document: Document, root: Mapping, version: Version) -> None:
        self.document = document
        self.root = root
        self.version = version
        self.release: Release = load("accelerate").at(version.number)
        self._entries: dict[str, dict[str, Entry]] = {}

    # -- values ------------------------------------------------------------------------------

    def entry(self, section: str, key: str) -> Entry | None:
        """The entry of a key (its full name) of a section, "" for the top; as the file has it."""
        if section not in self._entries:
            mapping, described = self.mapping(section), self.section(section)
            found = mapping.index if mapping is not None and described is not None else {}
            if found and described and (described.prefix or described.aliases):
                found = {described.canonical(name): entry for name, entry in found.items()}
            self._entries[section] = found
        return self._entries[section].get(key)

    def value(self, section: str, key: str, default: Any = None) -> Any:
        """The parsed value of a key, `default` where the file does not have it."""
        entry = self.entry(section, key)
        return to_data(entry.value) if entry is not None else default

    def is_set(self, option: str) -> bool:
        """Whether a section sets a launcher option that is a top-level key by right: the keys of
        sections without a prefix are copied onto the options of their names as they are."""
        for name in self.sections:
            section, mapping = self.section(name), self.mapping(name)
            if section and not section.prefix and mapping and option in mapping:
                return to_data(mapping.index[option].value) is not None
        return False

    @cached_property
    def sections(self) -> list[str]:
        """The names of the file's keys that are called like sections."""
        return [name for name in self.root.names() if name.endswith("_config")]

    def mapping(self, section: str) -> Mapping | None:
        """The mapping of a section, None where there is none."""
        node: Node | None = self.root if not section else self.root.get(section)
        return node if isinstance(node, Mapping) else None

    def section(self, section: str) -> Section | None:
        """What the release knows of a section; the SageMaker form for the top of such a file."""
        return self.release.section("@sagemaker" if not section and self.is_sagemaker else section)

    # -- the launch --------------------------------------------------------------------------

    @cached_property
    def is_sagemaker(self) -> bool:
        node = self.root.get("compute_environment")
        return node is not None and to_data(node) == "AMAZON_SAGEMAKER"

    @cached_property
    def type(self) -> str:
        """The distributed type; "NO" for everything that is no string, as accelerate has it; ""
        where it is missing or no such type."""
        node = self.root.get("distributed_type")
        if node is None:
            return ""
        value = to_data(node)
        if not isinstance(value, str):
            return "NO"
        section = self.section("")
        spec = section.keys["distributed_type"] if section else None
        return value if spec is not None and value in spec.choices else ""

    @cached_property
    def launcher(self) -> str:
        """What starts the processes: "process" (one), "torchrun", "deepspeed" (its own launcher),
        "tpu", "sagemaker", "" where that is not known."""
        if self.is_sagemaker:
            return "sagemaker"
        if self.type in PLAIN:
            return "process"
        if self.type == "DEEPSPEED":
            standard = self.value("deepspeed_config", "deepspeed_multinode_launcher") == "standard"
            return "torchrun" if self.machines == 1 or standard else "deepspeed"
        if self.type == "XLA":
            return "tpu"
        is_gpu = self.type in TORCHRUN or self.type in self.release.table("gpu_types")
        return "torchrun" if is_gpu else ""

    @cached_property
    def machines(self) -> int:
        """num_machines as a comparison with 1 sees it; 1 where it is not a number."""
        value = self.value("", "num_machines", 1)
        return int(value) if isinstance(value, (int, float)) and 1 < value < 1e9 else 1

    @property
    def describes_deepspeed(self) -> bool:
        """Whether it says itself what DeepSpeed is to do, and names no file that does."""
        file = self.value("deepspeed_config", "deepspeed_config_file")
        return self.type == "DEEPSPEED" and file in (None, "none")

    @property
    def processes(self) -> int | None:
        """The literal num_processes, None where it is no whole number."""
        value = self.value("", "num_processes")
        return value if type(value) is int and value > 0 else None

    @cached_property
    def is_fp8(self) -> bool:
        return str(self.value("", "mixed_precision")).lower() == "fp8"

    @cached_property
    def fsdp_version(self) -> int:
        """The FSDP version that the plugin works with, 0 where the file's value is none."""
        value = str(self.value("fsdp_config", "fsdp_version", "1")).strip()
        return int(value) if value in ("1", "2") else 0

    def truth(self, section: str, key: str, default: bool = False) -> bool | None:
        """A truth word or boolean as the plugins read it, None where it is neither."""
        value = str(self.value(section, key, default)).lower()
        return True if value in TRUE_WORDS else False if value in FALSE_WORDS else None

    def deepspeed_file(self, project: Project) -> tuple[ConfigRef, Document] | None:
        """The DeepSpeed file that the config names, with the place that does; None where it names
        none, or none that is here."""
        found: tuple[ConfigRef, Document] | None = self.document.fact(
            "deepspeed file", lambda: next(iter(project.linked(self.document, "deepspeed")), None)
        )
        return found

    def zero_stage(self, project: Project) -> str:
        """The ZeRO stage as the config or the DeepSpeed file it names writes it, "" without."""
        if self.type != "DEEPSPEED":
            return ""
        stage = self.value("deepspeed_config", "zero_stage", "")
        file = self.deepspeed_file(project)
        root = file[1].root if file is not None else None
        node = find(root, "zero_optimization", "stage") if root is not None else None
        return str(to_data(node) if node is not None else stage)

    def options(self, project: Project) -> set[str]:
        """The launcher options that every known command line with this config gives."""
        users: list[Launch] = project.users(self.document)
        given = [_options(launch) for launch in users]
        return set.intersection(*given) if given else set()

    # -- what is read ------------------------------------------------------------------------

    def reads_section(self, section: str) -> bool:
        """Whether this launch looks at a section at all."""
        if section in SECTION_OF:
            return self.type == SECTION_OF[section]
        if section == "dynamo_config":
            return self.launcher in ("process", "torchrun") and self.type != "DEEPSPEED"
        if section == "parallelism_config":
            return self.launcher in ("torchrun", "deepspeed")
        if section == "fp8_config":
            return self.is_fp8 and self.launcher != "tpu"
        return self.launcher == "process" if section == "mpirun_config" else True

    def reads(self, section: str, key: str) -> bool:
        """Whether this launch looks at the value of a key (its full name)."""
        if not section:
            return True
        condition = CONDITIONS.get(key)
        return self.reads_section(section) and (condition is None or condition(self))

    def is_ignored(self, fault: Fault) -> bool:
        """Whether an unknown key of a section that is read has no effect: a launcher option has,
        for each key of a section is copied onto the option of its name."""
        name = fault.section.canonical(fault.key)
        top = self.release.section("")
        is_option = name in self.release.table("launch_options") or (top and name in top.keys)
        return self.reads_section(fault.section.name) and not is_option

    def life(self, fault: Fault) -> tuple[str, str] | None:
        """The first and last release that knows a key, None where none does."""
        name = fault.section.name
        key = name and self.release.package.life(name, fault.section.canonical(fault.key))
        return key or self.release.package.life(name, fault.key)

    # -- faults ------------------------------------------------------------------------------

    @cached_property
    def faults(self) -> list[Fault]:
        """Everything that the file has and the release does not take, read or not."""
        section = self.section("")
        return faults(self.document, section, self.root) if section else []

    def wrong_values(self) -> Iterator[tuple[Fault, bool]]:
        """The wrong values that this launch looks at, with whether accelerate refuses them; those
        it takes do something else than they say."""
        for fault in self.faults:
            if fault.kind in ("unknown", "required") or fault.spec is None or fault.spec.unread:
                continue
            section = fault.section.name.removeprefix("@sagemaker")
            if not self.reads(section, fault.section.canonical(fault.key)):
                continue
            judge = OF_TOP.get(fault.key) if not section else OF_SECTIONS.get(fault.spec.name)
            refused = judge(self, fault) if judge else (True if section else None)
            if refused and section == "fp8_config" and self.version.before("1.9.0"):
                refused = fault.spec.name == "fp8_override_linear_precision"  # the rest comes later
            if refused is not None:
                yield fault, refused


def config_of(document: Document, project: Project) -> AccelerateConfig | None:
    """The config in an accelerate document, None where there is no mapping to read."""

    def make() -> AccelerateConfig | None:
        root = target(document.root) if document.root is not None else None
        version = project.versions(document, "accelerate")
        return AccelerateConfig(document, root, version) if isinstance(root, Mapping) else None

    config: AccelerateConfig | None = document.fact("config", make)
    return config


def _options(launch: Launch) -> set[str]:
    """The names of the options in a launcher's own words, underscores throughout."""
    words = (word.raw.partition("=")[0] for word in launch.argv)
    return {word.lstrip("-").replace("-", "_") for word in words if word.startswith("--")}
