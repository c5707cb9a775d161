"""Names of Kubernetes services that the pods of a job dial.

Sources: Kubernetes, DNS for services and pods; facts on the training operator (MASTER_ADDR is the
service of the master's pod) and on trainer's runtimes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from cfglint.model.document import Document
from cfglint.model.launch import Launch
from cfglint.model.tree import Mapping, Node, Scalar, find, target, text_at
from cfglint.model.values import literal
from cfglint.model.workload import Pod, Workload
from cfglint.network import addresses
from cfglint.readers.manifests import objects
from cfglint.text import Span

if TYPE_CHECKING:
    from cfglint.project import Project

# The manifests' Services by name: the file, the object, its name's node.
Defined: TypeAlias = dict[str, list[tuple[Document, Mapping, Scalar]]]
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


def spreading(project: Project, launch: Launch) -> tuple[Document, Span] | None:
    """The Service that a launch dials as its master and that spreads connections over all pods of
    its template; None where it dials none."""
    address, box = launch.address, launch.container
    name = (literal(address.value) or "").partition(".")[0] if address is not None else ""
    if not name or box is None or (box.pods or 0) < 2:
        return None
    labels: dict[str, str] | None = None
    for document, one, own in defined(project).get(name, ()):
        spec, selector = find(one, "spec"), _texts(find(one, "spec", "selector"))
        plain = isinstance(spec, Mapping) and text_at(spec, "type") != "ExternalName"
        headless = isinstance(spec, Mapping) and text_at(spec, "clusterIP") == "None"
        if not plain or headless or not selector:
            continue
        labels = _labels(launch.document, box.span) if labels is None else labels
        if selector.items() <= labels.items():
            return document, own.span
    return None


def defined(project: Project) -> Defined:
    """The Service objects of the manifests by their names, each with the node of its name."""
    known: Defined = project.fact(("kubernetes", "defined"), lambda: _defined(project))
    return known


def _defined(project: Project) -> Defined:
    found: Defined = {}
    for document in project.of_kind("kubernetes"):
        for one in objects(document):
            own = find(one, "metadata", "name")
            if text_at(one, "kind") == "Service" and isinstance(own, Scalar):
                found.setdefault(own.text, []).append((document, one, own))
    return found


def _labels(document: Document, box: Span) -> dict[str, str]:
    """The labels of the pods in which a container stands."""
    for one in objects(document):
        if one.span.start <= box.start < one.span.end:
            return _texts(find(one, "spec", "template", "metadata", "labels"))
    return {}


def _texts(node: Node | None) -> dict[str, str]:
    entries = node.index.items() if isinstance(node, Mapping) else ()
    values = ((name, target(entry.value)) for name, entry in entries)
    return {name: value.text for name, value in values if isinstance(value, Scalar)}


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
