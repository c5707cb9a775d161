"""Readers of Dockerfiles, Compose files and env files: what they launch, and how they write."""

from __future__ import annotations

from pathlib import Path

import pytest

from cfglint.files import loading
from cfglint.model.document import Document
from cfglint.model.edit import Edit
from cfglint.model.launch import Launch
from cfglint.model.values import Literal, Unknown, Variable
from cfglint.readers import compose


def load(name: str, text: str) -> Document:
    return loading.from_bytes(text.encode(), name, Path("/project") / name)


def linked(text: str, **others: str) -> Document:
    """A Compose file with the files it names."""
    document = load("compose.yaml", text)
    for reference in document.links:
        if reference.path in others:
            reference.document = load(reference.path, others[reference.path])
    compose.link(document)
    return document


def one(document: Document) -> Launch:
    (launch,) = document.launches
    return launch


def after(document: Document, *edits: Edit | None) -> str:
    text = document.source.text
    assert edits
    for edit in sorted((e for e in edits if e), key=lambda e: e.span, reverse=True):
        assert edit.path == document.path
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    assert None not in edits
    return text


# -- Dockerfile --------------------------------------------------------------------------------

DOCKERFILE = """\
ARG TAG=24.10
ARG PORT
FROM nvcr.io/nvidia/pytorch:${TAG}-py3 AS base
ENV MASTER_PORT=29500 NCCL_DEBUG=WARN \\
    # for all
    NNODES="2"
FROM base
ARG PORT=29501
ENV RDZV=$MASTER_PORT:1 P=${PORT} PATH=/x:$PATH
ENTRYPOINT ["torchrun"]
CMD ["--nnodes=2", "--master_port=29\\u0035000", "train.py"]
"""


def test_dockerfile_launch() -> None:
    document = load("Dockerfile", DOCKERFILE)
    launch = one(document)
    assert launch.launcher == "torchrun"
    assert not launch.complete
    assert launch.settings["master_port"].text == "295000"
    assert launch.program
    assert launch.program.text == "train.py"
    assert launch.container
    assert launch.container.image == "nvcr.io/nvidia/pytorch:24.10-py3"
    values = {name: setting.value for name, setting in launch.env.items()}
    assert values["RDZV"] == Literal("29500:1")
    assert values["P"] == Variable("PORT", Literal("29501"), ":-")
    assert values["PATH"] == Unknown("/x:$PATH")
    assert document.source.slice(launch.env["NNODES"].span) == '"2"'


def test_dockerfile_env_is_written_in_its_own_form() -> None:
    document = load("Dockerfile", "FROM a\nENV A=1 MASTER_PORT='29500'\nENV OLD some words\n")
    env = one(document).env
    assert after(document, env["MASTER_PORT"].write("29501")).splitlines()[1] == (
        "ENV A=1 MASTER_PORT='29501'"
    )
    default = Variable("MASTER_PORT", Literal("29500"), ":-")
    assert after(document, env["MASTER_PORT"].write(default)) == (
        "FROM a\nARG MASTER_PORT=29500\nENV A=1 MASTER_PORT=${MASTER_PORT}\nENV OLD some words\n"
    )
    assert after(document, env["A"].remove()).splitlines()[1] == "ENV MASTER_PORT='29500'"
    assert after(document, env["MASTER_PORT"].remove()).splitlines()[1] == "ENV A=1"
    assert after(document, env["OLD"].remove()) == "FROM a\nENV A=1 MASTER_PORT='29500'\n"
    assert env["A"].write(Variable("A", None, ":?")) is None
    added = one(document).set_env("B", "2")
    assert after(document, added).splitlines()[3] == "ENV B=2"


def test_dockerfile_command_of_the_base_ends_with_a_new_entrypoint() -> None:
    base = 'FROM a AS b\nCMD ["torchrun", "old.py"]\nFROM b\n'
    assert one(load("Dockerfile", base)).program
    assert load("Dockerfile", base + 'ENTRYPOINT ["bash"]\n').launches == []
    own = base + 'CMD ["torchrun", "new.py"]\nENTRYPOINT ["env"]\n'
    launch = one(load("Dockerfile", own))
    assert launch.program
    assert launch.program.text == "new.py"


