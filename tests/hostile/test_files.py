"""Files and folders that trip tools: links, permissions, pipes, names, and changes under way."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cfglint.files import loading
from cfglint.fixing.fixer import fix
from cfglint.fixing.writing import Change, WriteError, replace, replace_all
from cfglint.session import Session
from cfglint.settings import Settings
from tests.running import as_json, cfglint, write

# A file with a repair that always may be made: a comment that silences nothing.
STALE = "distributed_type: NO  # cfglint: ignore[PORT004]\nnum_processes: 1\n"
MENDED = "distributed_type: NO\nnum_processes: 1\n"
posix = pytest.mark.skipif(os.name != "posix", reason="POSIX files")
not_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read and write everything"
)


def mend(folder: Path, *words: str) -> int:
    return as_json(folder, "--fix", *words).code


# -- reading -----------------------------------------------------------------------------------


@posix
def test_links_out_of_the_tree_are_not_followed(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "outside/secret.yaml": STALE, "outside/more/a.yaml": STALE,
            "tree/a.yaml": STALE, "tree/kept.orig": STALE,
        },
    )  # fmt: skip
    tree = tmp_path / "tree"
    (tree / "link.yaml").symlink_to(tmp_path / "outside" / "secret.yaml")
    (tree / "folder").symlink_to(tmp_path / "outside" / "more")
    (tree / "up").symlink_to("..")
    (tree / "loop").symlink_to("loop")
    (tree / "inside.yaml").symlink_to("kept.orig")
    (tree / "same.yaml").symlink_to("a.yaml")  # looked at as what it is
    (tree / "dangling.yaml").symlink_to("nothing")
    assert sorted(as_json(tree).kinds()) == ["a.yaml", "inside.yaml"]


@posix
def test_a_named_reference_does_not_lead_out(tmp_path: Path) -> None:
    ds = '{"zero_optimization": {"stage": 9}, "train_batch_size": 8}'
    acc = (
        "distributed_type: DEEPSPEED\nnum_processes: 8\ndeepspeed_config:\n"
        "  deepspeed_config_file: {}\n"
    )
    write(tmp_path, {"ds.json": ds, "tree/.git/HEAD": "", "tree/a.yaml": acc.format("../ds.json"),
                     "tree/b.yaml": acc.format(tmp_path / "ds.json"), "tree/c.yaml": acc.format("ds.json")})  # fmt: skip
    (tmp_path / "tree" / "ds.json").symlink_to(tmp_path / "ds.json")
    run = as_json(tmp_path / "tree")
    assert "stage" not in run.out
    assert "9" not in {f["message"] for f in run.data["findings"]}


@posix
@not_root
def test_an_unreadable_file_is_a_finding(tmp_path: Path) -> None:
    write(tmp_path, {"compose.yaml": "services: {}", "locked/acc.yaml": STALE})
    (tmp_path / "compose.yaml").chmod(0)
    (tmp_path / "locked").chmod(0)
    try:
        run = as_json(tmp_path)
    finally:
        (tmp_path / "locked").chmod(0o755)
    assert [(f["path"], f["code"]) for f in run.data["findings"]] == [("compose.yaml", "SYN001")]
    assert "locked" in run.err


def test_a_file_that_goes_away_is_a_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"compose.yaml": "services: {}"})

    def gone(file: Path, mode: str, buffering: int) -> object:
        raise FileNotFoundError(2, "No such file or directory")

    monkeypatch.setattr(loading, "open", gone, raising=False)
    run = as_json(tmp_path)
    assert [(f["path"], f["code"]) for f in run.data["findings"]] == [("compose.yaml", "SYN001")]
    assert "No such file" in run.data["findings"][0]["message"]


def refuse_open(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """As mode 000 does for users other than root."""
    usual = open

    def refuse(file: Path, mode: str, buffering: int) -> object:
        if file.name in names:
            raise PermissionError(13, "Permission denied", str(file))
        return usual(file, mode, buffering)

    monkeypatch.setattr(loading, "open", refuse, raising=False)


@pytest.mark.parametrize("words", [[], ["acc.yaml"], ["acc.yaml", "good.yaml"]])
def test_a_file_that_nobody_has_seen_is_not_clean(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    """What cannot be opened, and has a name that promises nothing, may be a config."""
    write(tmp_path, {"acc.yaml": STALE, "good.yaml": MENDED})
    refuse_open(monkeypatch, "acc.yaml")
    run = cfglint(tmp_path, *words)
    assert run.code == 3
    assert run.err == "cfglint: acc.yaml: cannot be read: Permission denied\n"
    assert "1 file could not be read." in run.out
    assert as_json(tmp_path, *words).data["unread"] == ["acc.yaml"]
    assert cfglint(tmp_path, *words, "--exit-zero").code == 0
    assert cfglint(tmp_path, *words, "--fail-on", "never").code == 0
    assert (
        "acc.yaml   unknown       cannot be read: Permission denied"
        in cfglint(tmp_path, "kinds").out
    )


def test_findings_come_before_what_nobody_has_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"acc.yaml": STALE, "b.yaml": STALE})
    refuse_open(monkeypatch, "acc.yaml")
    run = cfglint(tmp_path)
    assert run.code == 1
    assert "acc.yaml: cannot be read" in run.err


@pytest.mark.parametrize("words", [[], ["configs"], ["configs/locked"], ["run.sh", "configs"]])
def test_a_folder_that_cannot_be_listed_is_not_clean(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    usual = os.scandir

    def refuse(path: str) -> object:
        if str(path).endswith("locked"):
            raise PermissionError(13, "Permission denied", str(path))
        return usual(path)

    # A script whose job a search through the whole tree belongs to.
    script = "#!/bin/sh\naccelerate launch --config_file configs/a.yaml train.py\n"
    write(
        tmp_path,
        {
            "run.sh": script,
            "train.py": "",
            "configs/a.yaml": MENDED,
            "configs/locked/b.yaml": STALE,
        },
    )
    monkeypatch.setattr(os, "scandir", refuse)
    run = cfglint(tmp_path, *words)
    assert run.code == 3
    assert run.err.count("locked: cannot be listed: Permission denied") == 1
    assert cfglint(tmp_path, *words, "--exclude", "locked").code == (
        3 if "configs/locked" in words else 0
    )


def test_what_lies_in_a_folder_that_may_not_be_searched_is_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A config that a script names there is neither missing nor a reason for a rule to fail."""
    script = (
        "#!/bin/sh\naccelerate launch --config_file conf/a.yaml train.py\n"
        "accelerate launch --config_file locked/b.yaml train.py\n"
        "deepspeed --hostfile locked/hosts train.py --deepspeed locked/ds.json\n"
    )
    deepspeed = MENDED.replace("distributed_type: NO", "distributed_type: DEEPSPEED")
    deepspeed += "deepspeed_config:\n  deepspeed_config_file: ../locked/ds.json\n"
    write(tmp_path, {"run.sh": script, "conf/a.yaml": deepspeed, "train.py": "", "locked/x": ""})
    before = [f for f in as_json(tmp_path).data["findings"] if "locked" in f["message"]]
    assert before, "in a folder that may be searched they are missing"

    def closed(usual: Callable[..., Any], names: tuple[str, ...]) -> Callable[..., Any]:
        def call(path: Any, *args: Any, **kwargs: Any) -> Any:
            parts = os.fspath(path).split(os.sep) if not isinstance(path, int) else []
            if any(name in parts[:-1] or (name in parts and usual is not stat_) for name in names):
                raise PermissionError(13, "Permission denied", str(path))
            return usual(path, *args, **kwargs)

        return call

    stat_ = os.stat
    monkeypatch.setattr(os, "stat", closed(os.stat, ("locked",)))
    monkeypatch.setattr(os, "listdir", closed(os.listdir, ("locked", "conf")))
    monkeypatch.setattr(os, "scandir", closed(os.scandir, ("locked", "conf")))
    for words in (["run.sh"], ["conf/a.yaml"], ["run.sh", "conf/a.yaml"], ["."]):
        found = as_json(tmp_path, *words).data["findings"]
        codes = {f["code"] for f in found}
        assert "META000" not in codes
        assert not [f for f in found if "locked" in f["message"]]


