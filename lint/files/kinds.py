"""Which kind of file is this? Content first, name second, and the reason in words.

The discriminators were measured on thousands of foreign files (facts on accelerate c, LLaMA-Factory
c, DeepSpeed b); a file that shows none of them has no kind and is left alone.
"""

from __future__ import annotations

import re
from typing import Any

from cfglint.files import templates
from cfglint.files.kind_words import (
    ACCELERATE_TYPES,
    ACCELERATE_WEAK,
    COMMON_IN_TRAINERS,
    DATASET_COLUMNS,
    DATASET_OTHERS,
    DEEPSPEED,
    DEEPSPEED_OWN,
    DEEPSPEED_WEAK,
    FOREIGN_TO_LLAMAFACTORY,
    JSON_WORDS,
    LLAMAFACTORY,
    LLAMAFACTORY_V1,
    YAML_WORDS,
)
from cfglint.model.tree import Mapping, Node, Scalar, Sequence, target
from cfglint.patterns import lazy

# Kinds whose files show the command that starts a job, or its environment.
COMMANDS = (
    "compose", "dockerfile", "script", "slurm", "kubernetes", "dotenv", "makefile", "justfile",
    "workflow", "notebook",
)  # fmt: skip
# Kinds whose files describe the start of a job, or part of it.
LAUNCHING = ("accelerate", *COMMANDS)
Verdict = tuple["str | None", str]
UNKNOWN: Verdict = (None, "")

_SHEBANG = lazy(r"#![ \t]*\S{0,200}?(?:/env[ \t]+(?:-S[ \t]+)?)?(?:\S{0,200}/)?(ba|da|z|k|a)?sh\b")
_BARE_SHEBANG = lazy(r"#![ \t]*(?:\S{0,200}/env)?[ \t]*\r?(?:\n|\Z)")  # it names no interpreter
_SBATCH = lazy(r"^#SBATCH\b", re.M)
_COMMAND = lazy(r"^[ \t]*[^#\s]", re.M)
# Comments and ARG lines, then FROM. Each line can be read in one way only: no backtracking.
_FROM = lazy(r"\A(?:[ \t]*(?:#[^\n]*|ARG[ \t]+[^\n]*)?\n)*[ \t]*FROM[ \t]+\S", re.I)
_SLOTS = lazy(r"^[^\s#]+[ \t]+slots[ \t]*=[ \t]*\d+", re.M)
_ASSIGN = lazy(r"^(?:export\s+)?[A-Za-z_][A-Za-z0-9_]*\s*=", re.M)
_SHELL_ENDINGS = (
    ".sh", ".bash", ".zsh", ".ksh", ".slurm", ".sbatch", ".sub", ".job", ".pbs", ".lsf", ".run",
    ".cmd",
)  # fmt: skip
_OTHER_ENDINGS = (
    ".md", ".py", ".txt", ".rst", ".html", ".yaml", ".yml", ".json", ".sh", ".toml", ".js", ".ts",
    ".go", ".dockerignore", ".lock", ".tpl", ".patch", ".diff", ".encrypted", ".enc", ".gpg",
    ".png", ".jpg", ".jpeg", ".svg", ".gif", ".pdf", ".gz", ".zip",
)  # fmt: skip


def syntax_of(name: str, text: str) -> str:
    """How a file of this name and text is parsed: yaml, json, dockerfile, shell, dotenv, hostfile,
    makefile, justfile, notebook, or "" when cfglint does not read such files."""
    lower = name.lower()
    ending = lower.rpartition(".")[2] if "." in lower else ""
    if ending in ("yaml", "yml"):
        # DeepSpeed reads its config with hjson whatever the file is called.
        braced = text.lstrip()[:1] == "{" and any(f'"{word}"' in text for word in DEEPSPEED)
        return "json" if braced else "yaml"
    if ending == "json":
        return "json"
    if ending == "conf":
        return "json" if text.lstrip()[:1] == "{" else ""
    if ending == "ipynb":
        return "notebook"
    if is_dockerfile_name(lower):
        return "dockerfile"
    if lower in ("makefile", "gnumakefile") or ending == "mk":
        return "makefile"
    if lower in ("justfile", ".justfile") or ending == "just":
        return "justfile"
    if (
        lower == ".deepspeed_env"
        or lower == ".env"
        or lower.startswith(".env.")
        or ending == "env"
        or lower.endswith("_env")
    ):
        return "dotenv"
    if text.startswith("#!") and not _BARE_SHEBANG.match(text):
        return "shell" if _SHEBANG.match(text) else ""
    if lower.endswith(_SHELL_ENDINGS):
        return "shell"
    if lower.endswith(_OTHER_ENDINGS) and ending != "txt":
        return ""
    if any(part in lower for part in ("hostfile", "host_file", "machinefile")) or _SLOTS.search(
        text
    ):
        return "hostfile"
    if ending:
        return ""
    if _FROM.match(text):
        return "dockerfile"
    from cfglint.files.bare_scripts import HEAD, is_launch_script

    head = text if len(text) <= HEAD else text[: text.rfind("\n", 0, HEAD) + 1]
    return "shell" if is_launch_script(head) else ""


