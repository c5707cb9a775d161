"""What is told of a launch: of its job (size, rendezvous), of the node, and what is left open."""

from __future__ import annotations

from collections.abc import Iterator

from cfglint.model.launch import ConfigRef, Launch
from cfglint.model.values import default_int
from cfglint.show.values import Fact, describe, of_launch, of_setting, where
from cfglint.syntax.hostfile import Host, Hostfile

# Variables that decide who talks to whom; the others of an environment are not shown.
VARIABLES = (
    "NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME", "NCCL_IB_HCA", "NCCL_IB_DISABLE", "NCCL_DEBUG",
    "CUDA_VISIBLE_DEVICES", "FORCE_TORCHRUN", "RDZV_ID",
)  # fmt: skip
NETWORKS = {
    "host": "the host's own",
    "bridge": "docker's default bridge, private to each machine",
    "project": "a bridge of its own, private to each machine",
    "overlay": "overlay: spans the machines of the swarm",
    "macvlan": "macvlan: an address in the machine's own network",
    "ipvlan": "ipvlan: an address in the machine's own network",
    "pod": "the pod's",
    "container": "another container's",
    "none": "none: nothing can be reached",
    "machine": "the machine's own, no container",
}
OPENINGS = {
    "nnodes": "number of machines",
    "node_rank": "node rank",
    "nproc_per_node": "processes per machine",
    "num_processes": "processes in all",
    "master_addr": "master address",
    "master_port": "master port",
    "rdzv_endpoint": "rendezvous endpoint",
    "rdzv_id": "rendezvous id",
}


def job_facts(launch: Launch, machines: int | None) -> Iterator[Fact]:
    """The machines, and the rendezvous: how the processes find each other."""
    if hosts(launch):
        yield _host_list(launch)
    elif launch.nodes is not None and launch.get("nnodes") is None:
        yield of_setting("machines", launch.nodes)
    else:
        yield of_launch("machines", launch, "nnodes")
    if launch.get("standalone") is not None:
        setting = launch.settings["standalone"]
        how = "standalone: one machine, a free port"
        yield Fact("rendezvous", how, "known", setting.document, setting.span)
        return
    if launch.launcher not in ("env", "python"):
        yield of_launch("rendezvous", launch, "rdzv_backend")
    if launch.get("rdzv_endpoint") is not None:
        # Where host and port can be told apart, they are shown as two.
        if launch.address is None:
            yield of_launch("endpoint", launch, "rdzv_endpoint")
            return
        yield of_setting("address", launch.address)
        if launch.port is not None:
            yield of_setting("port", launch.port)
        else:
            yield Fact("port", "29400", "default", note="default of c10d")
    else:
        if machines != 1 or launch.address is not None:
            yield of_launch("address", launch, "master_addr")
        yield _port(launch)
    given = launch.get("rdzv_id")
    if given is not None:
        yield of_setting("rendezvous id", given)


def hosts(launch: Launch) -> list[Host]:
    """The machines that DeepSpeed's launcher starts by its hostfile, where all of it counts."""
    reference = _hostfile(launch)
    if reference is None or any(launch.get(name) for name in ("include", "nnodes")):
        return []
    tree = reference.document.tree if reference.document is not None else None
    return tree.hosts if isinstance(tree, Hostfile) and not tree.bad else []


def _hostfile(launch: Launch) -> ConfigRef | None:
    started = launch.launcher == "deepspeed"
    return next((c for c in launch.configs if started and c.role == "hostfile"), None)


def _host_list(launch: Launch) -> Fact:
    reference = _hostfile(launch)
    document = reference.document if reference is not None else None
    named = hosts(launch)
    words = ", ".join(f"{host.name} ({host.slots})" for host in named[:6])
    more = f" and {len(named) - 6} more" if len(named) > 6 else ""
    return Fact("machines", f"{len(named)}: {words}{more}", "known", document, named[0].span)


def _port(launch: Launch) -> Fact:
    if launch.port is None and launch.launcher == "llamafactory":
        return Fact(
            "port", "a free port, found by each node", "default", note="default of llamafactory"
        )
    fact = of_launch("port", launch, "master_port")
    if fact.value == "0" and launch.launcher == "accelerate":
        return Fact("port", "0: a free port", fact.state, fact.document, fact.span)
    return fact


