"""Kubernetes manifests: the pods of training jobs and what their containers start.

Every pod template of an object is read, whatever the object's kind, so that operators that are not
known by name count too. What an operator gives its pods by itself (facts on networks f.1-3) is
filled in where the manifest does not say otherwise.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TypeAlias

from cfglint.commands import command_launches, unshelled
from cfglint.commands.build import model_word, take_env
from cfglint.commands.programs import COMMON_ENV, concerns_jobs
from cfglint.commands.scope import Scope
from cfglint.commands.written import link_at
from cfglint.model.document import Document
from cfglint.model.launch import Container, Launch, Network, Setting
from cfglint.model.tree import Mapping, Node, Scalar, Sequence, find, target, text_at, walk
from cfglint.model.values import Literal, Unknown, Value, parse_int
from cfglint.model.workload import VOLCANO, Box, Pod, Workload
from cfglint.readers import kubernetes_env as ke
from cfglint.readers import kubernetes_mpi as mpi
from cfglint.readers import kubernetes_words
from cfglint.readers.kubernetes_scripts import configs, mounted
from cfglint.readers.manifests import objects
from cfglint.record import replace
from cfglint.syntax.unsplit import unsplit
from cfglint.text import Span

# Keys under which pods are counted, in the objects above a pod template.
_COUNTS = ("replicas", "parallelism", "completions", "numNodes")
_GPU = ("gpu", "npu", "accelerator", "gaudi", "neuron", "mlu", "dcu", "xpu")
# A Trainium or Inferentia device has two cores or more, and takes a process for each.
_SHARED = ("neuron", "neurondevice")
# Where an object names the headless service of its pods; a JobSet makes one of its own name.
_HOMES = {"StatefulSet": ("spec", "serviceName"), "JobSet": ("spec", "network", "subdomain")}
# Volcano's plugins with which its pods get a headless service.
_SERVICE_PLUGINS = frozenset(("svc", "pytorch", "tensorflow", "mpi"))
MAX_DEPTH = 24
# A pod spec, the key it stands under, and how many of it there are (None: not known).
_Template: TypeAlias = "tuple[Mapping, str, int | None]"


def read(document: Document) -> None:
    """Make the workloads and launches of every object in the file."""
    workloads: list[Workload] = []
    document.workloads = workloads
    document.variables = partial(ke.variables, document)
    maps = ke.config_maps(document)
    document.kept = list(configs(document, maps))
    for one in objects(document):
        _Object(document, one, maps).read(workloads)


class _Object:
    def __init__(self, document: Document, root: Mapping, maps: ke.Maps) -> None:
        self.document = document
        self.root = root
        self.maps = maps
        self.kind = text_at(root, "kind")
        name = find(root, "metadata", "name")
        self.name = name.text if isinstance(name, Scalar) else self.kind
        kind = root.get("kind")
        span = name.span if isinstance(name, Scalar) else kind.span if kind else root.span
        group = text_at(root, "apiVersion").partition("/")[0]
        self.workload = Workload(self.kind, group, self.name, span)
        self.seen: set[int] = set()
        self.own: list[Launch] = []
        self.counts: dict[int, list[int | None]] = {}  # of pods, by container; roles may share one
        # The first container of each role.
        self.boxes: dict[str, tuple[Container, Network, ke.Environment]] = {}

    def read(self, workloads: list[Workload]) -> None:
        spec = self.root.get("spec")
        if not isinstance(spec, Mapping):
            return
        self.workload.elastic = isinstance(spec.get("elasticPolicy"), Mapping)
        if self.kind == "Job" and text_at(spec, "completionMode") != "Indexed":
            self.workload.set_indexed = lambda: ke.set_key(
                self.document, spec, "completionMode", "Indexed", spec.entry("completions")
            )
        listed = spec.entry("pytorchReplicaSpecs")
        self.workload.replicas_span = listed.key.span if listed else None
        masters = find(spec, "pytorchReplicaSpecs", "Master", "replicas")
        if isinstance(masters, Scalar):
            self.workload.masters = self._given("replicas", Literal(masters.text), masters.span)
        templates: list[_Template] = []
        _templates(spec, "", None, templates, 0)
        for template, role, count in templates:
            self.workload.pods.append(self._pod(template, role, count))
        if self.workload.pods:
            workloads.append(self.workload)
        both = list(zip([each[0] for each in templates], self.workload.pods, strict=True))
        for template, pod in both:
            for container in _containers(template)[:1]:
                box = self._container(template, container)
                env = ke.environment(self.document, container, self.maps)
                self.boxes[pod.role] = (box, self._network(template, pod), env)
        for template, pod in both:
            for container in _containers(template):
                self.counts.setdefault(id(container), []).append(pod.replicas)
        for template, pod in both:
            self._launches(template, pod)
        trainer = spec.get("trainer")
        if self.kind == "TrainJob" and isinstance(trainer, Mapping):
            self._trainer(trainer, workloads)
        if self.kind == "PyTorchJob":
            _pair_up(self.own)

    # -- pods --------------------------------------------------------------------------------

    def _pod(self, spec: Mapping, role: str, count: int | None) -> Pod:
        host = spec.entry("hostNetwork")
        is_host = _is_on(spec, "hostNetwork")
        pod = Pod(role, spec.entries[0].key.span if spec.entries else spec.span, count)
        pod.host_network = host.span if host is not None and is_host else None
        pod.dns_policy = text_at(spec, "dnsPolicy")
        if is_host and not pod.dns_policy and self.workload.group == VOLCANO:
            pod.dns_policy = "ClusterFirstWithHostNet"  # its webhook adds it
        home = find(self.root, *_HOMES[self.kind]) if self.kind in _HOMES else None
        own = text_at(spec, "subdomain") or self._made_service()
        pod.subdomain = home.text if isinstance(home, Scalar) else own
        pod.own_dns = "dnsConfig" in spec.index or "hostAliases" in spec.index
        pod.set_dns = lambda policy: ke.set_key(
            self.document, spec, "dnsPolicy", policy, spec.entry("hostNetwork")
        )
        for container in _containers(spec):
            name = container.get("name")
            span = name.span if isinstance(name, Scalar) else container.span
            text = name.text if isinstance(name, Scalar) else ""
            env = ke.environment(self.document, container, self.maps)
            box = Box(text, span, env.variables)
            if isinstance(name, Scalar):
                box.rename = lambda new, name=name: ke.set_node(self.document, name, new)
            pod.boxes.append(box)
        return pod

    def _made_service(self) -> str:
        """The headless service that the object's controller makes for its pods, "" for none:
        Volcano's does by its plugin svc, which those of frameworks bring along."""
        made = self.kind == "JobSet"
        if self.workload.group == VOLCANO:
            plugins = find(self.root, "spec", "plugins")
            made = isinstance(plugins, Mapping) and not _SERVICE_PLUGINS.isdisjoint(plugins.names())
        return self.name if made else ""

    def _launches(self, spec: Mapping, pod: Pod) -> None:
        for container in _containers(spec):
            if id(container) in self.seen:
                continue  # an alias: the same lines again
            self.seen.add(id(container))
            box = self._container(spec, container)
            counts = self.counts[id(container)]
            known = [count for count in counts if count is not None]
            box.pods = sum(known) if len(known) == len(counts) else None
            self._run(container, box, self._network(spec, pod), spec)

    def _network(self, spec: Mapping, pod: Pod) -> Network:
        """A pod's network. Its interface is eth0, as container runtimes tell every CNI plugin; more
        are asked for by annotations and by claims."""
        network = Network("host" if pod.host_network else "pod", pod.host_network)
        host = spec.get("hostNetwork")
        own = host is None or getattr(host, "value", None) is False
        if own and "resourceClaims" not in spec and not self._asks_for_networks():
            network.interfaces = ("eth0",)
        return network

    def _asks_for_networks(self) -> bool:
        """Whether an annotation of the object speaks of networks or interfaces."""
        return any(
            re.search("cni|network|interface|multus|rdma", name)
            for node in walk(self.root)
            if isinstance(node, Mapping)
            for annotations in [node.get("annotations")]
            if isinstance(annotations, Mapping)
            for name in annotations.names()
        )

    def _container(self, spec: Mapping, container: Mapping) -> Container:
        name = container.get("name")
        span = name.span if isinstance(name, Scalar) else container.span
        result = Container("pod", text_at(container, "name") or self.name, span)
        result.image = text_at(container, "image")
        mounts = container.get("volumeMounts")
        for mount in map(target, mounts.items if isinstance(mounts, Sequence) else []):
            path = find(mount, "mountPath")
            if isinstance(path, Scalar) and path.text.rstrip("/") == "/dev/shm":
                result.shm_mount = True
        if _is_on(spec, "hostIPC"):
            result.shm_mount = True  # the host's own
        result.gpus, result.gpu_request = _gpus(container)
        result.set_option = lambda option, value: ke.set_option(
            self.document, spec, container, option, value
        )
        return result

    def _trainer(self, trainer: Mapping, workloads: list[Workload]) -> None:
        """A TrainJob's own lines; the pod template is its runtime's, which is not seen."""
        entry = self.root.get("spec")
        key = entry.entry("trainer").key.span if isinstance(entry, Mapping) else trainer.span  # type: ignore[union-attr]
        env = ke.environment(self.document, trainer, self.maps)
        pod = Pod("trainer", key, boxes=[Box("trainer", key, env.variables)])
        if self.workload not in workloads:
            workloads.append(self.workload)
        self.workload.pods.append(pod)
        box = Container("pod", self.name, key, text_at(trainer, "image"), complete=False)
        box.gpus, box.gpu_request = _gpus(trainer, "resourcesPerNode")
        box.pods = self._count()[0]
        self._run(trainer, box, Network("pod"))

    # -- launches ----------------------------------------------------------------------------

    def _run(
        self, container: Mapping, box: Container, network: Network, spec: Mapping | None = None
    ) -> None:
        env = ke.environment(self.document, container, self.maps)
        scope = Scope(
            self.document,
            env.variables,
            network=network,
            container=box,
            complete=env.complete,
            why=env.why,
            label=f"{self.kind} {self.name}",
            scripts=[],
            mpi_job=mpi.is_known(self.root),
            written=mounted(self.document, spec, container, self.maps),
            env_writer=lambda name, value: ke.add(self.document, container, name, value),
        )
        given = kubernetes_words.OF_PYTORCHJOBS if self.kind == "PyTorchJob" else frozenset()
        words = kubernetes_words.words(self.document, container, env.variables, given)
        found = command_launches(*unshelled.take(words, scope)) if words else []
        whole = unsplit(words)
        if whole is not None:
            self.document.unsplit.append(model_word(whole))
        if not found and any(concerns_jobs(name) for name in env.variables):
            found = [self._configured(scope, box)]
        self.document.scripts += scope.scripts or []
        for launch in (*found, *(scope.scripts or ())):
            launch.controller = self._operator
        for launch in found:
            if scope.written is not None:
                link_at(launch, scope.written, words[0].fragment, words[0].start)
            self._operator(launch)
            self.own.append(launch)
            self.document.launches.append(launch)

    def _configured(self, scope: Scope, box: Container) -> Launch:
        launch = Launch(
            self.document, box.span, "env", env=dict(scope.env), network=scope.network,
            container=box, evaluated="node", complete=False, label=scope.label,
            why_incomplete="the program is not seen", env_writer=scope.env_writer,
        )  # fmt: skip
        take_env(launch, COMMON_ENV)
        return launch

    def _operator(self, launch: Launch) -> None:
        """What the object's controller gives the pods, where the command does not say otherwise."""
        spec = self.root.get("spec")
        count, span = self._count()
        if count is not None:
            launch.nodes = self._given("nodes", Literal(str(count)), span)
        if mpi.is_known(self.root):
            mpi.complete(launch, self.document, self.root, self.name, self.boxes)
        if self.kind not in ("PyTorchJob", "TrainJob", "HyperPodPyTorchJob"):
            return
        each = find(spec, "nprocPerNode") if isinstance(spec, Mapping) else None
        if each is None and isinstance(spec, Mapping):
            each = find(spec, "trainer", "numProcPerNode")
        older = self.workload.elastic and self.kind == "PyTorchJob"
        if each is None and older and isinstance(spec, Mapping):
            each = find(spec, "elasticPolicy", "nProcPerNode")  # where older releases had it
        if isinstance(each, Scalar) and not each.text.startswith("$"):
            setting = self._given("operator_nproc", Literal(each.text), each.span)
            # Only this operator sets WORLD_SIZE in the pod, unless the job is elastic.
            if self.kind == "PyTorchJob" and not self.workload.elastic:
                launch.settings.setdefault("operator_nproc", setting)
            given = replace(setting, name="nproc_per_node")
            launch.settings.setdefault("nproc_per_node", given)
        numbered = launch.launcher != "llamafactory" or self.kind == "TrainJob"
        if not numbered:
            # It tells its torchrun NNODES and NODE_RANK, which the operator does not set.
            rank_of_all = self._given("RANK", Unknown(f"the {self.kind}'s"), span)
            launch.env = {**launch.env, "RANK": rank_of_all}
        else:
            nnodes: Value = Literal(str(count)) if count is not None else Unknown("replicas")
            launch.settings.setdefault("nnodes", self._given("nnodes", nnodes, span))
        if self.workload.elastic:
            backend = find(spec, "elasticPolicy", "rdzvBackend") if spec else None
            text = backend.text if isinstance(backend, Scalar) else "c10d"
            given = self._given("rdzv_backend", Literal(text), span)
            launch.settings.setdefault("rdzv_backend", given)
        rank = ("node_rank",) if numbered and not self.workload.elastic else ()
        for name in (*rank, "master_addr", "master_port"):
            given = self._given(name, Unknown(f"the {self.kind}'s"), span)
            launch.settings.setdefault(name, given)

    def _given(self, name: str, value: Value, span: Span) -> Setting:
        return Setting(name, value, self.document, span, name)

    def _count(self) -> tuple[int | None, Span]:
        """How many pods take part, and where that is said."""
        spec = self.root.get("spec")
        number = find(spec, "trainer", "numNodes") if isinstance(spec, Mapping) else None
        if isinstance(number, Scalar):
            return parse_int(number.text), number.span
        if self.kind == "LeaderWorkerSet":  # each of its groups is a job
            size = find(spec, "leaderWorkerTemplate", "size") if isinstance(spec, Mapping) else None
            if isinstance(size, Scalar):
                return parse_int(size.text), size.span
            return None, self.workload.span
        pods = self.workload.pods
        if self.kind == "MPIJob" and isinstance(spec, Mapping) and not mpi.launcher_works(spec):
            pods = [pod for pod in pods if pod.role != mpi.LAUNCHER] or pods
        if self.kind == "TrainJob" or not pods or self.workload.elastic:
            return None, self.workload.span
        counts = [pod.replicas for pod in pods]
        if any(count is None for count in counts) or self.kind in ("JobSet", "CronJob"):
            return (counts[0] if len(counts) == 1 else None), self.workload.span
        return sum(count or 0 for count in counts), self.workload.span


