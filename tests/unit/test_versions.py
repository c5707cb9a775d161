"""Which version a file is judged by, and where that comes from."""

from __future__ import annotations

from pathlib import Path

import pytest

from cfglint.files import loading
from cfglint.jobs.linking import linked
from cfglint.releases.pins import Pin, pins_of
from cfglint.releases.versions import Version, Versions, allows, collect
from cfglint.settings import Settings


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("requirements.txt", "# a\naccelerate==1.2.0\n", [("accelerate", "1.2.0", "", 2)]),
        ("requirements.txt", "torch==2.3.1+cu121  # gpu\n", [("torch", "2.3.1", "", 1)]),
        (
            "requirements.txt",
            "deepspeed[dev] >= 0.14, < 0.16\n",
            [("deepspeed", None, ">=0.14,<0.16", 1)],
        ),
        ("requirements.txt", "transformers~=4.51.3\n", [("transformers", None, "~=4.51.3", 1)]),
        ("requirements.txt", "my-accelerate==1.0\naccelerated==2.0\ntransformers-kt==1.0\n", []),
        ("requirements.txt", "# transformers==4.1.0\n", []),
        ("requirements.txt", "torch==2.1.0; sys_platform == 'darwin'\n", []),
        (
            "requirements.txt",
            'accelerate==0.27.2 ; python_version > "3.8"\n'
            'deepspeed==0.16.4 ; python_version >= "3.10" and python_version < "4.0" \\\n'
            "    --hash=sha256:0a1b\n"
            "transformers==4.51.3 ; sys_platform != 'win32' --hash=sha256:0c2d\n",
            [
                ("accelerate", "0.27.2", "", 1),
                ("deepspeed", "0.16.4", "", 2),
                ("transformers", "4.51.3", "", 4),
            ],
        ),
        (
            "requirements.txt",
            "torch==2.1.0 ; sys_platform == 'win32'\ntorch==2.1.1 ; python_version < '3.8'\n"
            "torch==2.1.2 ; extra == 'cpu'\ntorch==2.1.3 ; platform_release >= '6'\n"
            "torch==2.1.4 ; see the wiki\ntorch==2.1.5 ; platform_machine == 'arm64'\n",
            [],
        ),
        (
            "pyproject.toml",
            'dependencies = ["accelerate==1.2.0; python_version > \'3.7\'", "torch==2.4.0"]\n'
            "  'deepspeed==0.16.4; python_version > \"3.8\"',\n"
            '  "transformers==4.51.3; os_name == \'nt\'",\n',
            [
                ("accelerate", "1.2.0", "", 1),
                ("torch", "2.4.0", "", 1),
                ("deepspeed", "0.16.4", "", 2),
            ],
        ),
        (
            "pyproject.toml",
            'torch = {version = "2.3.1", markers = "sys_platform == \'darwin\'"}\n'
            'accelerate = {version = "1.2.0", markers = "python_version > \\"3.8\\""}\n'
            'deepspeed = {version = "0.16.4", platform = "win32"}\n'
            'transformers = {version = "4.51.3", python = ">=3.9"}\n',
            [("accelerate", "1.2.0", "", 2), ("transformers", "4.51.3", "", 4)],
        ),
        (
            "Pipfile",
            'torch = {version = "==2.3.1", sys_platform = "== \'win32\'"}\n'
            'accelerate = {version = "==1.2.0", sys_platform = "== \'linux\'"}\n',
            [("accelerate", "1.2.0", "", 2)],
        ),
        (
            "Dockerfile",
            "RUN pip install accelerate==1.2.0; python setup.py\n"
            "RUN pip install 'deepspeed==0.16.4 ; python_version > \"3.8\"' && true\n",
            [("deepspeed", "0.16.4", "", 2)],
        ),
        (
            "Dockerfile",
            "RUN pip install -U torch==2.3.1 accelerate==1.2.0 'deepspeed==0.16.4' && true\n",
            [
                ("torch", "2.3.1", "", 1),
                ("accelerate", "1.2.0", "", 1),
                ("deepspeed", "0.16.4", "", 1),
            ],
        ),
        ("reqs/requirements/base.in", "accelerate===1.0.1", [("accelerate", "1.0.1", "", 1)]),
        (
            "requirements.txt",
            "llamafactory @ git+https://github.com/hiyouga/LLaMA-Factory.git@v0.9.3\n",
            [("llamafactory", "0.9.3", "", 1)],
        ),
        (
            "pyproject.toml",
            '[project]\ndependencies = [\n  "transformers==4.52.4",\n  "torch>=2.4",\n]\n',
            [("transformers", "4.52.4", "", 3), ("torch", None, ">=2.4", 4)],
        ),
        (
            "pyproject.toml",
            '[tool.poetry.dependencies]\naccelerate = "^0.34.2"\ndeepspeed = "0.15.4"\n'
            'torch = {version = "~2.3", source = "x"}\n',
            [
                ("accelerate", None, ">=0.34.2,<0.35", 2),
                ("deepspeed", "0.15.4", "", 3),
                ("torch", None, "~2.3", 4),
            ],
        ),
        (
            "uv.lock",
            '[[package]]\nname = "accelerate"\nversion = "1.6.0"\n\n[[package]]\nname = "numpy"\n'
            'version = "2.0"\n',
            [("accelerate", "1.6.0", "", 3)],
        ),
        (
            "poetry.lock",
            '[[package]]\nname = "torch"\nversion = "2.2.2"\ngroups = ["main"]\n'
            'markers = "sys_platform == \\"darwin\\""\nfiles = [\n    {file = "a"},\n]\n\n'
            '[[package]]\nname = "torch"\nversion = "2.7.1"\ngroups = ["main"]\n'
            'markers = "sys_platform != \\"darwin\\""\n\n[package.dependencies]\n'
            'markers = "sys_platform == \\"win32\\""\n\n[[package]]\nname = "accelerate"\n'
            'version = "1.6.0"\ngroups = ["dev", "win"]\nmarkers = {win = "os_name == \'nt\'"}\n\n'
            '[[package]]\nname = "deepspeed"\nversion = "0.16.4"\ngroups = ["a", "b"]\n'
            'markers = {a = "os_name == \'nt\'", b = "sys_platform == \'win32\'"}\n',
            [("torch", "2.7.1", "", 12), ("accelerate", "1.6.0", "", 21)],
        ),
        (
            "uv.lock",
            '[[package]]\nname = "torch"\nversion = "2.2.2"\nsource = { registry = "x" }\n'
            "resolution-markers = [\n    \"sys_platform == 'darwin'\",\n]\ndependencies = [\n"
            '    { name = "filelock" },\n]\n\n[[package]]\nname = "torch"\nversion = "2.7.1"\n'
            "resolution-markers = [\n    \"sys_platform == 'win32'\",\n"
            "    \"sys_platform == 'linux'\",\n]\n",
            [("torch", "2.7.1", "", 14)],
        ),
        (
            "pdm.lock",
            '[[package]]\nname = "torch"\nversion = "2.7.1"\nmarker = "os_name == \'nt\'"\n\n'
            '[[package]]\nname = "accelerate"\nversion = "1.6.0"\n'
            'marker = "python_version < \'3.10\'"\n',
            [("accelerate", "1.6.0", "", 8)],
        ),
        (
            "environment.yml",
            "dependencies:\n  - pytorch=2.3.1\n  - conda-forge::accelerate=0.34\n  - pip:\n"
            "      - deepspeed==0.14.5\n",
            [
                ("torch", "2.3.1", "", 2),
                ("accelerate", None, "==0.34.*", 3),
                ("deepspeed", "0.14.5", "", 5),
            ],
        ),
        (
            "docker/Dockerfile",
            "ARG DS=0.16.4\nFROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel\n"
            "RUN pip install --no-cache deepspeed==${DS} \\\n    'transformers==4.49.0' && true\n",
            [
                ("torch", "2.5.1", "", 2),
                ("deepspeed", "0.16.4", "", 3),
                ("transformers", "4.49.0", "", 4),
            ],
        ),
        (
            "Dockerfile",
            "ARG V\nRUN uv pip install accelerate==$V\nRUN git clone --branch v0.9.2 \\\n"
            "  https://github.com/hiyouga/LLaMA-Factory\n",
            [("llamafactory", "0.9.2", "", 4)],
        ),
        (
            "docker-compose.yml",
            "services:\n  t:\n    image: hiyouga/llamafactory:0.9.4\n",
            [("llamafactory", "0.9.4", "", 3)],
        ),
        (
            "src/llamafactory/extras/env.py",
            'VERSION = "0.9.3"\n',
            [("llamafactory", "0.9.3", "", 1)],
        ),
        (
            "src/llamafactory/extras/env.py",
            'VERSION = "0.9.4.dev0"\n',
            [("llamafactory", None, "<=0.9.4", 1)],
        ),
    ],
)  # fmt: skip
def test_what_a_file_pins(
    path: str, text: str, expected: list[tuple[str, str | None, str, int]]
) -> None:
    found = [(p.package, p.version, p.spec, p.line) for p in pins_of(path, text)]
    assert found == expected


