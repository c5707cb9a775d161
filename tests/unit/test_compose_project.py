"""Compose projects of several files: what is included, where its paths start, what it knows."""

from __future__ import annotations

from pathlib import Path

from cfglint.model.launch import Launch
from cfglint.model.values import default_literal
from cfglint.result import Result
from cfglint.session import Session
from cfglint.settings import Settings

SERVICE = """\
services:
  {name}:
    image: registry.local/train:1
    ipc: host
    {more}
    environment:
      NNODES: "2"
      NODE_RANK: "{rank}"
      MASTER_ADDR: ${{MASTER}}
      MASTER_PORT: "29500"
    command: llamafactory-cli train sft.yaml
"""


def service(name: str, rank: int = 0, more: str = "stdin_open: false") -> str:
    return SERVICE.format(name=name, rank=rank, more=more)


def lint(folder: Path, files: dict[str, str], *given: str) -> Result:
    """The result of a tree of files, those of `given` (none: all of them) asked for."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    paths = [folder / name for name in given or sorted(files)]
    return Session(Settings(root=folder), paths, folder, folder).lint()


def launch(result: Result, name: str) -> Launch:
    (found,) = (x for x in result.project.launches if x.label == f"service {name}")
    return found


def address(result: Result, name: str) -> str | None:
    setting = launch(result, name).address
    return default_literal(setting.value) if setting is not None else None


def codes(result: Result) -> list[tuple[str, str]]:
    return [(f.rule.code, f.document.path) for f in result.findings if f.rule.code == "NET001"]


def test_variables_of_the_includer_come_first(tmp_path: Path) -> None:
    files = {
        "compose.yaml": "include: [a/one.yml]\n",
        ".env": "MASTER=10.0.0.1\n",
        "a/one.yml": service("one"),
        "a/.env": "MASTER=10.0.0.2\n",
    }
    assert address(lint(tmp_path, files), "one") == "10.0.0.1"
    (tmp_path / ".env").unlink()
    del files[".env"]
    assert address(lint(tmp_path, files), "one") == "10.0.0.2"


def test_an_env_file_takes_the_place_of_the_folders_own(tmp_path: Path) -> None:
    files = {
        "compose.yaml": "include:\n  - {path: ./a/one.yml, env_file: [x.env, y.env]}\n",
        "a/one.yml": service("one"),
        "a/.env": "MASTER=10.0.0.2\n",
        "x.env": "MASTER=10.0.0.3\n",
        "y.env": "MASTER=10.0.0.4\n",
    }
    assert address(lint(tmp_path, files), "one") == "10.0.0.4"


def test_paths_start_at_the_project_directory_also_of_what_is_included_there(
    tmp_path: Path,
) -> None:
    files = {
        "compose.yaml": "include: [{path: a/one.yml, project_directory: b}]\n",
        "a/one.yml": "include: [two.yml]\n" + service("one", more="env_file: job.env"),
        "a/job.env": "NCCL_SOCKET_IFNAME=wrong\n",
        "b/job.env": "NCCL_SOCKET_IFNAME=right\n",
        "b/.env": "MASTER=10.0.0.5\n",
        "b/two.yml": service("two", more="env_file: job.env"),
    }
    result = lint(tmp_path, files)
    for name in ("one", "two"):
        assert default_literal(launch(result, name).env["NCCL_SOCKET_IFNAME"].value) == "right"
        assert address(result, name) == "10.0.0.5"


def test_an_included_file_given_alone_is_part_of_its_project(tmp_path: Path) -> None:
    files = {
        "compose.yaml": "include: [nodes/a.yml, nodes/b.yml]\n",
        ".env": "MASTER=one\n",
        "nodes/a.yml": service("one", 0),
        "nodes/b.yml": service("two", 1),
    }
    assert codes(lint(tmp_path, files)) == []
    assert codes(lint(tmp_path, files, "nodes/b.yml")) == []
    files["compose.yaml"] = "include: [nodes/a.yml]\n"
    files["nodes/.env"] = "MASTER=one\n"
    assert ("NET001", "nodes/b.yml") in codes(lint(tmp_path, files))


def test_each_included_service_is_judged_once_and_in_its_own_file(tmp_path: Path) -> None:
    files = {
        "compose.yaml": "include: [a/one.yml, b/two.yml]\n",
        "a/one.yml": "include: [../c/common.yml]\n" + service("one"),
        "b/two.yml": "include: [../c/common.yml]\n" + service("two"),
        "c/common.yml": service("shared"),
        ".env": "MASTER=10.0.0.6\n",
    }
    result = lint(tmp_path, files)
    labels = sorted(each.label for each in result.project.launches if each.container is not None)
    assert labels == ["service one", "service shared", "service two"]
    assert codes(result) == [("NET001", "c/common.yml")]  # the two others run side by side
    # Included along two ways that can know different variables: those are left open.
    assert address(result, "shared") is None


def test_a_network_may_be_defined_in_another_file_of_the_project(tmp_path: Path) -> None:
    files = {
        "compose.yaml": "include: [a.yml]\nnetworks: {fabric: {driver: macvlan}}\n",
        ".env": "MASTER=10.0.0.6\n",
        "a.yml": service("one", more="networks: [fabric]"),
    }
    result = lint(tmp_path, files)
    assert launch(result, "one").network.mode == "macvlan"
    assert codes(result) == []


def test_what_is_not_at_hand_leaves_the_default_network_open(tmp_path: Path) -> None:
    for entry in ("oci://registry.local/x", "${WHERE}/x.yml", "gone.yml", "{path: [$A, b.yml]}"):
        files = {
            "compose.yaml": f"include: [{entry!r}]\n" + service("one")
            if entry[0] != "{"
            else f"include: [{entry}]\n" + service("one"),
            ".env": "MASTER=10.0.0.6\n",
        }
        result = lint(tmp_path, files)
        assert launch(result, "one").network.mode == "unknown", entry
        assert codes(result) == []


def test_files_of_several_projects_and_circles_are_left_open(tmp_path: Path) -> None:
    several = {
        "x.yml": "include: [common.yml]\n" + service("x"),
        "y.yml": "include: [common.yml]\n" + service("y"),
        "common.yml": service("shared"),
        ".env": "MASTER=10.0.0.6\n",
    }
    found = sorted(path for _, path in codes(lint(tmp_path / "several", several)))
    assert found == ["x.yml", "y.yml"]
    circle = {
        "x.yml": "include: [y.yml]\n" + service("x"),
        "y.yml": "include: [x.yml, y.yml]\n" + service("y"),
        ".env": "MASTER=10.0.0.6\n",
    }
    assert codes(lint(tmp_path / "circle", circle)) == []


def test_a_name_that_two_files_have_is_not_complete(tmp_path: Path) -> None:
    files = {
        "compose.yaml": "include: [a.yml]\n",
        "compose.override.yaml": "services: {one: {network_mode: host}}\n",
        ".env": "MASTER=10.0.0.6\n",
        "a.yml": service("one"),
    }
    result = lint(tmp_path, files)
    assert not launch(result, "one").complete
    assert codes(result) == []


NAMED = {
    "node.yml": service("one"),
    "host.yml": "services: {one: {network_mode: host}}\n",
    ".env": "MASTER=10.0.0.6\n",
}


def test_files_of_one_command_are_merged_in_order(tmp_path: Path) -> None:
    command = "docker-compose -p job -f node.yml -f host.yml up -d\n"
    for name, text in (("up.sh", command), ("Makefile", f"up:\n\t{command}")):
        result = lint(tmp_path / name, {**NAMED, name: text})
        assert launch(result, "one").network.mode == "host", name
        assert launch(result, "one").complete
        assert codes(result) == []


STEP = """\
on: push
jobs:
  up:
    runs-on: gpu
    steps:
      - run: {run}
