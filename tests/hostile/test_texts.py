"""Texts that break parsers: each is a clean finding or is read with the right places."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.running import as_json, cfglint, write

# The fault that the tests look for: a port that is none.
ACCELERATE = "distributed_type: MULTI_GPU\nnum_processes: 8\nmain_process_port: 69420\n"
PORT = "PORT004"


def places(folder: Path, code: str = PORT) -> list[tuple[str, int, int]]:
    run = as_json(folder)
    assert run.code in (0, 1), run.err
    return [row[:3] for row in run.rows() if row[3] == code]


@pytest.mark.parametrize(
    ("data", "line", "column"),
    [
        (ACCELERATE.encode(), 3, 20),
        (ACCELERATE.replace("\n", "\r\n").encode(), 3, 20),
        (ACCELERATE.replace("\n", "\r").encode(), 3, 20),
        (b"\xef\xbb\xbf" + ACCELERATE.encode(), 3, 20),
        (b"\xef\xbb\xbf\xef\xbb\xbf" + ACCELERATE.encode(), 3, 20),
        (ACCELERATE.encode("utf-16"), 3, 20),
        (b"\xfe\xff" + ACCELERATE.encode("utf-16-be"), 3, 20),
        # An emoji is one character, in the line before as in the line itself.
        (("# \U0001f680\U0001f680 launch\n" + ACCELERATE).encode(), 4, 20),
        (('"\U0001f680": x\n' + ACCELERATE).encode(), 4, 20),
        (("{\"\U0001f680\": 1, distributed_type: MULTI_GPU, num_processes: 8, "
          "main_process_port: 69420}\n").encode(), 1, 76),
        # YAML ends a line at U+2028 and U+0085, editors do not: the line number is the editor's.
        (("# a\u2028distributed_type: MULTI_GPU\nnum_processes: 8\nmain_process_port: 69420\n").encode(), 3, 20),
        (("# a\x85distributed_type: MULTI_GPU\nnum_processes: 8\nmain_process_port: 69420\n").encode(), 3, 20),
        (("a: \"x\u2028y\"\n" + ACCELERATE).encode(), 4, 20),
        # No final newline.
        (ACCELERATE.rstrip("\n").encode(), 3, 20),
        # Anchors and tags before the value.
        (ACCELERATE.replace("69420", "&p !!int 69420").encode(), 3, 29),
    ],
)  # fmt: skip
def test_place(tmp_path: Path, data: bytes, line: int, column: int) -> None:
    write(tmp_path, {"acc.yaml": data})
    assert places(tmp_path) == [("acc.yaml", line, column)]


@pytest.mark.parametrize(
    ("data", "line", "says"),
    [
        (ACCELERATE.encode() + b"\0", 4, "NUL"),
        (ACCELERATE.encode().replace(b"69420", b"6\x009420"), 3, "NUL"),
        (ACCELERATE.encode("utf-16-le"), 1, "NUL"),
        (ACCELERATE.encode("utf-16-be"), 1, "NUL"),
        (ACCELERATE.encode("utf-32"), 1, "NUL"),
        (ACCELERATE.encode() + b"# caf\xe9\n", 4, "0xe9"),
        (b"\xff\xfe" + ACCELERATE.encode("utf-16-le") + b"\x00", 4, "UTF-16"),
        (ACCELERATE.encode() + b"# \xed\xa0\x80\n", 4, "0xed"),
    ],
)
def test_not_text(tmp_path: Path, data: bytes, line: int, says: str) -> None:
    write(tmp_path, {"acc.yaml": data})
    run = as_json(tmp_path)
    assert [(f["code"], f["line"]) for f in run.data["findings"]] == [("SYN001", line)]
    assert says in run.data["findings"][0]["message"]
    assert run.code == 1


@pytest.mark.parametrize(
    "text",
    [
        "distributed_type: [" + "[" * 10_000 + "]" * 10_000 + "]",
        "distributed_type: " + "{a: " * 10_000 + "1" + "}" * 10_000,
        "distributed_type: MULTI_GPU\n" + "".join(f"{' ' * i}a:\n" for i in range(3_000)),
        "distributed_type: MULTI_GPU\nx: " + "- " * 10_000 + "a",
    ],
    ids=["list", "mapping", "block", "dashes"],
)
def test_deep_yaml(tmp_path: Path, text: str) -> None:
    write(tmp_path, {"acc.yaml": text})
    run = as_json(tmp_path)
    assert [f["code"] for f in run.data["findings"]] == ["SYN002"]
    assert not run.err


@pytest.mark.parametrize(
    "text", ['{"zero_optimization": ' + "[" * 10_000, '{"zero_optimization":' * 10_000]
)
def test_deep_json(tmp_path: Path, text: str) -> None:
    write(tmp_path, {"ds_config.json": text})
    run = as_json(tmp_path)
    assert [f["code"] for f in run.data["findings"]] == ["SYN003"]
    assert "200 levels" in run.data["findings"][0]["message"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("run.sh", "torchrun train.py " + "$(" * 5_000 + ")" * 5_000 + "\n"),
        ("run.sh", "if true; then\n" * 3_000 + "torchrun train.py\n" + "fi\n" * 3_000),
        ("run.sh", "bash -c '" * 2_000 + "torchrun x.py" + "'" * 2_000 + "\n"),
        ("run.sh", "torchrun " + '"${A:-' * 3_000 + "x" + '}"' * 3_000 + " train.py\n"),
        ("Dockerfile", "FROM a\nENV A=" + "${B:-" * 3_000 + "x" + "}" * 3_000 + "\n"),
        ("Dockerfile", "FROM a\n" + "ONBUILD " * 3_000 + "RUN x\n"),
        ("compose.yaml", "services:\n  a:\n    image: b\n    command: '" + "${A:-" * 3_000 + "x" + "}" * 3_000 + "'\n"),
        ("compose.yaml", "services:\n  a:\n    image: b\n    command: " + "bash -c \"" * 1 + "(" * 3_000 + "\"\n"),
        (".env", "A=" + "${B:-" * 3_000 + "x" + "}" * 3_000 + "\n"),
    ],
    ids=["substitutions", "ifs", "shells", "defaults", "env", "onbuild", "compose", "parentheses", "dotenv"],
)  # fmt: skip
def test_deep_elsewhere(tmp_path: Path, name: str, text: str) -> None:
    write(tmp_path, {name: text})
    run = as_json(tmp_path)
    assert run.code in (0, 1), run.err + run.out[-600:]
    assert run.kinds()[name] is not None


BOMB = "a0: &a0 [x, x]\n" + "".join(
    f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 60)
)


@pytest.mark.parametrize("bomb", [BOMB, BOMB.replace("[", "{k: [").replace("]", "]}")])
def test_alias_bomb(tmp_path: Path, bomb: str) -> None:
    write(tmp_path, {"acc.yaml": ACCELERATE + bomb})
    for words in ([], ["--fix"]):
        started = time.process_time()
        run = as_json(tmp_path, *words)
        assert [f["code"] for f in run.data["findings"]] == ["SYN002"]
        assert "200,000 values" in run.data["findings"][0]["message"]
        assert time.process_time() - started < 5


def test_many_aliases_are_no_bomb(tmp_path: Path) -> None:
    shared = "shared: &s {a: [1, 2, 3], b: x}\n" + "".join(f"k{i}: *s\n" for i in range(2_000))
    write(tmp_path, {"acc.yaml": ACCELERATE + shared})
    assert places(tmp_path) == [("acc.yaml", 3, 20)]


@pytest.mark.parametrize(
    "text",
    ["distributed_type: &a [*a]\n", "&a distributed_type: *a\n", "distributed_type: NO\n<<: &b\n  <<: *b\n",
     "distributed_type: *nobody\n"],
)  # fmt: skip
def test_aliases_of_nothing(tmp_path: Path, text: str) -> None:
    write(tmp_path, {"acc.yaml": text})
    assert as_json(tmp_path).code in (0, 1)


def test_file_over_the_limit(tmp_path: Path) -> None:
    big = ACCELERATE.encode() + b"# " + b"x" * 50_000_000 + b"\n"
    write(tmp_path, {"acc.yaml": big, "ds_config.json": b'{"zero_optimization": "' + b"y" * 11_000_000,
                     "strange.yaml": b"z: " + b"z" * 11_000_000})  # fmt: skip
    run = as_json(tmp_path)
    assert [(f["path"], f["code"]) for f in run.data["findings"]] == [
        ("acc.yaml", "SYN001"), ("ds_config.json", "SYN001"),
    ]  # fmt: skip
    assert "max-file-size" in run.data["findings"][0]["message"]
    assert "50,000" in run.data["findings"][0]["message"]


def test_large_file_within_the_limit(tmp_path: Path) -> None:
    text = ACCELERATE + "".join(f"key{i}: value {i}\n" for i in range(20_000))
    write(tmp_path, {"acc.yaml": text})
    assert places(tmp_path) == [("acc.yaml", 3, 20)]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("acc.yaml", ACCELERATE + "x: " + "a." * 200_000 + "\n"),
        ("acc.yaml", ACCELERATE + "x: " + "TOKEN" * 80_000 + "\n"),
        ("acc.yaml", ACCELERATE + "x: " + "key_" * 100_000 + "\n"),
        ("acc.yaml", ACCELERATE + "#" * 400_000 + "\n"),
        ("acc.yaml", ACCELERATE + "x: " + "{{" * 100_000 + "\n"),
        ("run.sh", "torchrun train.py " + "\\\n" * 100_000),
        ("run.sh", "export A=" + "$B" * 50_000 + "\n"),
        ("run.sh", "A=1; " * 20_000),
        ("run.sh", "A0=x\n" + "\n".join(f"A{i}=$A{i - 1}$A{i - 1}" for i in range(1, 400)) + "\ntorchrun $A399 t.py\n"),
        ("Dockerfile", "FROM a\nRUN " + "x \\\n" * 50_000),
        ("Dockerfile", "\n" * 200_000 + "FROM a\n"),
        ("Dockerfile", "FROM a\n" + "ENV A0=x\n" + "".join(f"ENV A{i}=$A{i - 1}$A{i - 1}\n" for i in range(1, 400))),
        ("hostfile", "worker-1 slots" + " " * 200_000 + "\n"),
        ("x.sub", "#" * 200_000),
        ("noext", "#!/bin/sh\n" + "ARG a\n" * 50_000),
        ("ds_config.json", '{"zero_optimization": {}' + ", " * 100_000),
        ("ds_config.json", '{"zero_optimization": {}, "a": "' + "\\u0041" * 100_000 + '"}'),
        ("ds_config.json", '{"zero_optimization": {}' + "/**/" * 50_000 + "}"),
        (".env", "A=" + "'" * 200_001 + "\n"),
    ],
)  # fmt: skip
def test_no_text_takes_long(tmp_path: Path, name: str, text: str) -> None:
    """Nothing takes time that grows with the square of the text."""
    write(tmp_path, {name: text})
    started = time.process_time()
    run = as_json(tmp_path)
    assert run.code in (0, 1), run.err + run.out[-600:]
    assert time.process_time() - started < 10


@pytest.mark.parametrize("name", ["acc.yaml", "ds_config.json", "Dockerfile", "compose.yaml", "run.sh", ".env",
                                  "hostfile", "job.sbatch", "Makefile", "justfile", "a.ipynb"])  # fmt: skip
@pytest.mark.parametrize(
    "data", [b"", b"\n", b" ", b"\xef\xbb\xbf", b"\0", b"\xff", b"\t", b"%", b"---\n...\n---"]
)
def test_nearly_empty_files(tmp_path: Path, name: str, data: bytes) -> None:
    write(tmp_path, {name: data})
    run = cfglint(tmp_path, name)
    assert run.code in (0, 1), run.err
    assert "META000" not in run.out


def test_control_characters_do_not_reach_the_terminal(tmp_path: Path) -> None:
    evil = '"\\e[2J\\e]0;x\\a69420"'
    write(tmp_path, {"acc.yaml": ACCELERATE.replace("69420", evil) + f"distributed_type: {evil}\n"})
    for words in ([], ["--output-format", "concise"], ["--output-format", "json"], ["--diff"]):
        run = cfglint(tmp_path, *words)
        assert not set(run.out) & {"\x1b", "\x07"}