def _pair_up(launches: list[Launch]) -> None:
    """The pods of a job are its nodes: each other's peers, where each has a template of its own."""
    if any(x.container is None or x.container.pods != 1 for x in launches):
        return
    if any(x.machines() != len(launches) for x in launches):
        return
    for launch in launches:
        launch.peers = [x for x in launches if x is not launch]


def _templates(
    node: Node,
    role: str,
    count: int | None,
    found: list[tuple[Mapping, str, int | None]],
    depth: int,
) -> None:
    """Every pod spec below a node, with the key it stands under and how many of it there are."""
    node = target(node)
    if depth > MAX_DEPTH:
        return
    if isinstance(node, Sequence):
        for item in map(target, node.items):
            if isinstance(item, Mapping):
                _templates(item, text_at(item, "name") or role, count, found, depth + 1)
    if not isinstance(node, Mapping):
        return
    if _containers(node):
        found.append((node, role, 1 if count is None else count if count >= 0 else None))
        return
    for key in _COUNTS:
        number = node.get(key)
        if isinstance(number, Scalar) and number.value is not None:
            own = parse_int(number.text)
            count = -1 if own is None else own if count in (None, 1) else own * (count or 1)
            break
    for name, entry in node.index.items():
        below = target(entry.value)
        if isinstance(below, (Mapping, Sequence)):
            known = name in ("spec", "template", "jobTemplate", "replicatedJobs", "replicaSpecs")
            _templates(below, role if known else name, count, found, depth + 1)


def _is_on(spec: Mapping, name: str) -> bool:
    node = spec.get(name)
    return node is not None and getattr(target(node), "value", None) is True


def _containers(spec: Mapping) -> list[Mapping]:
    listed = spec.get("containers")
    items = map(target, listed.items) if isinstance(listed, Sequence) else ()
    return [item for item in items if isinstance(item, Mapping)]


def _gpus(container: Mapping, key: str = "resources") -> tuple[int | None, bool | None]:
    """How many accelerators a container's limits give it, and whether it asks for any."""
    limits = find(container, key, "limits") or find(container, key, "requests")
    for name, entry in limits.index.items() if isinstance(limits, Mapping) else ():
        kind = name.rpartition("/")[2].lower()
        if any(word in kind for word in _GPU):
            node = target(entry.value)
            if kind in _SHARED:
                return None, True
            return (parse_int(node.text) if isinstance(node, Scalar) else None), True
    return None, None  # a device plugin or claim may give them all the same