def test_dockerfile_shell_form_has_its_places() -> None:
    text = "FROM a\nENV P=29501\nCMD torchrun \\\n  --master_port $P train.py\n"
    document = load("Dockerfile", text)
    port = one(document).settings["master_port"]
    assert port.number == 29501
    assert document.source.slice(port.span) == "29501"
    assert port.used_at
    assert document.source.slice(port.used_at) == "$P"


# -- Compose -----------------------------------------------------------------------------------


def test_compose_environment_forms() -> None:
    document = linked(
        """\
x-env: &env
  NNODES: 2
services:
  a:
    environment:
      <<: *env
      MASTER_PORT: "29500"
      HOST_GIVES:
      EMPTY: ""
  b:
    environment: ["MASTER_ADDR=10.0.0.1", HOST_GIVES, 'NCCL_DEBUG="INFO"']
"""
    )
    first, second = document.launches
    values = {name: s.value for name, s in first.env.items()}
    assert values == {
        "NNODES": Literal("2"),
        "MASTER_PORT": Literal("29500"),
        "HOST_GIVES": Variable("HOST_GIVES"),
        "EMPTY": Literal(""),
    }
    assert second.env["NCCL_DEBUG"].text == '"INFO"'
    assert document.source.slice(second.env["MASTER_ADDR"].span) == "10.0.0.1"
    written = after(document, second.env["MASTER_ADDR"].write("rank0"))
    assert 'environment: ["MASTER_ADDR=rank0", HOST' in written
    written = after(document, first.env["MASTER_PORT"].write("29501"))
    assert 'MASTER_PORT: "29501"' in written
    port = Variable("MASTER_PORT", Literal("29500"), ":-")
    assert "MASTER_PORT: ${MASTER_PORT:-29500}" in after(
        document, first.env["MASTER_PORT"].write(port)
    ).replace('"', "")
    assert first.env["NNODES"].document is document


def test_compose_string_command_sees_no_shell() -> None:
    document = linked(
        "services:\n  a:\n    environment: {P: '1'}\n"
        "    command: torchrun --master_port $$P --nnodes '2' train.py && echo done\n"
    )
    launch = one(document)
    assert launch.settings["master_port"].text == "$P"
    assert launch.settings["nnodes"].text == "2"
    assert launch.program
    assert list(launch.program.args) == []


def test_compose_shell_in_command_expands_the_service_environment() -> None:
    document = linked(
        "services:\n  a:\n    environment: {P: '29501'}\n    command:\n      - bash\n      - -c\n"
        "      - >-\n        torchrun\n        --master_port $$P\n        --node_rank ${RANK:-0}\n"
        "        train.py\n"
    )
    settings = one(document).settings
    assert settings["master_port"].text == "29501"
    assert document.source.slice(settings["master_port"].span) == "'29501'"
    assert settings["node_rank"].value == Variable("RANK", Literal("0"), ":-")


def test_compose_env_file_is_beaten_by_environment() -> None:
    document = linked(
        "services:\n  a:\n    image: x\n    env_file: [job.env]\n    environment: {B: own}\n"
        "    command: llamafactory-cli train a.yaml\n",
        **{"job.env": 'MASTER_ADDR="10.0.0.1"\nB=file\n'},
    )
    launch = one(document)
    assert launch.complete
    assert launch.env["B"].text == "own"
    address = launch.settings["master_addr"]
    assert address.text == "10.0.0.1"
    assert address.document.path == "job.env"
    unseen = load("compose.yaml", document.source.text)
    assert one(unseen).why_incomplete == "job.env is not there"


def test_compose_project_env_gives_defaults() -> None:
    document = linked(
        "services:\n  a:\n    environment: {MASTER_PORT: '${PORT:-1}'}\n    command: torchrun\n",
        **{".env": "PORT=29500\n"},
    )
    assert one(document).env["MASTER_PORT"].value == Variable("PORT", Literal("29500"), ":-")