@pytest.mark.parametrize(
    ("lines", "number", "pinned"),
    [
        (["==2.4.0 ; python_version > '3.8'"], "2.4.0", True),
        (["==2.4.0 ; python_version < '3.10'", "==2.6.0 ; python_version >= '3.10'"], "2.6.0", False),
        (["==2.4.0 ; python_version < '3.10'", ">=2.5 ; python_version >= '3.10'"], None, False),
        (["==2.4.0 ; python_version < '3.10'", ">=2.5"], None, False),
        (["==2.4.0 ; sys_platform == 'linux'", ">=2.5 ; sys_platform == 'win32'"], "2.4.0", True),
        (["==2.4.0 ; sys_platform == 'win32'", "==2.5.0 ; sys_platform != 'win32'"], "2.5.0", True),
    ],
)  # fmt: skip
def test_a_marker_says_for_whom_a_pin_speaks(
    lines: list[str], number: str | None, pinned: bool
) -> None:
    text = "".join(f"torch{line}\n" for line in lines)
    pins = list(pins_of("requirements.txt", text))
    found = Versions({}, lambda: pins, lambda package: []).of("torch", "run.sh")
    assert (found.number, found.pinned) == (number, pinned)


def test_a_range_for_some_pythons_hides_no_pin_further_up() -> None:
    pins = [
        *pins_of("requirements.txt", "torch==2.4.0\n"),
        *pins_of("a/requirements.txt", "torch>=2.1 ; python_version > '3.9'\n"),
    ]
    found = Versions({}, lambda: pins, lambda package: []).of("torch", "a/run.sh")
    assert (found.number, found.pinned) == ("2.4.0", True)


