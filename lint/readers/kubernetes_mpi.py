"""What an MPIJob's operator makes of the mpirun in its launcher pod.

The ranks run in the worker pods, in the launcher's too with `runLauncherAsWorker`: `slotsPerWorker`
of them in each, the first worker first. v2beta1 gives the pods names by which the others reach
them, `NAME-launcher` and `NAME-worker-0`; v1 gives none. Of its environment Open MPI hands the
workers what `-x` names and what is called OMPI_...; through ssh, nothing else arrives.
Sources: kubeflow/mpi-operator, mpi_job_controller (newConfigMap, newWorker,
newLauncherPodTemplate); Open MPI, mpirun(1), and a run of 5.0 with a second host.
"""

from __future__ import annotations

from collections.abc import Mapping as Boxes

from cfglint.model.document import Document
from cfglint.model.launch import Container, Launch, Network, Setting
from cfglint.model.tree import Mapping, Scalar, text_at
from cfglint.model.values import Literal, parse_int
from cfglint.readers.kubernetes_env import Environment
from cfglint.text import Span

LAUNCHER, WORKER = "Launcher", "Worker"


def is_known(root: Mapping) -> bool:
    """Whether an object is an MPIJob of the versions that this module speaks of."""
    kubeflow = text_at(root, "apiVersion") in ("kubeflow.org/v1", "kubeflow.org/v2beta1")
    return kubeflow and text_at(root, "kind") == "MPIJob"


def launcher_works(spec: Mapping) -> bool:
    """Whether the launcher's pod runs ranks as well."""
    node = spec.get("runLauncherAsWorker")
    return isinstance(node, Scalar) and node.value is True


def complete(
    launch: Launch,
    document: Document,
    root: Mapping,
    name: str,
    workers: Boxes[str, tuple[Container, Network, Environment]],
) -> None:
    """Tell a launch under mpirun where its ranks run and how many there are."""
    spec = root.get("spec")
    if not isinstance(spec, Mapping) or "mpirun" not in launch.wrappers or WORKER not in workers:
        return
    launch.container, launch.network, env = workers[WORKER]
    said = launch.settings
    slots, machines = spec.get("slotsPerWorker"), launch.machines()
    each = parse_int(slots.text) if isinstance(slots, Scalar) else 1 if slots is None else None
    # Hydra puts more processes on a machine than it has slots without a word.
    open_mpi = text_at(spec, "mpiImplementation") in ("", "OpenMPI")
    crowded = "crowded" in said or any("_rmaps_" in name for name in launch.env)
    if each and machines and open_mpi and "hosts" not in said and not crowded:
        span = slots.span if slots is not None else launch.nodes.span if launch.nodes else None
        said["slots"] = _setting(document, "slots", each * machines, span or launch.span)
    plain = launch.launcher in ("mpirun", "python")  # no launcher that says how many it starts
    asks = launch.container is not None and launch.container.gpu_request
    if each and slots is not None and plain and asks and not {"hosts", "spread"} & said.keys():
        ranks = said.get("ranks")
        first = each if ranks is None else min(each, ranks.number or 0)
        if first:
            said["nproc_per_node"] = _setting(document, "nproc_per_node", first, slots.span)
    exports = said.get("exports")
    if exports is not None and exports.text is not None and open_mpi and env.complete:
        handed = {*exports.text.split(), *env.variables}
        for variable, held in launch.variables(lambda name: _is_for_ranks(name, handed)):
            launch.left_behind[variable] = held, exports.write(variable)
    version = text_at(root, "apiVersion").rpartition("/")[2]
    if version == "v2beta1" and not launcher_works(spec) and "hosts" not in said:
        span = launch.nodes.span if launch.nodes else launch.span
        said["idle_launcher"] = Setting(
            "idle_launcher", Literal(f"{name}-launcher"), document, span
        )


# What the ranks read, that neither Open MPI nor the operator hands to them by itself.
_FOR_RANKS = (
    "NCCL_", "TORCH_NCCL_", "GLOO_", "TP_SOCKET_IFNAME", "HF_", "TRANSFORMERS_", "LD_LIBRARY_PATH",
)  # fmt: skip


def _is_for_ranks(name: str, handed: set[str]) -> bool:
    return name.startswith(_FOR_RANKS) and name not in handed


def _setting(document: Document, name: str, number: int, span: Span) -> Setting:
    return Setting(name, Literal(str(number)), document, span, name)
