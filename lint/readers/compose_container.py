"""A Compose service as a container on a network, and the edits that change either.

Source: compose-spec 05-services, 06-networks; facts on networks d.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from typing import TYPE_CHECKING

from cfglint.commands.mounts import Mounts
from cfglint.model.container import may_lock
from cfglint.model.launch import Container, Network, Setting
from cfglint.model.tree import Entry, Mapping, Node, Scalar, Sequence, find, target, walk
from cfglint.model.values import parse_int
from cfglint.readers import compose_service as cs
from cfglint.readers.compose_ports import ports
from cfglint.syntax.editing import append_item, insert_entry, remove_entry, set_value

if TYPE_CHECKING:
    from cfglint.model.document import Document
    from cfglint.model.edit import Edit
    from cfglint.readers.compose_service import Service

# Drivers whose addresses other machines can reach, and the rest as the model calls them.
DRIVERS = {
    "": "project", "bridge": "project", "nat": "project",
    "host": "host", "overlay": "overlay", "macvlan": "macvlan", "ipvlan": "ipvlan",
}  # fmt: skip
# Keys in which the name of another service says nothing about reaching it.
_NOT_NETWORK = ("image", "build", "volumes", "extends", "depends_on", "container_name")
_WORD = re.compile(r"[\w.-]+")
_RESERVED = ("deploy", "resources", "reservations", "devices")
ACCELERATORS = re.compile(r"/dev/(nvidia|kfd|dri|davinci|mxcd|mtgpu|hl|neuron|accel|xpu)")


def network(service: Service) -> Network:
    """The network a service runs in."""
    result = Network("project", ports=ports(service))
    result.to_host = lambda: to_host(service)
    owned = service.find("ports")
    if owned is not None and service.may_change(owned):
        result.ports_document, result.ports_span = owned.document, owned.entry.span
        result.drop_ports = lambda: _dropped(service, "ports")
    mode = service.find("network_mode")
    networks = service.find("networks")
    joined = (name for each in service.all("networks") for name in _names(each.value))
    result.names = tuple(dict.fromkeys(joined))  # each file adds its own
    given = networks if mode is None else mode
    if given is not None and service.may_change(given):
        result.document, result.span = given.document, given.entry.span
    if mode is not None and isinstance(mode.value, Scalar):
        result.mode = _mode(cs.filled(mode.value))
    elif networks is not None:
        result.mode = _of_networks(service, result.names)
    elif service.complete and not service.document.compose.partial:
        result.mode = _of_networks(service, ("default",))
    else:
        result.mode = "unknown"  # the file that completes it may say
    if result.is_private_bridge and service.document.compose.is_open:
        result.mode = "unknown"  # the files that are merged over it in some ways may say another
    # Docker calls them so, unless a network of the file says otherwise.
    text = service.document.source.text
    named = "interface_name" in text or "container_iface_prefix" in text
    if result.mode in ("project", "bridge") and not named:
        result.interfaces = tuple(f"eth{i}" for i in range(max(len(result.names), 1)))
    return result


def _mode(text: str | None) -> str:
    if text in ("host", "none", "bridge"):
        return text
    if text is not None and text.startswith(("service:", "container:")):
        return "container"
    return "unknown"


def _names(node: object) -> tuple[str, ...]:
    if isinstance(node, Mapping):
        return tuple(node.names())
    if isinstance(node, Sequence):
        return tuple(n.text for n in map(target, node.items) if isinstance(n, Scalar))
    return ()


def _of_networks(service: Service, names: tuple[str, ...]) -> str:
    """What the networks a service joins are, by their definitions at the top of the files."""
    modes = [_defined(service, name) for name in names] or ["project"]
    if all(mode == "project" for mode in modes):
        return "project"
    reachable = [mode for mode in modes if mode not in ("project", "unknown")]
    return reachable[0] if reachable else "unknown"


def _defined(service: Service, name: str) -> str:
    document = service.document
    definitions: list[Mapping] = []  # that which counts most first: they are merged key by key
    for file in (*reversed(cs.overrides(document)), document, *document.unit):
        definition = find(file.root, "networks", name) if file.root is not None else None
        if isinstance(definition, Mapping) and all(definition is not d for d in definitions):
            definitions.append(definition)
    if not definitions:
        return "unknown" if document.compose.partial else "project"

    def given(*path: str) -> Node | None:
        return next((n for n in (find(d, *path) for d in definitions) if n is not None), None)

    external = given("external")
    if external is not None and not (isinstance(external, Scalar) and external.value is False):
        other = given("name") or given("external", "name")
        text = other.text if isinstance(other, Scalar) else name
        return text if text in ("host", "bridge") else "unknown"
    driver = given("driver")
    text = (cs.filled(driver) or "?") if isinstance(driver, Scalar) else ""
    return DRIVERS.get(text, "unknown")


class Neighbours:
    """The services of a project, by their names and by the words that stand in their lines."""

    def __init__(self, document: Document) -> None:
        self.all = [each for file in document.unit for each in cs.services(file)]
        self.known = {each.name: each for each in self.all}
        self._naming: dict[str, list[Service]] | None = None

    def naming(self, service: Service, names: tuple[str, ...]) -> tuple[str, ...]:
        """Other services whose lines name this one: they depend on its name or its network."""
        if self._naming is None:
            self._naming = defaultdict(list)
            for each in self.all:
                for word in _words(each):
                    self._naming[word].append(each)
        found = {id(each) for name in names for each in self._naming.get(name, ())}
        others = (each for each in self.all if id(each) in found)
        return tuple(each.name for each in others if each.name != service.name)


def _words(service: Service) -> set[str]:
    """What could be names in the lines of a service that speak of others."""
    entries = (e for e in service.mapping.entries if e.name not in _NOT_NETWORK)
    scalars = (n for e in entries for n in walk(e.value) if isinstance(n, Scalar))
    return {word for scalar in scalars for word in _WORD.findall(scalar.text)}


def container(service: Service, neighbours: Neighbours) -> Container:
    """A service's container as far as a job cares."""
    image = service.text("image")
    result = Container("compose", service.name, service.key.span, image, service.complete)
    result.shm_size = _setting(service, "shm_size")
    result.ipc = _setting(service, "ipc")
    result.build_shm_size = _setting(service, "build", "shm_size")
    result.replicas = _setting(service, "deploy", "replicas") or _setting(service, "scale")
    result.shm_mount = _mounts_shm(service)
    result.gpus, result.gpu_request = _gpus(service)
    asked = service.find("gpus") or service.holding(*_RESERVED)
    privileged = service.text("privileged") == "true"
    if privileged:  # it has the devices of all GPUs
        result.gpus = None
    result.by_runtime = not asked and not privileged and service.text("runtime") == "nvidia"
    result.devices = tuple(text for _, text in service.texts("devices"))
    result.memlock = _memlock(service)
    result.locks_freely = privileged or may_lock(text for _, text in service.texts("cap_add"))
    result.hostname = service.text("hostname")
    result.profiles = tuple(text for _, text in service.texts("profiles"))
    result.waits_for = _waits_for(service, neighbours)
    names = [service.name, service.text("container_name"), result.hostname]
    owned = service.find("networks")
    if owned is not None and isinstance(owned.value, Mapping):
        for name in owned.value.names():
            aliases, address = (find(owned.value, name, k) for k in ("aliases", "ipv4_address"))
            names += _names(aliases) if isinstance(aliases, Sequence) else ()
            names += [address.text] if isinstance(address, Scalar) else ()
    result.aliases = tuple(dict.fromkeys(name for name in names if name))
    result.reached_by = neighbours.naming(service, result.aliases)
    result.set_option = lambda name, value: set_option(service, name, value)
    return result


