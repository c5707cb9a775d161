"""Names of numbered pods, which others resolve by a headless Service only.

Sources: Kubernetes, DNS for services and pods (a pod's name is known under its `subdomain`), stable
network IDs of StatefulSets, indexed Jobs; JobSet's pod names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from cfglint.model.document import Document
from cfglint.model.edit import Edit
from cfglint.model.setting import Setting
from cfglint.model.tree import Mapping, text_at
from cfglint.model.values import default_literal
from cfglint.model.workload import VOLCANO, Pod
from cfglint.network.service_names import defined, services
from cfglint.record import dataclass
from cfglint.syntax.editing import insert_entry
from cfglint.text import Span

if TYPE_CHECKING:
    from cfglint.project import Project

# What stands between an object's name and a pod's number.
_BETWEEN = {
    ("batch", "Job"): "",
    ("apps", "StatefulSet"): "",
    ("jobset.x-k8s.io", "JobSet"): r"-[\w-]+-\d+",
    (VOLCANO, "Job"): r"-[\w-]+",
}


@dataclass(frozen=True, slots=True)
class UnknownPod:
    """The name of a pod that `setting` gives as the master and that its other pods do not know.
    `subdomain` is the pods' own, "" for none; `full` the name under it. `service` is the Service
    of the subdomain's name where that is no headless one, with its place; `headless` makes it one.
    """

    setting: Setting
    name: str
    subdomain: str
    full: str
    service: tuple[Document, Span] | None = None
    headless: Edit | None = None


def unknown_pods(document: Document, project: Project) -> Iterator[UnknownPod]:
    """For each pod template whose copies have names with a number, the first such name."""
    for workload in document.workloads:
        between = _BETWEEN.get((workload.group, workload.kind))
        if between is None:
            continue
        together = sum(pod.replicas or 0 for pod in workload.pods)
        for pod in workload.pods:
            count = together if between else pod.replicas or 0
            if count < 2 or pod.own_dns or pod.host_network is not None:
                continue
            names = re.compile(re.escape(workload.name) + between + r"-\d+")
            found = (_unknown(one, pod, names, project) for one in _addresses(document, pod))
            first = next((one for one in found if one is not None), None)
            if first is not None:
                yield first


def _unknown(
    setting: Setting, pod: Pod, names: re.Pattern[str], project: Project
) -> UnknownPod | None:
    """The setting's value, where it is such a name."""
    name = default_literal(setting.value) or ""
    host, dot, home = name.partition(".")
    if not names.fullmatch(host):
        return None
    if host in services(project):
        return None
    if dot and _is_home(home, pod.subdomain):
        return _balanced(setting, name, pod.subdomain, project)
    full = f"{host}.{pod.subdomain}"
    if dot and pod.subdomain:
        full += _behind(home)
    return UnknownPod(setting, name, pod.subdomain, full)


def _balanced(setting: Setting, name: str, subdomain: str, project: Project) -> UnknownPod | None:
    """The name, where the Service that its pods are behind has an address of its own: name servers
    know the single pods behind headless ones only."""
    found = defined(project).get(subdomain, ())
    specs = [(document, spec, own) for document, one, own in found if (spec := one.get("spec"))]
    if not specs or any(
        not isinstance(spec, Mapping) or _is_headless(spec) for _, spec, _ in specs
    ):
        return None
    document, spec, own = specs[0]
    assert isinstance(spec, Mapping)
    plain = len(specs) == 1 and text_at(spec, "type") in ("", "ClusterIP")
    change = None
    if plain and document is setting.document and "clusterIP" not in spec:
        change = insert_entry(document, spec, "clusterIP", "None")
    return UnknownPod(setting, name, subdomain, name, (document, own.span), change)


def _is_headless(spec: Mapping) -> bool:
    return text_at(spec, "clusterIP") == "None" or text_at(spec, "type") == "ExternalName"


def _is_home(home: str, subdomain: str) -> bool:
    """Whether what stands behind a pod's name may be where it is found: its subdomain, or the zone
    of some other name server."""
    first, *rest = home.split(".")
    in_cluster = not rest or "svc" in rest[:2]
    known = re.fullmatch(r"[a-z0-9-]+", subdomain) is not None
    return bool(subdomain) and (first == subdomain or not in_cluster or not known)


def _behind(home: str) -> str:
    """What follows the subdomain: the namespace and the cluster's zone, where they are given."""
    _, *rest = home.split(".")
    if rest[:1] == ["svc"]:
        return f".{home}"  # only the subdomain was left out
    return "".join(f".{part}" for part in rest)


def _addresses(document: Document, pod: Pod) -> Iterator[Setting]:
    """What the pod's variables and commands name as the master."""
    for box in pod.boxes:
        for name in ("MASTER_ADDR", "PET_MASTER_ADDR"):
            if name in box.env:
                yield box.env[name]
    spans = {box.span for box in pod.boxes}
    for launch in document.launches:
        inside = launch.container
        if inside is not None and inside.span in spans and launch.address is not None:
            yield launch.address
