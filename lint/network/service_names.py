"""Names of Kubernetes services that the pods of a job dial.

Sources: Kubernetes, DNS for services and pods; facts on the training operator (MASTER_ADDR is the
service of the master's pod) and on trainer's runtimes.
"""

from __future__ import annotations

from cfglint.files.manifests import objects
from cfglint.model.document import Document
from cfglint.model.tree import Scalar, find
from cfglint.model.values import literal
from cfglint.model.workload import Pod, Workload
from cfglint.network import addresses
from cfglint.project import Project

_DIAL = ("PyTorchJob", "TrainJob", "ClusterTrainingRuntime", "TrainingRuntime", "JobSet")
_NAMES = {"Service": ("metadata", "name"), "StatefulSet": ("spec", "serviceName")}


def dialled(document: Document, project: Project, workload: Workload, pod: Pod) -> str:
    """The service that a pod reaches its master by, in words; "" where the files show none."""
    return _by_environment(workload, pod) or _by_command(document, project, pod)


def services(project: Project) -> set[str]:
    """The services that the manifests define or name as the home of a StatefulSet's pods."""

    def collect() -> set[str]:
        found: set[str] = set()
        for root in (one for d in project.of_kind("kubernetes") for one in objects(d)):
            kind = find(root, "kind")
            where = _NAMES.get(kind.text) if isinstance(kind, Scalar) else None
            name = find(root, *where) if where else None
            if isinstance(name, Scalar) and name.text:
                found.add(name.text)
        return found

    known: set[str] = project.fact(("kubernetes", "services"), collect)
    return known


def _by_environment(workload: Workload, pod: Pod) -> str:
    """What the operator, or the pod's own variables, make it dial."""
    for box in pod.boxes:
        setting = box.env.get("MASTER_ADDR") or box.env.get("PET_MASTER_ADDR")
        text = literal(setting.value) if setting else None
        if text:
            return "" if _is_address(text) else text
    counts = [each.replicas for each in workload.pods]
    several = len(counts) > 1 or (counts[0] or 1) > 1
    sets_names = workload.kind != "PyTorchJob" or workload.elastic or len(counts) > 1
    if workload.kind in _DIAL and several and sets_names:
        return f"the {workload.kind}'s master service"
    return ""


def _by_command(document: Document, project: Project, pod: Pod) -> str:
    """The service, or pod behind one, that a command of the pod dials as its master."""
    spans = {box.span for box in pod.boxes}
    for launch in document.launches:
        address, box = launch.address, launch.container
        text = literal(address.value) if address is not None else None
        if not text or box is None or box.span not in spans or _is_address(text):
            continue
        labels = text.split(".")
        # Another name may be a node's, which the hosts' own name server knows.
        if "svc" in labels[2:] or not services(project).isdisjoint(labels[:2]):
            return text
    return ""


def _is_address(text: str) -> bool:
    return text == "localhost" or addresses.parse(text) is not None