def _setting(service: Service, *path: str) -> Setting | None:
    node = service.scalar(*path)
    if node is None or node.value is None:
        return None
    owned = service.holding(*path)
    parent = find(owned.value, *path[1:-1]) if owned and len(path) > 1 else None
    mapping = parent if isinstance(parent, Mapping) else owned.mapping if owned else None
    entry = mapping.entry(path[-1]) if mapping is not None else None
    value = cs.interpolated(node.text, lambda name: None)
    document = owned.document if owned else service.document
    place = cs.ValuePlace(document, node, mapping, entry, variables=True)
    key_span = entry.key.span if entry else None
    return Setting(path[-1], value, document, node.span, path[-1], key_span, place=place)


def _waits_for(service: Service, neighbours: Neighbours) -> tuple[str, ...]:
    """The services that have ended when one starts, with those that they waited for."""
    if service.find("depends_on") is None:
        return ()
    known = neighbours.known
    ended: dict[str, None] = {}
    seen = [service]
    while seen:
        owned = seen.pop().find("depends_on")
        if owned is None or not isinstance(owned.value, Mapping):
            continue  # a list asks only that they have started
        for name in owned.value.names():
            condition = find(owned.value, name, "condition")
            text = condition.text if isinstance(condition, Scalar) else ""
            if text == "service_completed_successfully" and name not in ended:
                ended[name] = None
                seen.extend([known[name]] if name in known else [])
    return tuple(ended)