def is_dockerfile_name(lower: str) -> bool:
    """Whether a lower-case file name is a Dockerfile's."""
    if lower.endswith(_OTHER_ENDINGS):
        return False
    return (
        lower in ("dockerfile", "containerfile")
        or lower.startswith(("dockerfile.", "dockerfile-", "dockerfile_", "containerfile."))
        or lower.endswith((".dockerfile", ".containerfile", "-dockerfile", "_dockerfile"))
    )


def may_matter(syntax: str, text: str) -> bool:
    """Whether a text holds any word that a known kind of this syntax needs."""
    if syntax == "yaml":
        return any(word in text for word in YAML_WORDS)
    if syntax == "json":
        return any(word in text for word in JSON_WORDS)
    return True


def classify(name: str, text: str, syntax: str, tree: Any) -> Verdict:
    """The kind of a file and why. `tree` is what its syntax was parsed to, None if it was not."""
    if templates.is_named(name):
        return "template", "its name is a template's"
    if syntax in ("yaml", "json"):
        verdict = _structured(name, text, syntax, tree)
        if verdict[0] is None and tree is not None and tree.problems:
            verdict = by_signs(name, text, syntax)
            if verdict[0] is not None:
                verdict = verdict[0], f"{verdict[1]}, but it does not parse"
        if verdict[0] is not None and templates.is_filled_in(text, syntax, tree, verdict[0]):
            return "template", f"{verdict[1]}, but placeholders stand where values belong"
        return verdict
    if syntax == "shell":
        from cfglint.syntax.heredocs import outside

        # Those in a here-document are of the batch script that this one hands in.
        if "{%" in text or "{{" in text:
            own = outside(text)
            if templates.has_blocks(own):
                return "template", "a shell script with template blocks"
            if templates.has_fields(own):
                return "template", "a shell script with names to fill in"
        if _SBATCH.search(text) and _is_batch_script(text, outside(text)):
            return "slurm", "it has #SBATCH lines"
        return "script", "a shell script"
    if syntax == "dotenv":
        if name.lower() == ".deepspeed_env":
            return "deepspeed-env", "DeepSpeed's launcher reads a file of this name"
        assigned = _ASSIGN.search(text) or not text.strip()
        return ("dotenv", "its name, and NAME=value lines") if assigned else UNKNOWN
    if syntax == "hostfile":
        return (
            ("hostfile", "host slots=N lines") if _SLOTS.search(text) else _hostfile_by_name(name)
        )
    if syntax == "dockerfile":
        if templates.has_blocks(text):
            return "template", "a Dockerfile with template blocks"
        return "dockerfile", "its name" if is_dockerfile_name(
            name.lower()
        ) else "it begins with FROM"
    if syntax in ("makefile", "justfile"):
        return syntax, "its name"
    if syntax == "notebook":
        return "notebook", "a Jupyter notebook"
    return UNKNOWN


def _is_batch_script(text: str, own: str) -> bool:
    """Whether `#SBATCH` lines are the script's own. Those behind the first command of a script that
    writes batch scripts have been left over from these."""
    first = _SBATCH.search(own)
    if first is None:
        return False
    writes = len(_SBATCH.findall(text)) > len(_SBATCH.findall(own))
    return not writes or _COMMAND.search(own, 0, first.start()) is None


def _hostfile_by_name(name: str) -> Verdict:
    return "hostfile", f"it is called {name}"


def _structured(name: str, text: str, syntax: str, tree: Any) -> Verdict:
    roots: list[Node] = tree.roots if tree is not None else []
    for root in map(target, roots):
        if isinstance(root, Mapping):
            verdict = _mapping(name, syntax, root)
            if verdict[0] is not None:
                return verdict
    return UNKNOWN