@posix
def test_pipes_and_devices_in_a_tree_are_left_alone(tmp_path: Path) -> None:
    write(tmp_path, {"a.yaml": STALE})
    os.mkfifo(tmp_path / "pipe.yaml")
    assert list(as_json(tmp_path).kinds()) == ["a.yaml"]


@posix
def test_an_endless_device_ends_at_the_limit(tmp_path: Path) -> None:
    run = as_json(tmp_path, "/dev/zero")
    assert run.code in (0, 1)


@posix
def test_names_that_are_no_text(tmp_path: Path) -> None:
    """A byte that is not UTF-8, a line break and an escape in a name reach no output raw."""
    name = os.fsencode(tmp_path) + b"/caf\xe9-\x1b[2J\n.yaml"
    with open(name, "wb") as file:
        file.write(STALE.encode())
    for form in ("full", "concise", "json"):
        run = subprocess.run(
            [sys.executable, "-m", "cfglint", "--output-format", form, "."],
            cwd=tmp_path, capture_output=True, check=False,
        )  # fmt: skip
        assert run.returncode == 1, run.stderr
        assert b"\x1b" not in run.stdout
        assert b"META001" in run.stdout
    run = subprocess.run([sys.executable, "-m", "cfglint", "--fix", "."], cwd=tmp_path, check=False,
                         capture_output=True)  # fmt: skip
    with open(name, "rb") as file:
        assert file.read() == MENDED.encode(), run.stderr


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_a_terminal_that_is_not_unicode(tmp_path: Path, encoding: str) -> None:
    write(tmp_path, {"\u8a13\u7df4.yaml": "distributed_type: MULTI_GPU  # \U0001f680\nnum_processes: 8\n"
                     "main_process_port: 69420  # \u8a13\u7df4\n"})  # fmt: skip
    run = subprocess.run(
        [sys.executable, "-m", "cfglint", "."], cwd=tmp_path, capture_output=True, check=False,
        env={**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"},
    )  # fmt: skip
    assert run.returncode == 1, run.stderr
    assert b"PORT004" in run.stdout


def test_no_libyaml(tmp_path: Path) -> None:
    """Without the C parser the same is found, and it is said once that it takes longer."""
    write(
        tmp_path,
        {
            "a.yaml": STALE,
            "b.yaml": "\ufeff" + STALE.replace("\n", "\r\n"),
            "c.yaml": "distributed_type: [",
        },
    )
    with_c = as_json(tmp_path)
    code = (
        "import yaml, sys\n"
        "for name in ('CSafeLoader', 'CLoader', 'CParser'): delattr(yaml, name) if hasattr(yaml, name) else 0\n"
        "from cfglint.cli import main\nmain(['--output-format', 'json', '.'])\n"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True,
                         check=False)  # fmt: skip
    import json

    found = json.loads(run.stdout)["findings"]
    places = [(f["path"], f["line"], f["column"], f["code"]) for f in found]
    assert [p for p in places if p[3] != "SYN002"] == [p for p in with_c.rows() if p[3] != "SYN002"]
    assert [p[0] for p in places if p[3] == "SYN002"] == ["c.yaml"]
    assert run.stderr.count("libyaml") == 1


def test_nothing_in_a_config_is_run(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    evil = f"!!python/object/apply:os.system ['touch {mark}']"
    write(tmp_path, {
        "acc.yaml": f"distributed_type: MULTI_GPU\nnum_processes: {evil}\nmain_process_port: {evil}\n",
        "compose.yaml": f"services:\n  a:\n    image: b\n    command: torchrun $(touch {mark}) `touch {mark}` t.py\n",
        "run.sh": f"touch {mark}\nMASTER_PORT=$(touch {mark}; echo 1)\ntorchrun --master_port $MASTER_PORT t.py\n",
        "Dockerfile": f"FROM a\nRUN touch {mark}\nCMD torchrun $(touch {mark}) t.py\n",
        ".env": f"A=$(touch {mark})\n",
        "Makefile": f"X := $(shell touch {mark})\nrun:\n\ttorchrun t.py\n",
    })  # fmt: skip
    run = as_json(tmp_path, "--fix", "--unsafe-fixes")
    assert run.code in (0, 1)
    assert not mark.exists()


# -- writing -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        STALE.encode(),
        STALE.replace("\n", "\r\n").encode(),
        STALE.replace("\n", "\r").encode(),
        b"\xef\xbb\xbf" + STALE.encode(),
        STALE.encode("utf-16"),
        STALE.rstrip("\n").encode(),
        ("# \U0001f680\n" + STALE).encode(),
    ],
)
def test_everything_else_stays(tmp_path: Path, data: bytes) -> None:
    write(tmp_path, {"a.yaml": data})
    assert mend(tmp_path) == 0
    comment = "  # cfglint: ignore[PORT004]"
    bare = (comment.encode("utf-16-le"), b"") if b"\0" in data else (comment.encode(), b"")
    assert (tmp_path / "a.yaml").read_bytes() == data.replace(*bare)
    before = (tmp_path / "a.yaml").stat()
    assert mend(tmp_path) == 0
    assert (tmp_path / "a.yaml").stat().st_mtime_ns == before.st_mtime_ns