def _mounts_shm(service: Service) -> bool:
    for _, text in service.texts("tmpfs"):
        if text.partition(":")[0].rstrip("/") == "/dev/shm":
            return True
    for owned in service.all("volumes"):
        value = owned.value
        for item in map(target, value.items if isinstance(value, Sequence) else []):
            if isinstance(item, Mapping):
                place = find(item, "target")
                text = (cs.filled(place) or "") if isinstance(place, Scalar) else ""
            else:
                parts = (cs.filled(item) or "").split(":") if isinstance(item, Scalar) else []
                text = parts[1] if len(parts) > 1 else parts[0] if parts else ""
            if text.rstrip("/") == "/dev/shm":
                return True
    return False


def bound(service: Service, mounts: Mounts) -> Mounts:
    """An image's files with those that a service binds over them, and its working directory."""
    places = list(mounts.places)
    for owned in service.all("volumes"):
        value = owned.value
        for item in map(target, value.items if isinstance(value, Sequence) else []):
            source, there = _bind(item)
            folder = service.folder(owned.document)
            local = source.startswith(".") and "$" not in source
            here = posixpath.normpath(posixpath.join(folder, source)) if local else None
            if there.startswith("/"):
                places.append((posixpath.normpath(there), here))
            elif there:
                places.append(("/", None))  # a variable: it may lie over anything
    if any(service.find(key) for key in ("configs", "secrets", "volumes_from")):
        places.append(("/", None))
    inner = service.text("working_dir")
    workdir = posixpath.join(mounts.workdir, inner) if inner else mounts.workdir
    return Mounts(workdir, places, mounts.made)


def _bind(item: object) -> tuple[str, str]:
    """The source and the target of a volume."""
    if isinstance(item, Mapping):
        source, there = find(item, "source"), find(item, "target")
        return tuple(one.text if isinstance(one, Scalar) else "" for one in (source, there))  # type: ignore[return-value]
    parts = item.text.split(":") if isinstance(item, Scalar) else []
    if len(parts) > 1 and "$" not in parts[0]:
        return parts[0], parts[1]
    return "", parts[-1] if parts else ""


def _memlock(service: Service) -> str | None:
    node = find(service.mapping, "ulimits", "memlock")
    for owned in service.all("ulimits"):
        node = find(owned.value, "memlock") or node
    if isinstance(node, Mapping):
        node = find(node, "soft")
    return cs.filled(node) if isinstance(node, Scalar) else None


def _gpus(service: Service) -> tuple[int | None, bool | None]:
    """How many GPUs a service is given, and whether it asks for any."""
    for node in (service.find("gpus"), service.holding(*_RESERVED)):
        devices = node.value if node is not None else None
        if isinstance(devices, Scalar) and devices.value is not None:
            return parse_int(devices.text), True
        if isinstance(devices, Mapping):
            devices = find(devices, *_RESERVED[1:])
        if isinstance(devices, Sequence) and devices.items:
            return _reserved(devices), True
    if service.text("runtime") == "nvidia":
        return None, True
    if any(ACCELERATORS.match(text) for _, text in service.texts("devices")):
        return None, True
    if service.text("privileged") == "true" or not service.complete:
        return None, None
    return None, False