def _mapping(name: str, syntax: str, root: Mapping) -> Verdict:
    keys = set(root.names())
    distributed = root.get("distributed_type")
    if isinstance(distributed, Scalar):
        word = distributed.text.upper()
        if (
            word in ACCELERATE_TYPES
            or distributed.value is False
            or len(keys & ACCELERATE_WEAK) >= 2
        ):
            return "accelerate", f"distributed_type: {distributed.text}"
    place = root.get("compute_environment")
    if isinstance(place, Scalar) and (place.text == "LOCAL_MACHINE" or keys & ACCELERATE_WEAK):
        return "accelerate", f"compute_environment: {place.text}"
    weak = sorted(keys & ACCELERATE_WEAK)
    if (
        len(weak) >= 3
        and keys & {"num_machines", "machine_rank", "main_process_port", "main_process_ip"}
        and is_mostly("accelerate", keys)
    ):
        return "accelerate", f"keys of accelerate: {', '.join(weak[:3])}"
    verdict = _llamafactory(root, keys)
    if verdict[0] is not None:
        return verdict
    if syntax == "yaml":
        if _COMPOSE_NAME.fullmatch(name.lower()):
            if isinstance(root.get("include"), Sequence):
                return "compose", "its name, and include"
            if keys <= _BESIDE_SERVICES and isinstance(root.get("networks"), Mapping):
                return "compose", "its name, and networks"  # an override file's
        return _orchestration(root, keys)
    return _json(name, root, keys)


def _llamafactory(root: Mapping, keys: set[str]) -> Verdict:
    if "_target_" in keys:
        return UNKNOWN  # Hydra makes an object of it
    own = sorted(keys & LLAMAFACTORY)
    foreign = keys & FOREIGN_TO_LLAMAFACTORY
    telling = [key for key in own if key not in COMMON_IN_TRAINERS]
    if "model_name_or_path" in keys and telling and not (foreign and len(own) < 2):
        return "llamafactory", f"model_name_or_path and {telling[0]}"
    if len(own) >= 4 and {"stage", "finetuning_type"} & keys and not foreign:
        return "llamafactory", f"keys of LLaMA-Factory: {', '.join(own[:3])}"
    model = root.get("model")
    if isinstance(model, Scalar) and len(keys & LLAMAFACTORY_V1) >= 1 and not foreign:
        return "llamafactory", f"model and {min(keys & LLAMAFACTORY_V1)}"
    return UNKNOWN


def _orchestration(root: Mapping, keys: set[str]) -> Verdict:
    services = root.get("services")
    if isinstance(services, Mapping) and _are_services(services) and "apiVersion" not in keys:
        return "compose", "a services mapping"
    version, kind = root.get("apiVersion"), root.get("kind")
    if isinstance(version, Scalar) and isinstance(kind, Scalar):
        return "kubernetes", f"apiVersion and kind: {kind.text}"
    if isinstance(root.get("jobs"), Mapping) and ("on" in keys or "workflow_call" in keys):
        return "workflow", "on and jobs: a GitHub workflow"
    return UNKNOWN


_API = lazy(r"(?:[\w.-]+/)?v\d+(?:(?:alpha|beta)\d+)?")
_COMPOSE_NAME = lazy(r"(docker-)?compose[\w.-]*\.ya?ml")
_BESIDE_SERVICES = frozenset(("version", "name", "networks", "volumes", "configs", "secrets"))
_SERVICE_KEYS = frozenset(
    {
        "image", "build", "command", "entrypoint", "extends", "environment", "env_file", "ports",
        "volumes", "networks", "network_mode", "deploy", "depends_on", "container_name", "restart",
        "profiles", "healthcheck", "shm_size", "ipc", "runtime", "gpus", "privileged", "devices",
    }
)  # fmt: skip


def _are_services(services: Mapping) -> bool:
    for entry in services.entries:
        service = target(entry.value)
        if isinstance(service, Mapping) and set(service.names()) & _SERVICE_KEYS:
            return True
    return False


def is_mostly(package: str, keys: set[str]) -> bool:
    """Whether at least half of a file's keys are known to some release of a package, at whatever
    level (a key may be misplaced).

    Trainers carry the keys of accelerate and DeepSpeed among a hundred of their own: such a file
    is theirs, and they pass on what they like.
    """
    from cfglint.releases.data import load

    known = keys & load(package).names
    if package == "deepspeed":
        known |= keys & load("accelerate").names  # the flat keys of its `deepspeed_config`
    return 2 * len(known) >= len(keys)