@pytest.mark.parametrize(
    ("spec", "version", "answer"),
    [
        (">=0.9.2,<0.9.4", "0.9.3", True),
        (">=0.9.2,<0.9.4", "0.9.4", False),
        ("~=4.51.0", "4.51.3", True),
        ("~=4.51.0", "4.52.0", False),
        ("~=4.51", "4.99", True),
        ("==2.3.*", "2.3.1", True),
        ("==2.3.*", "2.30.1", False),
        ("!=4.52.0", "4.52.0", False),
        ("==1.0", "1.0.0", True),
        (">=4.9", "4.41.2", True),
        (">1.0", "1.0.post1", True),
        (">=1.0", "1.0rc1", False),
        ("latest", "1.0", True),
    ],
)
def test_bounds(spec: str, version: str, answer: bool) -> None:
    assert allows(spec, version) is answer


RELEASES = {"accelerate": ["0.34.2", "1.2.0", "1.10.0"]}


def versions(*pins: Pin, **chosen: str) -> Versions:
    return Versions(chosen, lambda: pins, lambda package: RELEASES.get(package, []))


def test_the_settings_come_first() -> None:
    pin = Pin("accelerate", "requirements.txt", 4, "1.2.0")
    answer = versions(pin, accelerate="0.34.2").of("accelerate", "configs/a.yaml")
    assert (answer.number, answer.pinned) == ("0.34.2", True)
    assert str(answer) == "accelerate 0.34.2, as the settings say"


def test_the_nearest_pin_counts() -> None:
    found = versions(
        Pin("accelerate", "requirements.txt", 4, "1.2.0"),
        Pin("accelerate", "old/requirements.txt", 1, "0.34.2"),
    )
    assert str(found.of("accelerate", "old/configs/a.yaml")) == (
        "accelerate 0.34.2, pinned in old/requirements.txt:1"
    )
    assert found.of("accelerate", "new/a.yaml").number == "1.2.0"


@pytest.mark.parametrize(
    ("pin", "config", "counts"),
    [
        ("requirements.txt", "a/b/c.yaml", True),
        ("docker/Dockerfile", "configs/c.yaml", True),
        ("requirements/base.txt", "configs/c.yaml", True),
        ("requirements/sglang.txt", "configs/c.yaml", False),
        ("src/llamafactory/extras/env.py", "examples/c.yaml", True),
        ("team/docker/gpu/Dockerfile", "team/c.yaml", False),
        ("job1/requirements.txt", "job2/c.yaml", False),
        ("job1/requirements.txt", "c.yaml", False),
    ],
)
def test_a_pin_speaks_for_its_folder_and_below(pin: str, config: str, counts: bool) -> None:
    answer = versions(Pin("accelerate", pin, 1, "1.2.0")).of("accelerate", config)
    assert answer.pinned is counts


