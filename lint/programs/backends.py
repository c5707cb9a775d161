"""Which libraries carry a job's data between its ranks: NCCL, Gloo beside it, or another one.

Sources: facts on networks c; torch.distributed, backends; accelerate's FSDP plugin (a Gloo group
for offloaded parameters); the variables that the vendors' own libraries read.
"""

from __future__ import annotations

from collections.abc import Iterator

from cfglint.model.launch import Launch
from cfglint.model.tree import Scalar, find
from cfglint.patterns import lazy
from cfglint.programs.process_groups import process_groups
from cfglint.project import Project

_OTHERS = ("gloo", "mpi", "hccl", "ccl", "xla", "cnccl")
_OPTIONS = ("backend", "dist_backend", "ddp_backend", "distributed_backend")
# What a job on Ascend, Gaudi, Trainium, Intel, Moore Threads, Cambricon or Kunlun devices sets.
_OTHER_VENDORS = (
    "HCCL_", "ASCEND_", "PYTORCH_NPU_", "NPU_", "HCL_", "HABANA_", "PT_HPU_", "NEURON_", "CCL_",
    "MCCL_", "MUSA_", "CNCL_", "MLU_", "BKCL_",
)  # fmt: skip
_OTHER_DEVICES = lazy(r"(?i)(?<![a-z])(?:npu|hpu|mlu)s?(?![a-z])")


def is_without_nccl(launch: Launch) -> bool:
    """Whether the files show that the job does not use NCCL at all: it has another backend, or the
    accelerators of a vendor with a library of its own."""
    kind = launch.get("distributed_type")
    if kind is not None and (kind.text or "").upper() in ("MULTI_CPU", "NO", "XLA", "MULTI_NPU"):
        return True
    for name, value in _options(launch):
        if name.lstrip("-").replace("-", "_") in _OPTIONS and value in _OTHERS:
            return True
    each = launch.get("nproc_per_node")
    if each is not None and _OTHER_DEVICES.search(each.raw):
        return True
    return any(True for _ in launch.variables(_is_of_another_vendor))


def shows_gloo(launch: Launch, project: Project) -> str:
    """What shows that a job uses Gloo too, as its files write it; "" where nothing does."""
    return _names_gloo(launch) or _needs_gloo(launch) or _asks_for_gloo(launch, project)


def _is_of_another_vendor(name: str) -> bool:
    return name.startswith(_OTHER_VENDORS)


def _options(launch: Launch) -> Iterator[tuple[str, str]]:
    """The program's words, each with what is its value if it is an option with one."""
    words = [word.text or "" for word in (launch.program.args if launch.program else ())]
    for at, word in enumerate(words):
        name, _, value = word.partition("=")
        yield name, value or (words[at + 1] if at + 1 < len(words) else "")


def _names_gloo(launch: Launch) -> str:
    for name, value in _options(launch):
        is_backend = name.startswith("-") and name.endswith("backend")
        if is_backend and ("gloo" in value.split(",")[0] or "cpu:gloo" in value):
            return f"{name} {value}"
    return ""


def _asks_for_gloo(launch: Launch, project: Project) -> str:
    """The backend that the program itself names."""
    found = process_groups(project, launch)
    if found is not None and found.gloo_beside:
        return 'new_group(backend="gloo")'
    backend = found.backend if found is not None else ""
    named = backend == "gloo" or "cpu:gloo" in backend
    return f'init_process_group("{backend}")' if named else ""


def _needs_gloo(launch: Launch) -> str:
    """The FSDP setting of the accelerate config for which torch makes a Gloo group."""
    for document in launch.documents():
        if document.kind != "accelerate" or document.root is None:
            continue
        offload = find(document.root, "fsdp_config", "fsdp_offload_params")
        if isinstance(offload, Scalar) and offload.text.lower() == "true":
            return "fsdp_offload_params"
    return ""