def test_compose_extends_in_the_file() -> None:
    document = linked(
        "services:\n  base:\n    shm_size: 8g\n    environment: [A=1, NNODES=2]\n"
        "    ports: ['29500:29500']\n  a:\n    extends: {service: base}\n"
        "    environment: {A: '2'}\n    command: torchrun train.py\n"
        "  b:\n    extends: {file: other.yaml, service: x}\n    command: torchrun train.py\n"
    )
    by_name = {launch.label: launch for launch in document.launches}
    a = by_name["service a"]
    assert a.env["A"].text == "2"
    assert a.env["NNODES"].text == "2"
    assert a.container
    assert a.container.shm_size
    assert [port.host for port in a.network.ports] == [29500]
    assert a.network.to_host
    assert a.network.to_host() is None  # the ports are the base's
    assert not by_name["service b"].complete


def test_compose_dockerfile_underneath() -> None:
    text = (
        "services:\n  a:\n    build: {context: ./docker, dockerfile: D, target: run, "
        "args: {PORT: 29501}}\n    environment: {NNODES: '2'}\n"
    )
    docker = (
        "FROM a AS run\nARG PORT=1\nENV MASTER_PORT=$PORT NNODES=1\n"
        'CMD ["torchrun", "--nnodes=2", "train.py"]\nFROM b\n'
    )
    document = load("compose.yaml", text)
    (reference,) = (r for r in document.links if r.role == "dockerfile")
    assert reference.path == "docker/D"
    reference.document = load("Dockerfile", docker)
    compose.link(document)
    launch = one(document)
    assert launch.launcher == "torchrun"
    assert launch.env["MASTER_PORT"].text == "29501"
    assert launch.env["NNODES"].text == "2"
    assert document.source.slice(launch.span) == "a"
    assert [part.path for part in launch.parts] == ["Dockerfile"]


NETWORKS = """\
networks:
  over: {driver: overlay}
  mac: {driver: macvlan}
  plain:
  outer: {external: true}
  host: {external: true, name: host}
"""


@pytest.mark.parametrize(
    ("lines", "mode"),
    [
        ("", "project"),
        ("network_mode: host", "host"),
        ("network_mode: ${MODE:-host}", "host"),
        ("network_mode: ${MODE}", "unknown"),
        ("network_mode: bridge", "bridge"),
        ("network_mode: 'service:b'", "container"),
        ("networks: [plain]", "project"),
        ("networks: [plain, over]", "overlay"),
        ("networks: {mac: {ipv4_address: 10.0.0.3}}", "macvlan"),
        ("networks: [outer]", "unknown"),
        ("networks: [host]", "host"),
    ],
)
def test_compose_networks(lines: str, mode: str) -> None:
    text = f"services:\n  a:\n    command: torchrun train.py\n    {lines}\n{NETWORKS}"
    assert one(linked(text)).network.mode == mode


def test_compose_ports() -> None:
    document = linked(
        "services:\n  a:\n    command: torchrun train.py\n    ports:\n"
        "      - '29500:29501'\n      - 29500\n      - 10.0.0.1:8000-8010:9000-9010/udp\n"
        "      - '[::1]:80:81'\n      - '${P}:80'\n"
        "      - {target: 80, published: '8080', host_ip: 127.0.0.1}\n"
    )
    ports = one(document).network.ports
    assert [(p.host_ip, p.host, p.container, p.container_last) for p in ports] == [
        ("", 29500, 29501, None),
        ("", None, 29500, None),
        ("10.0.0.1", 8000, 9000, 9010),
        ("::1", 80, 81, None),
        ("", None, None, None),
        ("127.0.0.1", 8080, 80, None),
    ]


def test_compose_container() -> None:
    document = linked(
        "services:\n  a:\n    image: img:${TAG:-1}\n    command: torchrun train.py\n"
        "    hostname: h\n    ipc: host\n    tmpfs: /dev/shm:size=8g\n    profiles: [train]\n"
        "    ulimits: {memlock: {soft: -1, hard: -1}}\n    devices: ['/dev/infiniband']\n"
        "    build: {context: ., shm_size: 1g}\n"
        "    deploy: {replicas: 2, resources: {reservations: {devices: "
        "[{driver: nvidia, device_ids: ['0', '3'], capabilities: [gpu]}]}}}\n"
        "  b:\n    environment: {UPSTREAM: 'http://h:80'}\n"
    )
    box = one(document).container
    assert box
    assert (box.image, box.hostname, box.gpus, box.gpu_request) == ("img:1", "h", 2, True)
    assert box.shm_mount
    assert box.memlock == "-1"
    assert box.ipc
    assert box.build_shm_size
    assert box.replicas
    assert box.replicas.number == 2
    assert box.devices == ("/dev/infiniband",)
    assert box.aliases == ("a", "h")
    assert box.reached_by == ("b",)
    assert box.profiles == ("train",)