@posix
@pytest.mark.parametrize("mode", [0o644, 0o600, 0o755, 0o664, 0o640])
def test_the_mode_stays(tmp_path: Path, mode: int) -> None:
    write(tmp_path, {"a.yaml": STALE})
    (tmp_path / "a.yaml").chmod(mode)
    assert mend(tmp_path) == 0
    assert stat.S_IMODE((tmp_path / "a.yaml").stat().st_mode) == mode
    assert sorted(os.listdir(tmp_path)) == ["a.yaml"]


@posix
@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away"
)
def test_the_owner_stays(tmp_path: Path) -> None:
    write(tmp_path, {"a.yaml": STALE})
    os.chown(tmp_path / "a.yaml", 12345, 23456)
    (tmp_path / "a.yaml").chmod(0o640)
    assert mend(tmp_path) == 0
    status = (tmp_path / "a.yaml").stat()
    assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (12345, 23456, 0o640)


@posix
def test_a_link_within_the_tree_is_written_through(tmp_path: Path) -> None:
    write(tmp_path, {"real/a.yaml": STALE})
    (tmp_path / "link.yaml").symlink_to("real/a.yaml")
    assert mend(tmp_path, "link.yaml") == 0
    assert (tmp_path / "link.yaml").is_symlink()
    assert (tmp_path / "real/a.yaml").read_text() == MENDED