"""


def test_what_shows_the_files_of_one_project(tmp_path: Path) -> None:
    texts = {
        ".env": "MASTER=10.0.0.6\nCOMPOSE_FILE=node.yml:host.yml\n",
        "dev/.env": "MASTER=10.0.0.6\nCOMPOSE_PATH_SEPARATOR=,\nCOMPOSE_FILE=node.yml,host.yml\n",
        "export.sh": "export COMPOSE_FILE=node.yml:host.yml\ndocker compose up -d\n",
        "prefix.sh": "COMPOSE_FILE=node.yml:host.yml docker compose up\n",
        "variable.sh": 'FILES="-f node.yml -f host.yml"\nsudo docker compose $FILES up\n',
        "short.sh": "docker compose -fnode.yml --file=host.yml up\n",
        "own.sh": 'cd "$(dirname "$0")" || exit\ndocker compose -f node.yml -f host.yml up\n',
        "whole.sh": 'cd "$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"\n'
        "docker compose -f node.yml -f host.yml up\n",
        "below.sh": "(cd sub && make)\ndocker compose -f node.yml -f host.yml up\n",
        "Makefile": "up:\n\t@docker compose -f node.yml \\\n\t  -f host.yml up\n",
        ".github/workflows/up.yml": STEP.format(run="docker compose -f node.yml -f host.yml up"),
        ".github/workflows/env.yml": STEP.format(
            run="docker compose up\n        env: {COMPOSE_FILE: 'node.yml:host.yml'}"
        ),
        ".github/workflows/lines.yml": STEP.format(
            run="|\n          docker compose \\\n            -f node.yml -f host.yml up"
        ),
    }
    for name, text in texts.items():
        folder = tmp_path / name.replace("/", "-")
        result = lint(folder, {**NAMED, name.removeprefix("dev/"): text})
        assert launch(result, "one").network.mode == "host", name
        assert launch(result, "one").complete, name
        assert codes(result) == [], name


def test_the_folder_in_which_a_command_runs(tmp_path: Path) -> None:
    texts = {
        "up.sh": "cd sub\ndocker compose -f node.yml -f host.yml up\n",
        "scripts/up.sh": 'cd "$(dirname "$0")/../sub"\ndocker compose -f node.yml -f host.yml up\n',
        "bin/up.sh": "cd .. && cd sub && docker compose -f node.yml -f host.yml up\n",
        "Makefile": "up:\n\tcd sub && docker compose -f node.yml -f host.yml up\n",
        ".github/workflows/up.yml": STEP.format(
            run="docker compose -f node.yml -f host.yml up\n        working-directory: sub"
        ),
    }
    for name, text in texts.items():
        # The same names lie where the command does not run.
        files = {**{f"sub/{n}": t for n, t in NAMED.items()}, "host.yml": service("other")}
        result = lint(tmp_path / name.replace("/", "-"), {**files, name: text})
        assert launch(result, "one").network.mode == "host", name
        assert ("NET001", "sub/node.yml") not in codes(result), name


def test_a_folder_that_is_not_known_leaves_the_files_open(tmp_path: Path) -> None:
    for name, text in (
        ("variable", 'cd "$WORK"\ndocker compose -f node.yml -f other.yml up\n'),
        ("maybe", "if x; then cd sub; fi\ndocker compose -f node.yml -f other.yml up\n"),
        ("file", 'export COMPOSE_FILE="node.yml:$EXTRA"\ndocker compose up\n'),
        (
            "two",
            "COMPOSE_FILE=node.yml:other.yml docker compose up\ndocker compose -f node.yml up\n",
        ),
    ):
        files = {**NAMED, "other.yml": "services: {one: {tty: true}}\n", "up.sh": text}
        result = lint(tmp_path / name, files)
        assert not any(x.complete for x in result.project.launches if x.container), name
        assert codes(result) == [], name


def test_compose_file_of_a_folder_above(tmp_path: Path) -> None:
    files = {
        "docker/node.yml": service("one"),
        "docker/host.yml": NAMED["host.yml"],
        ".env": "COMPOSE_FILE=docker/node.yml:docker/host.yml\nMASTER=10.0.0.6\n",
    }
    assert launch(lint(tmp_path, files), "one").network.mode == "host"
    alone = lint(tmp_path, files, "docker/node.yml")
    assert launch(alone, "one").network.mode == "host", "also when that file alone is given"


def test_a_file_given_alone_is_merged_as_the_command_says(tmp_path: Path) -> None:
    files = {**NAMED, "bin/up.sh": "docker compose -f node.yml -f host.yml up\n"}
    result = lint(tmp_path, files, "node.yml")
    assert launch(result, "one").network.mode == "host"
    assert codes(result) == []


def test_compose_file_of_somebody_else(tmp_path: Path) -> None:
    for name, text in (
        ("not-exported", "COMPOSE_FILE=node.yml:host.yml\ndocker compose up\n"),
        ("overruled", "export COMPOSE_FILE=x.yml:host.yml\ndocker compose -f node.yml up\n"),
        ("no-compose", "export COMPOSE_FILE=node.yml:host.yml\necho docker compose\n"),
    ):
        result = lint(tmp_path / name, {**NAMED, "up.sh": text})
        assert ("NET001", "node.yml") in codes(result), name


def test_commands_that_disagree_or_are_not_seen_leave_the_files_open(tmp_path: Path) -> None:
    texts = {
        "both": "docker compose -f node.yml -f host.yml up\ndocker compose -f node.yml up\n",
        "variable": 'docker compose -f node.yml -f "$EXTRA" up\n',
        "more": "docker compose -f node.yml -f other.yml $FILES up\n",
        "gone": "docker compose -f node.yml -f gone.yml up\n",
        "elsewhere": "docker compose --env-file x.env -f node.yml -f other.yml up\n",
        "twice": "docker compose -f node.yml -f node.yml up\n",
    }
    for name, text in texts.items():
        files = {**NAMED, "other.yml": "services: {one: {tty: true}}\n", "up.sh": text}
        result = lint(tmp_path / name, files)
        assert not any(x.complete for x in result.project.launches if x.container), name
        assert codes(result) == [], name


def test_one_file_or_a_comment_changes_nothing(tmp_path: Path) -> None:
    for name, text in (
        ("one", "docker compose -f node.yml up\n"),
        ("comment", "# docker compose -f node.yml -f host.yml up\n"),
        ("nothing", "echo docker compose\n"),
    ):
        result = lint(tmp_path / name, {**NAMED, "up.sh": text})
        assert ("NET001", "node.yml") in codes(result), name


def test_files_that_add_services_to_each_other_are_one_project(tmp_path: Path) -> None:
    files = {
        "a.yml": service("one", 0),
        "b.yml": service("two", 1),
        ".env": "MASTER=one\n",
        "up.sh": "docker compose -f a.yml -f b.yml up\n",
    }
    assert codes(lint(tmp_path, files)) == []


def test_entries_that_name_no_file_break_nothing(tmp_path: Path) -> None:
    entries = (
        '["a\\0b.yml", {path: [], env_file: {a: 1}}, null, 5, [x], {path: ""}, ., compose.yml]'
    )
    files = {
        "compose.yml": f"include: {entries}\n" + service("one", more='env_file: "a\\0b"'),
        "up.sh": 'docker compose -f compose.yml -f up\ndocker compose -f "a b" -f\n',
    }
    result = lint(tmp_path, files)
    assert not launch(result, "one").complete
    assert codes(result) == []


def test_services_of_two_included_files_meet_on_one_port_of_the_host(tmp_path: Path) -> None:
    text = (
        "services:\n  NAME:\n    image: registry.local/train:1\n    network_mode: host\n"
        "    command: torchrun --nproc_per_node=4 --master_port=29501 train.py\n"
    )
    files = {"a.yml": text.replace("NAME", "a"), "b.yml": text.replace("NAME", "b")}
    assert all(f.rule.name != "port-collision" for f in lint(tmp_path, files).findings)
    files["compose.yaml"] = "include: [a.yml, b.yml]\n"
    found = [f for f in lint(tmp_path, files).findings if f.rule.name == "port-collision"]
    assert [(f.document.path, f.document.source.position(f.span.start)[0]) for f in found] == [
        ("b.yml", 5)
    ]
    assert [related.document.path for related in found[0].related] == ["a.yml"]