def test_services_that_wait_for_others_to_end() -> None:
    done = "{condition: service_completed_successfully}"
    document = linked(
        "services:\n"
        "  prepare:\n    image: i\n    command: torchrun p.py\n"
        f"  train:\n    image: i\n    command: torchrun t.py\n    depends_on: {{prepare: {done}}}\n"
        f"  test:\n    image: i\n    command: torchrun e.py\n    depends_on: {{train: {done}}}\n"
        "  beside:\n    image: i\n    command: torchrun b.py\n    depends_on: [prepare]\n"
        "  apart:\n    image: i\n    command: torchrun a.py\n    profiles: [x]\n"
        "    depends_on: {prepare: {condition: service_started}}\n"
    )
    boxes = {launch.container.name: launch.container for launch in document.launches}  # type: ignore[union-attr]
    assert boxes["test"].waits_for == ("train", "prepare")
    assert not boxes["prepare"].may_run_beside(boxes["test"])
    assert not boxes["test"].may_run_beside(boxes["train"])
    assert boxes["prepare"].may_run_beside(boxes["beside"])
    assert not boxes["beside"].may_run_beside(boxes["apart"])


def test_compose_edits() -> None:
    text = """\
services:
  a:
    image: x
    ports:
      - "29500:29500"  # rendezvous
    networks: [n]
    command: torchrun train.py
"""
    document = linked(text)
    launch = one(document)
    assert launch.network.to_host
    edits = launch.network.to_host()
    assert edits
    assert after(document, *edits) == (
        "services:\n  a:\n    image: x\n    network_mode: host\n    # rendezvous\n"
        "    command: torchrun train.py\n"
    )
    assert after(document, launch.set_env("A", "1")).splitlines()[2:5] == [
        "    image: x",
        "    environment:",
        '      A: "1"',
    ]
    assert launch.container
    assert launch.container.set_option
    options = launch.container.set_option("shm_size", "16gb")
    assert options
    assert "    shm_size: 16gb\n" in after(document, *options)


def test_compose_ranks_of_one_file_are_peers() -> None:
    text = "services:\n" + "".join(
        f"  r{i}:\n    command: torchrun --nnodes=2 --node_rank={i} --master_addr=r0 train.py\n"
        for i in range(2)
    )
    first, second = linked(text).launches
    assert first.peers == [second]
    assert second.peers == [first]


# -- env files ---------------------------------------------------------------------------------


def test_env_file_launch_and_edits() -> None:
    text = "# job\nMASTER_ADDR='10.0.0.1'\nexport MASTER_PORT=29500 # c\nNNODES=2"
    document = load("job.env", text)
    launch = one(document)
    assert launch.settings["master_addr"].text == "10.0.0.1"
    assert after(document, launch.settings["master_addr"].write("rank0")).splitlines()[1] == (
        "MASTER_ADDR='rank0'"
    )
    assert after(document, launch.settings["master_port"].write("1")).splitlines()[2] == (
        "export MASTER_PORT=1 # c"
    )
    assert after(document, launch.settings["master_port"].remove()).splitlines()[2] == "NNODES=2"
    assert after(document, launch.set_env("A", "b")).endswith("NNODES=2\nA=b")


@pytest.mark.parametrize(
    ("written", "port"),
    [
        ("29500:29501", ("", 29500, 29501, None)),
        ("29500", ("", None, 29500, None)),
        ("10.0.0.1:80:81", ("10.0.0.1", 80, 81, None)),
        ("127.0.0.1::81/tcp", ("127.0.0.1", None, 81, None)),
        ("[::1]:80:81", ("::1", 80, 81, None)),
        ("8000-8010:9000-9010", ("", 8000, 9000, 9010)),
    ],
)
def test_docker_run_ports(written: str, port: tuple[str, int | None, int, int | None]) -> None:
    launch = one(load("run.sh", f"#!/bin/sh\ndocker run -p {written} img torchrun train.py\n"))
    (found,) = launch.network.ports
    assert (found.host_ip, found.host, found.container, found.container_last) == port