@posix
@pytest.mark.parametrize("named", ["link.yaml", "folder/a.yaml"])
def test_a_link_out_of_the_tree_is_not_written_through(tmp_path: Path, named: str) -> None:
    write(tmp_path, {"outside/a.yaml": STALE, "tree/.git/HEAD": ""})
    tree = tmp_path / "tree"
    (tree / "link.yaml").symlink_to(tmp_path / "outside/a.yaml")
    (tree / "folder").symlink_to(tmp_path / "outside")
    run = as_json(tree, "--fix", named)
    assert run.code == 2
    assert "leads out of the tree" in run.err
    assert [f["code"] for f in run.data["findings"]] == ["META001"]
    assert (tmp_path / "outside/a.yaml").read_text() == STALE


@posix
def test_a_read_only_file_is_not_replaced(tmp_path: Path) -> None:
    write(tmp_path, {"a.yaml": STALE, "b.yaml": STALE})
    (tmp_path / "a.yaml").chmod(0o444)
    run = as_json(tmp_path, "--fix")
    assert run.code == 2
    assert "a.yaml: not written: it is read-only" in run.err
    assert [f["path"] for f in run.data["findings"]] == ["a.yaml"]
    assert (tmp_path / "a.yaml").read_text() == STALE
    assert (tmp_path / "b.yaml").read_text() == MENDED


