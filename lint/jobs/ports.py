"""What is known of rendezvous ports, and how a launch is given a better one.

Sources: facts on accelerate b3, g; torchrun a.10-12, a.16; ports b.6-9.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING

from cfglint.model.edit import Edit, Fix
from cfglint.model.launch import Launch, Setting
from cfglint.model.values import Alternatives, Computed, Literal, Value, Variable, as_int, parse_int

if TYPE_CHECKING:
    from cfglint.project import Project

SIMPLE = ("NO", "MULTI_CPU", "FALSE")  # accelerate starts these without torchrun

SERVICES = {
    22: "ssh",
    111: "rpcbind",
    2049: "NFS",
    2222: "the ssh of MPI images",
    2379: "etcd",
    2380: "etcd",
    3306: "MySQL",
    5000: "MLflow and registries",
    5432: "PostgreSQL",
    6006: "TensorBoard",
    6379: "Redis and Ray",
    6817: "slurmctld",
    6818: "slurmd",
    6819: "slurmdbd",
    7860: "Gradio",
    8000: "web services",
    8080: "web services",
    8265: "Ray's dashboard",
    8888: "Jupyter",
    9090: "Prometheus",
    9100: "node_exporter",
    9400: "DCGM's exporter",
    10001: "Ray's client",
    10250: "the kubelet",
    28028: "NCCL's RAS",
}


def numbers(value: Value | None) -> Iterator[tuple[int, int]]:
    """The ranges of ports that a value can take, as far as the files say."""
    if isinstance(value, Literal):
        number = parse_int(value.text)
        if number is not None:
            yield number, number
    elif isinstance(value, Variable) and value.default is not None and "+" not in value.operator:
        yield from numbers(value.default)
    elif isinstance(value, Alternatives):
        for option in value.options:
            yield from numbers(option)
    elif isinstance(value, Computed) and value.low is not None and value.high is not None:
        yield value.low, value.high


def is_own(launch: Launch) -> bool:
    """Whether the port belongs to a network of the launch's own (a bridge, a pod), where no other
    job of the machine can take it."""
    return launch.network.mode in (
        "bridge",
        "project",
        "pod",
        "overlay",
        "macvlan",
        "ipvlan",
        "none",
    )


def matters(launch: Launch) -> bool:
    """Whether the launch opens its rendezvous port at all.

    accelerate's NO and MULTI_CPU start one process on one machine, which meets nobody; torchrun's
    --standalone ignores the port; the one of an etcd rendezvous is the etcd server's.
    """
    if "standalone" in launch.settings:
        return False
    if (launch.effective("rdzv_backend") or "").startswith("etcd"):
        return False
    kind = launch.get("distributed_type")
    simple = kind is not None and (kind.text or "").upper() in SIMPLE
    return not simple or launch.is_multinode


def free_port(launch: Launch, project: Project) -> Fix | None:
    """The repair that lets a job on one machine take a free port, None where there is none.

    accelerate from 1.7 picks one for `0`; torchrun has --standalone (c10d on localhost:0).
    """
    if not launch.is_single_node or "hostfile" in launch.settings:
        return None
    port = launch.port
    if launch.launcher == "accelerate":
        return _accelerate(launch, project, port)
    if launch.launcher == "torchrun":
        return _torchrun(launch, port)
    return None


def _accelerate(launch: Launch, project: Project, port: Setting | None) -> Fix | None:
    kind = launch.get("distributed_type")
    if kind is not None and (kind.text or "").upper() in SIMPLE:
        return None
    if port is not None and _is_named_elsewhere(port):
        return None  # what else the variable means, 0 does not
    edit = port.write("0") if port is not None else launch.add("master_port", "0")
    if edit is None:
        return None
    version = project.versions(launch.document, "accelerate")
    if version.pinned and version.before("1.7"):
        return None  # it takes 0 for the port itself, and hangs
    document = port.document if port is not None else launch.document
    sure = document.kind != "accelerate" or project.search_complete(document)
    title = "let accelerate pick a free port: 0"
    title += "" if version.pinned else " (needs accelerate >= 1.7)"
    return Fix(title, (edit,), safe=sure)


def _is_named_elsewhere(port: Setting) -> bool:
    """Whether the port stands in a variable that its file expands in several places."""
    expanded = re.match(r"\W*\$\{?(\w+)", port.raw)
    name = expanded[1] if expanded else port.key if port.origin in ("env", "shell") else ""
    if not name:
        return False
    pattern = rf"\$(?:{re.escape(name)}\b|\{{{re.escape(name)}\b)"
    return len(re.findall(pattern, port.document.source.text)) > 1


def _torchrun(launch: Launch, port: Setting | None) -> Fix | None:
    if "rdzv_endpoint" in launch.settings:
        address = launch.address
        local = address is not None and (address.text or "").lower() in ("localhost", "127.0.0.1")
        if port is None or not local or launch.effective("rdzv_backend") != "c10d":
            return None
        edit = port.write("0")
        return Fix("let the kernel pick a free port: 0", (edit,), safe=True) if edit else None
    backend = launch.get("rdzv_backend")
    if backend is not None and backend.text != "c10d":
        return None
    if port is not None and port.origin != "flag":
        return None  # a variable that other commands may use
    if launch.get("node_rank") is not None or launch.get("master_addr") is not None:
        return None  # --standalone would leave them behind without effect
    standalone = launch.add("standalone", "true")
    removed = port.remove() if port is not None else None
    if standalone is None or (port is not None and removed is None):
        return None
    edits: tuple[Edit, ...] = (standalone, removed) if removed is not None else (standalone,)
    return Fix("use --standalone, which takes a free port", edits, safe=True)


def is_looked_at(launch: Launch, project: Project) -> bool:
    """Whether the launcher of a job on one machine looks whether its port is free, and takes
    another where it is not (accelerate 1.8 and newer, facts on accelerate)."""
    if launch.launcher != "accelerate":
        return False
    return not project.versions(launch.document, "accelerate").before("1.8")


def left_out(launch: Launch, project: Project) -> Fix | None:
    """The repair where an accelerate before 1.7 would hang on 0: without a port it gives torchrun
    none, and that picks a free one from torch 2.12 on."""
    port, torch = launch.port, project.versions(launch.document, "torch")
    if launch.launcher != "accelerate" or port is None or not launch.is_single_node:
        return None
    if torch.pinned and torch.before("2.12"):
        return None
    edit = port.remove()
    return Fix("leave the choice to torchrun", (edit,)) if edit is not None else None


def overridable(port: Setting, launch: Launch, project: Project) -> Fix | None:
    """The repair that lets the environment choose the port: `${MASTER_PORT:-29500}`.

    None where another job of the file may run beside this one: the environment would give both
    the same port.
    """
    number = as_int(port.value)
    if number is None or _has_company(launch, project):
        return None
    if port.document.kind in ("dotenv", "deepspeed-env", "accelerate"):
        return None
    name = (
        port.key
        if re.fullmatch(r"[A-Z][A-Z0-9_]*", port.key) and port.key != "PORT"
        else "MASTER_PORT"
    )
    written = port.document.source.text[port.span.start : port.span.end].strip("\"'")
    default = Computed(written) if "$" in written else Literal(str(number))
    edit = port.write(Variable(name, default, ":-"))
    if edit is None:
        return None
    return Fix(f"let the environment choose: ${{{name}:-{number}}}", (edit,), safe=True)


def _has_company(launch: Launch, project: Project) -> bool:
    """Whether another job of the same file, or Compose project, may run beside a launch."""
    if len(project.launches) < 2 and not launch.flow:
        return False  # but a loop may start it twice
    from cfglint.jobs.crowds import few_of

    services = launch.container is not None and launch.container.kind == "compose"
    held = project.fact("ports", lambda: _holders(project))
    for crowd in held.get(id(launch.document.unit[0]), {}).values():
        for other in few_of(crowd, launch):
            if services or launch.overlaps(other) or other.overlaps(launch):
                return True
    return False


def _holders(project: Project) -> dict[int, dict[Hashable, list[Launch]]]:
    """The launches that hold ports of their machine, by the files that are read as one."""
    from cfglint.jobs.crowds import crowd_of

    found: dict[int, dict[Hashable, list[Launch]]] = {}
    for launch in project.launches:
        if launch.port is not None and matters(launch):  # else they are of a network of its own
            unit = found.setdefault(id(launch.document.unit[0]), {})
            unit.setdefault(crowd_of(project, launch), []).append(launch)
    return found


def below_ephemeral(port: Setting, project: Project) -> Fix | None:
    """The repair that moves a port below the range the kernel gives to outgoing connections."""
    value = port.value
    number = as_int(value)
    if number is not None:
        low = project.site.port_range[0] if project.site.port_range else 20000
        better = str(low + number % 10000) if not project.site.port_range else str(low)
        edit = port.write(better)
        return Fix(f"use port {better}", (edit,), safe=False) if edit else None
    if isinstance(value, Variable) and as_int(value.default) is not None:
        better = str(20000 + (as_int(value.default) or 0) % 10000)
        edit = port.write(Variable(value.name, Literal(better), value.operator))
        return Fix(f"use {better} as the default", (edit,), safe=False) if edit else None
    if isinstance(value, Computed):
        text = _shifted(value.text)
        edit = port.write(Computed(text)) if text else None
        return Fix("keep the formula below the range", (edit,), safe=False) if edit else None
    return None


def _shifted(formula: str) -> str | None:
    """A formula that stays below the range: `BASE + X % MODULUS` from 20000 on, its modulus (or the
    number of last digits that it takes) kept where it fits; a range to draw from made another."""
    if formula in ("$RANDOM", "${RANDOM}", "$((RANDOM))", "$(($RANDOM))"):
        return "$((20000 + RANDOM % 10000))"
    drawn = re.search(r"shuf\s+.*?-i\s*(\d+-\d+)", formula)
    if drawn is not None:
        return formula[: drawn.start(1)] + "20000-29999" + formula[drawn.end(1) :]
    between = re.search(r"%\s*\(\s*(\d+)\s*-\s*(\d+)\s*\+\s*1\s*\)\s*\+\s*(\d+)", formula)
    if between is not None:  # % (last - first + 1) + first
        for group, number in ((3, "20000"), (2, "20000"), (1, "29999")):
            formula = formula[: between.start(group)] + number + formula[between.end(group) :]
        return formula
    modulus = re.search(r"%\s*(\d+)", formula)
    digits = re.search(r"tail\s+-c\s*-?(\d)\b|:\s+-(\d)\}", formula)
    width = int(modulus[1]) if modulus else 10 ** int(digits[1] or digits[2]) if digits else 0
    base = re.search(r"(?<![\w%])(?<!%\s)(\d{4,5})(?=\s*\+)|(?<=\+)\s*(\d{4,5})(?!\d)", formula)
    if base is None:
        return None
    group = 1 if base[1] else 2
    before, after = formula[: base.start(group)], formula[base.end(group) :]
    if 0 < width <= 22768:
        return f"{before}{20000 if width <= 12768 else 10000}{after}"
    if modulus is not None:  # too wide for what lies below the range
        whole = f"{before}20000{after}"
        return re.sub(r"%\s*\d+", lambda m: m[0].rstrip("0123456789") + "10000", whole, count=1)
    if width == 0 and formula.count("RANDOM") == 1:
        return re.sub(r"\$?\bRANDOM\b", lambda m: f"{m[0]} % 10000", f"{before}20000{after}")
    return None


def common(project: Project) -> str:
    """The fixed port that repairs of multi-node jobs take: the site's first, else 29500."""
    return str(project.site.port_range[0]) if project.site.port_range else "29500"