def _reserved(devices: Sequence) -> int | None:
    total = 0
    for item in map(target, devices.items):
        ids = find(item, "device_ids")
        count = find(item, "count")
        if isinstance(ids, Sequence):
            total += len(ids.items)
        elif isinstance(count, Scalar) and (number := parse_int(count.text)) is not None:
            total += number
        else:
            return None
    return total


# -- edits -------------------------------------------------------------------------------------


def to_host(service: Service) -> list[Edit] | None:
    """Edits that put a service on the host's network, in each file that says another."""
    edits: list[Edit] = []
    for key in ("ports", "networks"):
        dropped = _dropped(service, key)
        if dropped is None:
            return None
        edits += dropped
    given = service.find("network_mode")
    if given is None or service.is_own(given):
        mode = set_option(service, "network_mode", "host")
        return None if mode is None else edits + mode
    change = set_value(given.document, given.value, "host") if service.may_change(given) else None
    return None if change is None else [*edits, change]


def _dropped(service: Service, key: str) -> list[Edit] | None:
    """Edits that take a key away, [] where the service has none, None where they cannot be."""
    edits: list[Edit] = []
    for owned in service.all(key):
        if not service.may_change(owned):
            return None
        edit = remove_entry(owned.document, owned.mapping, owned.entry)
        if edit is None:
            return None
        edits.append(edit)
    return edits


def set_option(service: Service, name: str, value: str) -> list[Edit] | None:
    """Edits that give a service a key with a plain value; "memlock" is one of its ulimits."""
    mapping = service.mapping
    if name == "memlock":
        return _set_ulimit(service, name, int(value))
    own = next((e for e in mapping.entries if e.name == name), None)
    number = parse_int(value)
    data = number if number is not None else value
    if own is not None:
        edit = set_value(service.document, own.value, data)
    elif name in mapping:
        return None  # merged in from an anchor that others share
    else:
        edit = insert_entry(service.document, mapping, name, data, _anchor(service))
    return None if edit is None else [edit]


def _set_ulimit(service: Service, name: str, value: int) -> list[Edit] | None:
    mapping, document = service.mapping, service.document
    entry = next((e for e in mapping.entries if e.name == "ulimits"), None)
    if entry is None:
        if "ulimits" in mapping:
            return None
        edit = insert_entry(document, mapping, "ulimits", {name: value}, _anchor(service))
    elif isinstance(entry.value, Mapping) and name in entry.value:
        node = entry.value.get(name)
        edit = set_value(document, node, value) if node is not None else None
    elif isinstance(entry.value, Mapping):
        edit = insert_entry(document, entry.value, name, value)
    else:
        return None
    return None if edit is None else [edit]


def _anchor(service: Service) -> Entry | None:
    """The entry behind which a new key looks at home."""
    for key in ("shm_size", "ipc", "runtime", "container_name", "image", "build"):
        entry = next((e for e in service.mapping.entries if e.name == key), None)
        if entry is not None:
            return entry
    return None


def add_variable(service: Service, name: str, value: str) -> Edit | None:
    """The edit that adds a variable to a service's environment, in the style it has."""
    mapping, document = service.mapping, service.document
    text = value.replace("$", "$$") if "${" not in value else value
    entry = mapping.entry("environment")
    if entry is None:
        inherited = service.find("environment")
        if inherited is not None and isinstance(inherited.value, Sequence):
            return None
        return insert_entry(document, mapping, "environment", {name: text}, _anchor(service))
    if not any(each is entry for each in mapping.entries) or entry.value is not target(entry.value):
        return None  # an anchor's, which others share
    node = entry.value
    if isinstance(node, Mapping):
        return insert_entry(document, node, name, text)
    if isinstance(node, Sequence):
        return append_item(document, node, f"{name}={text}")
    return None