@posix
@pytest.mark.parametrize("words", [["--fix"], ["--add-ignores"]])
def test_what_was_not_written_was_not_fixed(tmp_path: Path, words: list[str]) -> None:
    bad = MENDED + "main_process_port: 70000\n" if "--add-ignores" in words else STALE
    write(tmp_path, {"a.yaml": bad, "b.yaml": bad})
    (tmp_path / "a.yaml").chmod(0o444)
    run = cfglint(tmp_path, *words)
    assert run.code == 2
    assert "a.yaml: not written: it is read-only" in run.err
    wrote = (
        "Fixed 1 finding in 1 file."
        if "--fix" in words
        else "Wrote comments for 1 finding in 1 file."
    )
    assert wrote in run.out
    assert "for the settings" not in run.out
    run = cfglint(tmp_path, *words, "a.yaml")
    assert run.code == 2
    assert "Fixed" not in run.out
    assert "for 1 finding" not in run.out


def test_a_folder_that_takes_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import tempfile

    def refuse(*args: object, **kwargs: object) -> None:
        raise PermissionError(13, "Permission denied")

    write(tmp_path, {"a.yaml": STALE})
    monkeypatch.setattr(tempfile, "mkstemp", refuse)
    run = as_json(tmp_path, "--fix")
    assert run.code == 2
    assert "a.yaml: not written: Permission denied" in run.err
    assert (tmp_path / "a.yaml").read_text() == STALE


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    write(tmp_path, {"a.yaml": STALE})
    monkeypatch.setattr(os, "fsync", full)
    run = as_json(tmp_path, "--fix")
    assert run.code == 2
    assert "No space left" in run.err
    assert os.listdir(tmp_path) == ["a.yaml"]
    assert (tmp_path / "a.yaml").read_text() == STALE


def test_a_file_that_changed_meanwhile_is_left(tmp_path: Path) -> None:
    write(tmp_path, {"a.yaml": STALE})
    session = Session(Settings(root=tmp_path), [tmp_path / "a.yaml"], tmp_path, tmp_path)
    fixed = fix(session.lint(), session.lint, unsafe=False)
    (tmp_path / "a.yaml").write_text(STALE + "# mine\n")
    (problem,) = session.write(fixed)
    assert "changed while it was being linted" in problem
    assert (tmp_path / "a.yaml").read_text() == STALE + "# mine\n"


def test_files_of_one_repair_are_written_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"a": "1", "b": "2", "c": "3"})
    changes = [
        Change(tmp_path / name, old.encode(), b"new") for name, old in (("a", "1"), ("b", "x"))
    ]
    with pytest.raises(WriteError, match="changed"):
        replace_all(changes, tmp_path)
    assert (tmp_path / "a").read_text() == "1"
    usual = os.replace

    def fail_on_b(source: str, target: Path) -> None:
        if Path(target).name == "b":
            raise OSError(5, "Input/output error")
        usual(source, target)

    monkeypatch.setattr(os, "replace", fail_on_b)
    changes = [
        Change(tmp_path / name, old.encode(), b"new")
        for name, old in (("a", "1"), ("b", "2"), ("c", "3"))
    ]
    with pytest.raises(WriteError, match="Input/output error"):
        replace_all(changes, tmp_path)
    assert [(tmp_path / name).read_text() for name in "abc"] == ["1", "2", "3"]
    assert sorted(os.listdir(tmp_path)) == ["a", "b", "c"]


def test_replace(tmp_path: Path) -> None:
    write(tmp_path, {"a": "old"})
    replace(tmp_path / "a", b"old", b"new", tmp_path)
    assert (tmp_path / "a").read_bytes() == b"new"
    with pytest.raises(WriteError, match="not written"):
        replace(tmp_path / "none", b"", b"new", tmp_path)


def test_a_diff_writes_nothing(tmp_path: Path) -> None:
    write(tmp_path, {"a.yaml": STALE.replace("\n", "\r\n") + 'x: "\u2028y"\r\n'})
    before = (tmp_path / "a.yaml").read_bytes()
    run = cfglint(tmp_path, "--diff")
    assert run.code == 1
    assert "-distributed_type: NO  # cfglint: ignore[PORT004]" in run.out
    assert "+distributed_type: NO\n" in run.out
    assert (tmp_path / "a.yaml").read_bytes() == before