def per_node(launch: Launch, machines: int | None) -> int | None:
    """Processes that one machine starts, where the files or a default tell."""
    for name in ("nproc_per_node", "num_gpus"):
        setting = launch.get(name)
        if setting is not None:
            return default_int(setting.value)
    total = launch.get("num_processes")
    if total is not None:
        count = default_int(total.value)
        return count // machines if count is not None and machines else None
    return 1 if launch.launcher == "torchrun" else None


def node_facts(launch: Launch, machines: int | None) -> Iterator[Fact]:
    """What holds for the node: its program, rank, processes, network, container, variables."""
    if launch.program is not None:
        yield Fact("program", launch.program.text, "known", launch.document, launch.program.span)
    for config in launch.configs:
        document = launch.document if config.setting is None else config.setting.document
        state = "known" if config.document is not None else "open"
        note = "" if config.document is not None else "not among the files"
        yield Fact(f"{config.role} file", config.path, state, document, config.span, note)
    # DeepSpeed's launcher numbers its hosts, c10d whoever joins.
    numbered = launch.launcher == "deepspeed" or launch.effective("rdzv_backend") == "c10d"
    if (machines != 1 and not numbered) or launch.get("node_rank") is not None:
        yield of_launch("node rank", launch, "node_rank")
    yield _processes(launch, machines)
    yield _network(launch)
    for port in launch.network.ports:
        shown = (
            f"{port.host_ip + ':' if port.host_ip else ''}{port.host or 'any'} -> {port.container}"
        )
        yield Fact("published port", shown, "known", port.document or launch.document, port.span)
    container = launch.container
    if container is not None:
        shown = f"{container.kind} {container.name}" + (
            f" ({container.image})" if container.image else ""
        )
        yield Fact("container", shown, "known", launch.document, container.span)
        for title, setting in (("shared memory", container.shm_size), ("ipc", container.ipc)):
            if setting is not None:
                yield of_setting(title, setting)
    for name in VARIABLES:
        setting = launch.env.get(name)
        if setting is not None:
            yield of_setting(name, setting)
    if not launch.complete:
        yield Fact(
            "not seen whole", launch.why_incomplete or "part of it is not in the files", "open"
        )


def _processes(launch: Launch, machines: int | None) -> Fact:
    each = launch.get("nproc_per_node") or launch.get("num_gpus")
    if each is not None:
        return of_setting("processes", each)
    total = launch.get("num_processes")
    if total is not None:
        fact = of_setting("processes", total)
        if (machines or 0) > 1:
            return Fact(
                fact.name, f"{fact.value} over all machines", fact.state, fact.document, fact.span
            )
        return fact
    if hosts(launch):
        return Fact("processes", "one for each slot of the host", "default", note="by the hostfile")
    if launch.launcher in ("deepspeed", "llamafactory"):
        return Fact(
            "processes", "one for each visible GPU", "default", note=f"default of {launch.launcher}"
        )
    if launch.launcher == "torchrun":
        return Fact("processes", "1", "default", note="default of torchrun")
    return Fact("processes", "not given", "absent")


def _network(launch: Launch) -> Fact:
    network = launch.network
    if network.mode == "unknown":
        return Fact("network", "the files do not tell", "open")
    text = NETWORKS.get(network.mode, network.mode)
    if network.names and network.mode not in ("host", "none"):
        text = f"{', '.join(network.names)}: {text}"
    place = (network.document or launch.document) if network.span else None
    return Fact("network", text, "known", place, network.span)


def openings(launch: Launch) -> Iterator[str]:
    """One line for each thing that a launch takes from where the files do not show."""
    for name, title in OPENINGS.items():
        setting = launch.get(name)
        if setting is None:
            continue
        text, state = describe(setting.value)
        if state == "open":
            yield f"{where(setting.document, setting.span)}: the {title} is {text}"
    if not launch.complete:
        why = launch.why_incomplete or "the launch is not seen whole"
        yield f"{where(launch.document, launch.span)}: {why}"