def test_a_lock_file_counts_more_than_the_range_it_locks() -> None:
    answer = versions(
        Pin("accelerate", "pyproject.toml", 9, spec=">=1.0"),
        Pin("accelerate", "uv.lock", 30, "1.2.0", verb="locked"),
    ).of("accelerate", "a.yaml")
    assert str(answer) == "accelerate 1.2.0, locked in uv.lock:30"


def test_ranges_are_bounds() -> None:
    answer = versions(Pin("accelerate", "requirements.txt", 2, spec=">=1.0,<1.9")).of(
        "accelerate", "a.yaml"
    )
    assert answer == Version(
        "accelerate", "1.2.0", False, "the newest that requirements.txt:2 allows", ">=1.0,<1.9"
    )
    assert answer.may_be("1.2.0")
    assert not answer.may_be("0.34.2")


def test_pins_that_disagree_leave_it_open() -> None:
    answer = versions(
        Pin("accelerate", "a.txt", 1, "1.2.0"), Pin("accelerate", "b.txt", 1, "0.34.2")
    ).of("accelerate", "a.yaml")
    assert (answer.number, answer.pinned) == ("1.2.0", False)


def test_what_the_tree_says_wins_over_what_another_release_demands() -> None:
    answer = versions(Pin("accelerate", "requirements.txt", 1, spec="<=0.34.2")).of(
        "accelerate", "a.yaml", within=">=1.2", setter="something"
    )
    assert (answer.number, answer.bounds) == ("0.34.2", "<=0.34.2")
    assert answer.may_be("0.34.2")


def test_nothing_tells() -> None:
    assert versions().of("accelerate", "a.yaml") == Version(
        "accelerate", "1.10.0", False, "the newest known"
    )
    assert versions().of("accelerate", "a.yaml", within="<1.5").number == "1.2.0"
    assert versions().of("torch", "a.yaml").number is None


def test_only_files_that_can_pin_are_read() -> None:
    def forbidden() -> str:
        raise AssertionError("read")

    files = [("train.py", forbidden), ("requirements.txt", lambda: "torch==2.6.0")]
    assert [p.version for p in collect(files)] == ["2.6.0"]


def test_folders_differ_only_where_a_pin_makes_a_difference(tmp_path: Path) -> None:
    files = {"a/acc.yaml": "accelerate==1.2.0", "b/acc.yaml": "accelerate==0.34.2"}
    documents = []
    for name, pin in files.items():
        path = tmp_path / name
        path.parent.mkdir()
        path.write_text("distributed_type: MULTI_GPU\nnum_processes: 2\n")
        (path.parent / "requirements.txt").write_text(pin + "\n")
        documents.append(loading.load(path, tmp_path, True, 10**6))
    project = linked(documents, Settings(), tmp_path, lambda path, given: None)
    assert [project.versions(d, "accelerate").number for d in documents] == ["1.2.0", "0.34.2"]
    one, other = (project.versions(d, "deepspeed") for d in documents)
    assert one is other
    assert one.source == "the newest known"


def test_a_lock_says_where_a_marker_leaves_a_package_out() -> None:
    text = '[[package]]\nname = "accelerate"\nversion = "1.6.0"\nmarkers = "{}"\n'
    for marker, partly in (
        ("python_version < '3.12'", True),
        ("python_version >= '3.8'", False),
        ("sys_platform == 'linux' or sys_platform == 'darwin'", False),
    ):
        assert [pin.partly for pin in pins_of("poetry.lock", text.format(marker))] == [partly]


def test_a_copy_of_llama_factory_says_its_version_however_deep_it_lies(tmp_path: Path) -> None:
    deep = tmp_path / "a/b/c/LLaMA-Factory"
    for folder in ("examples/extras", "src/llamafactory/extras"):
        (deep / folder).mkdir(parents=True)
    (deep / "src/llamafactory/extras/env.py").write_text('VERSION = "0.9.1"\n')
    (deep / "examples/extras/a.yaml").write_text(
        "stage: sft\nfinetuning_type: lora\nmodel_name_or_path: m\n"
    )
    for root in (tmp_path, tmp_path / "a", deep):
        document = loading.load(deep / "examples/extras/a.yaml", root, True, 10**6)
        project = linked([document], Settings(), root, lambda path, given: None)
        assert project.versions(document, "llamafactory").number == "0.9.1"
