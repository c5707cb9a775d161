"""A Kubernetes object that runs pods of a job, as far as the rules about it look."""

from __future__ import annotations

from collections.abc import Callable

from cfglint.model.edit import Edit
from cfglint.model.launch import Setting
from cfglint.record import dataclass, field
from cfglint.text import Span

VOLCANO = "batch.volcano.sh"  # the group of Volcano's jobs


@dataclass(slots=True)
class Box:
    """A container of a pod: its name with its place, and the variables that its lines set."""

    name: str
    span: Span
    env: dict[str, Setting] = field(default_factory=dict)
    rename: Callable[[str], Edit | None] | None = None


@dataclass(slots=True)
class Pod:
    """A pod template. `role` is the replica's key (Master, Worker, a replicated job's name).

    `host_network` is where `hostNetwork: true` stands, None for a pod's own network; `set_dns`
    gives the edit that sets the pod's DNS policy. `subdomain` is the headless service under whose
    name the pods' names are known; `own_dns` says that the pods are told of other names.
    """

    role: str
    span: Span
    replicas: int | None = None
    boxes: list[Box] = field(default_factory=list)
    host_network: Span | None = None
    dns_policy: str = ""  # that of the manifest, or the one that its controller sets
    subdomain: str = ""
    own_dns: bool = False
    set_dns: Callable[[str], Edit | None] | None = None


@dataclass(slots=True)
class Workload:
    """An object of a manifest.

    `kind` and `group` are its kind and the group of its API version ("kubeflow.org"). `elastic`
    says that it has an elastic policy. `pods` are those whose templates stand in the file.
    """

    kind: str
    group: str
    name: str
    span: Span
    pods: list[Pod] = field(default_factory=list)
    elastic: bool = False
    replicas_span: Span | None = None  # where its replicas are listed
    masters: Setting | None = None  # how many masters a PyTorchJob asks for
    # Of a Job whose pods are not numbered: the edit that lets them be.
    set_indexed: Callable[[], Edit | None] | None = None
