"""Which files a run looks at."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cfglint.files.discovery import NoSuchPathError, find, is_below, is_candidate, matches
from cfglint.session import project_root
from tests.running import inside, write


def names(tree: Path, *paths: str, **how: object) -> list[str]:
    with inside(tree):
        found = find([Path(p) for p in paths or (".",)], root=tree, **how)  # type: ignore[arg-type]
        return [path.as_posix() for path in found]


@pytest.mark.parametrize("name", ["a.yaml", "a.YML", "ds.json", "run.sh", "job.sbatch", "Dockerfile", "train.Dockerfile",
                                  "Dockerfile.gpu", ".env", ".env.local", "prod.env", ".deepspeed_env", "hostfile",
                                  "my_hostfile", "hosts.txt", "Makefile", "justfile", "ds.conf", "launch",
                                  "pretrain.qsub", "train.slrm", "eval.batch"])  # fmt: skip
def test_candidates(name: str) -> None:
    assert is_candidate(name)


@pytest.mark.parametrize(
    "name", ["a.py", "a.txt", "README.md", "a.toml", "model.safetensors", "a.png", "x.yaml.bak"]
)
def test_no_candidates(name: str) -> None:
    assert not is_candidate(name)


def test_what_is_left_out(tmp_path: Path) -> None:
    write(tmp_path, {"b.yaml": "", "a.yaml": "", "sub/c.yaml": "", ".hidden/d.yaml": "", ".git/config.yaml": "",
                     "venv/pyvenv.cfg": "", "venv/e.yaml": "", "node_modules/f.yaml": "", "__pycache__/g.yaml": "",
                     ".env": "A=1", "start": "#!/bin/sh\n", "notes": "no script", "x.py": ""})  # fmt: skip
    assert names(tmp_path) == [".env", "a.yaml", "b.yaml", "start", ".hidden/d.yaml", "sub/c.yaml"]


def test_gitignore(tmp_path: Path) -> None:
    write(tmp_path, {".git/HEAD": "", ".gitignore": "/out/\n*.tmp.yaml\n!keep.tmp.yaml\n", "out/a.yaml": "",
                     "b.tmp.yaml": "", "keep.tmp.yaml": "", "sub/.gitignore": "c.yaml\n!*.tmp.yaml\n",
                     "sub/c.yaml": "", "sub/d.yaml": "", "sub/e.tmp.yaml": "", "sub/out/f.yaml": ""})  # fmt: skip
    assert names(tmp_path) == ["keep.tmp.yaml", "sub/d.yaml", "sub/e.tmp.yaml", "sub/out/f.yaml"]
    assert names(tmp_path, "sub") == ["sub/d.yaml", "sub/e.tmp.yaml", "sub/out/f.yaml"]
    assert names(tmp_path, "b.tmp.yaml") == ["b.tmp.yaml"]  # what is named is looked at


def test_excludes(tmp_path: Path) -> None:
    write(tmp_path, {"a.yaml": "", "gen/b.yaml": "", "gen/deep/c.yaml": "", "x/gen.yaml": ""})
    assert names(tmp_path, exclude=("gen",)) == ["a.yaml", "x/gen.yaml"]
    assert names(tmp_path, exclude=("gen/deep/",)) == ["a.yaml", "gen/b.yaml", "x/gen.yaml"]
    assert names(tmp_path, exclude=("**/*.yaml",)) == []
    assert names(tmp_path, "gen/b.yaml", exclude=("gen",)) == ["gen/b.yaml"]
    assert names(tmp_path, "gen/b.yaml", exclude=("gen",), force=True) == []


def test_a_link_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"a.yaml": "", "b.yaml": ""})
    (tmp_path / "link.yaml").symlink_to("b.yaml")
    real = os.path.realpath

    def refuse(path: str, **how: object) -> str:
        if os.fspath(path).endswith("link.yaml"):
            raise PermissionError(13, "Permission denied", path)
        return real(path)

    monkeypatch.setattr(os.path, "realpath", refuse)
    assert names(tmp_path) == ["a.yaml", "b.yaml"]


def test_the_root_is_the_files_own_repository(tmp_path: Path) -> None:
    write(tmp_path, {"one/.git/HEAD": "", "one/conf/a.yaml": "", "two/.git/HEAD": "", "two/b.yaml": "",
                     "bare/c.yaml": ""})  # fmt: skip
    one, both = Path("one/conf/a.yaml"), [Path("one/conf/a.yaml"), Path("two/b.yaml")]
    with inside(tmp_path):
        assert project_root(tmp_path, [one]) == tmp_path / "one"
        assert project_root(tmp_path, both) == tmp_path  # of several repositories, none
        assert project_root(tmp_path, [Path("bare/c.yaml")]) == tmp_path
    with inside(tmp_path / "one"):
        assert project_root(tmp_path / "one", [Path("conf/a.yaml")]) == tmp_path / "one"
        assert project_root(tmp_path / "one", [tmp_path / "two/b.yaml"]) == tmp_path / "two"
    with inside(Path("/")):  # where a container starts: the machine is no project
        assert project_root(Path("/"), [tmp_path / "bare/c.yaml"]) == tmp_path / "bare"


def test_none_twice(tmp_path: Path) -> None:
    write(tmp_path, {"a/b.yaml": ""})
    assert names(tmp_path, "a", "a/b.yaml", ".") == ["a/b.yaml"]


def test_a_path_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(NoSuchPathError, match="nothing"):
        names(tmp_path, "nothing")


def test_is_below() -> None:
    assert is_below("/a/b", "/a")
    assert is_below("/a", "/a")
    assert is_below("/a", "/")
    assert not is_below("/ab", "/a")
    assert not is_below("/", "/a")


@pytest.mark.parametrize(
    ("path", "glob", "fits"),
    [
        ("a/b.yaml", "*.yaml", True),
        ("a/b.yaml", "a", True),
        ("a/b.yaml", "a/", True),
        ("a/b.yaml", "./a", True),
        ("a/b.yaml", "b", False),
        ("a/b.yaml", "a/*.yaml", True),
        ("b.yaml", "**/b.yaml", True),
        ("a/b.yaml", "c/*.yaml", False),
    ],
)
def test_globs(path: str, glob: str, fits: bool) -> None:
    assert matches(path, (glob,)) is fits