def _json(name: str, root: Mapping, keys: set[str]) -> Verdict:
    verdict = _deepspeed(name, root, keys)
    if verdict[0] is not None and is_mostly("deepspeed", keys):
        return verdict
    version, kind = root.get("apiVersion"), root.get("kind")
    if isinstance(version, Scalar) and isinstance(kind, Scalar):
        # Answers of web services have both, too.
        api = _API.fullmatch(version.text) and kind.text[:1].isupper() and kind.text.isalpha()
        if api and isinstance(root.get("items" if kind.text == "List" else "spec"), Node):
            return "kubernetes", f"apiVersion and kind: {kind.text}"
    tables = [target(entry.value) for entry in root.entries]
    described = [t for t in tables if isinstance(t, Mapping) and DATASET_COLUMNS & set(t.names())]
    if name == "dataset_info.json" and (described or not tables):
        return "dataset-info", "its name"
    if len(described) == len(tables) and described and all(map(_describes_data, described)):
        return "dataset-info", "every entry names a data file"
    return UNKNOWN


def _describes_data(table: Mapping) -> bool:
    """Whether a table is an entry of dataset_info.json, as far as its keys tell."""
    names = set(table.names())
    return 2 * len(names & (DATASET_COLUMNS | DATASET_OTHERS)) >= len(names)


def _deepspeed(name: str, root: Mapping, keys: set[str]) -> Verdict:
    strong = sorted(keys & DEEPSPEED)
    weak = sorted(keys & DEEPSPEED_WEAK)
    zero = root.get("zero_optimization")
    if isinstance(zero, Mapping) or (strong and (weak or len(strong) > 1 or len(keys) <= 3)):
        return "deepspeed", f"it has {strong[0]}"
    named = re.search(r"(^|[^a-z])(ds|deepspeed|zero)([^a-z]|$)", name.lower()) is not None
    if "train_batch_size" in keys and len(weak) >= (2 if named else 3):
        return "deepspeed", f"train_batch_size and {weak[0]}"
    if named and len(weak) >= 2:
        return "deepspeed", f"its name, and {', '.join(weak[:2])}"
    optimizer = root.get("optimizer")
    batch = {"train_batch_size", "train_micro_batch_size_per_gpu"} & keys
    if batch and isinstance(optimizer, Mapping) and {"type", "params"} <= set(optimizer.names()):
        return "deepspeed", f"{min(batch)} and an optimizer with type and params"
    own = sorted(keys & DEEPSPEED_OWN)
    others = len(keys) - len(own) - len(set(weak) - set(own))
    sections = [k for k in weak if k not in own and isinstance(root.get(k), Mapping)]
    if own and sections and others <= len(keys) / 2:
        return "deepspeed", f"{own[0]} and the section {sections[0]}"
    halves = [root.get(key) for key in ("fp16", "bf16", "bfloat16")]
    if len(weak) >= 3 and any(isinstance(half, Mapping) and "enabled" in half for half in halves):
        return "deepspeed", f"keys of DeepSpeed: {', '.join(weak[:3])}"
    return UNKNOWN


_SIGNS = (
    (
        "accelerate",
        lazy(
            r"^\s*[\"']?(distributed_type|main_process_port|num_machines|compute_environment"
            r"|main_training_function|machine_rank)[\"']?\s*:",
            re.M,
        ),
    ),
    (
        "llamafactory",
        lazy(
            r"\A(?=[\s\S]*^model_name_or_path\s*:)(?=[\s\S]*^(stage|finetuning_type|template"
            r"|lora_target|cutoff_len|dataset_dir|export_dir)\s*:)",
            re.M,
        ),
    ),
    ("compose", lazy(r"^services\s*:\s*$", re.M)),
    ("kubernetes", lazy(r"\A(?=[\s\S]*^apiVersion\s*:)(?=[\s\S]*^kind\s*:)", re.M)),
)


def by_signs(name: str, text: str, syntax: str) -> Verdict:
    """The kind of a YAML or JSON file that cannot be parsed, by keys that begin its lines."""
    if syntax == "json":
        if any(f'"{word}"' in text for word in DEEPSPEED):
            return "deepspeed", "keys of DeepSpeed"
        if name == "dataset_info.json":
            return "dataset-info", "its name"
        return UNKNOWN
    for kind, pattern in _SIGNS:
        if pattern.search(text):
            return kind, f"keys of {kind}"
    if _COMPOSE_NAME.fullmatch(name.lower()):
        return "compose", "its name"
    return UNKNOWN
