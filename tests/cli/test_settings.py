"""Settings: what they take, what they refuse and where, and what is in force."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from cfglint import settings
from cfglint.settings import Settings, SettingsError, line_of, load
from tests.commandline import BAD, CLEAN, cfglint, places, tree

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FULL = """\
required-version = ">=0.1"
select = ["PORT", "network"]
extend-select = ["SYN"]
ignore = "PORT001, port-well-known"
extend-ignore = ["NET003"]
exclude = ["third_party"]
extend-exclude = ["*.bak"]
fail-on = "error"
unsafe-fixes = true
require-reason = true
baseline = "known.json"
max-file-size = 1000000

[per-file-ignores]
"old/**" = ["PORT"]

[severity]
PORT004 = "warning"
PORT = "info"

[kinds]
"conf/*.yaml" = "accelerate"

[versions]
torch = "2.4"

[site]
socket-interface = "ib0"
port-range = [20000, 20999]
ephemeral-port-range = "32768-60999"
gpus-per-node = 8
private-networks = ["203.0.113.0/24"]

[[job]]
files = ["node*.yaml"]
every-node = ["run.sh"]
"""


def read(folder: Path, text: str, name: str = "cfglint.toml") -> Settings:
    tree(folder, {name: text})
    return load(folder / name)


def test_every_key_is_read(tmp_path: Path) -> None:
    found = read(tmp_path, FULL)
    assert found.select == ("PORT", "network")
    assert found.ignore == ("PORT001", "port-well-known", "NET003")
    assert found.exclude == ("third_party", "*.bak")
    assert found.severity == {"PORT004": "warning", "PORT": "info"}
    assert found.baseline == tmp_path / "known.json"
    assert found.site.port_range == (20000, 20999)
    assert found.site.ephemeral_port_range == (32768, 60999)
    assert found.site.gpus_per_node == 8
    assert found.jobs[0].every_node == ("run.sh",)
    assert found.origins["site.port-range"] == f"{tmp_path / 'cfglint.toml'}:29"
    assert found.origins["severity.PORT"] == f"{tmp_path / 'cfglint.toml'}:19"


def test_the_schema_takes_what_the_reader_takes() -> None:
    schema = settings.schema()
    Draft202012Validator.check_schema(schema)
    assert list(Draft202012Validator(schema).iter_errors(tomllib.loads(FULL))) == []
    assert all(entry.get("description") for entry in schema["properties"].values())


WRONG = [
    ('selct = ["PORT"]', 1, "unknown setting 'selct'; did you mean 'select'?"),
    ("\nzzz = 1", 2, "unknown setting 'zzz'; known are baseline,"),
    ("select = 3", 1, "select: a list of strings is wanted, not 3"),
    ('fail-on = "eror"', 1, "fail-on: one of error, warning, info, never is wanted"),
    ('fail-on = "eror"', 1, "did you mean 'error'?"),
    ("unsafe-fixes = 1", 1, "unsafe-fixes: true or false is wanted, not 1"),
    ("max-file-size = -1", 1, "a positive whole number is wanted"),
    ('[site]\n\nsocket-interfase = "x"', 3, "did you mean 'socket-interface'?"),
    ("[site]\nport-range = [3]", 2, "site.port-range: two ports are wanted"),
    ("[site]\nport-range = [30, 20]", 2, "30-20 is no range of ports"),
    ('[site]\nprivate-networks = ["10.0.0.1/8"]', 2, "10.0.0.1/8 has host bits set"),
    ('[versions]\naccelarate = "1"', 2, "unknown package 'accelarate'; did you mean 'accelerate'?"),
    ('[versions]\ntorch = "banana"', 2, "versions.torch: a version is wanted, as 1.2.1, not 'ban"),
    ('[versions]\ntorch = ">=2.4"', 2, "versions.torch: a version is wanted"),
    ('[versions]\ntorch = ""', 2, "versions.torch: a version is wanted"),
    ("[versions]\ntorch = 2.4", 2, 'versions.torch: a version stands in quotes, as "2.4"'),
    ('[kinds]\n"a/*" = "acelerate"', 2, "kinds.a/*: unknown kind 'acelerate'"),
    ('[severity]\nPORT = "bad"', 2, "severity.PORT: one of error, warning, info is wanted"),
    ('[per-file-ignores]\n"a" = 3', 2, "per-file-ignores.a: a list of strings is wanted"),
    ("[[job]]\nfils = []", 2, "unknown setting 'fils'; did you mean 'files'?"),
    ('extend = "gone.toml"', 1, "extend: no such file"),
    ("a = [", 1, "not valid TOML"),
]


@pytest.mark.parametrize(("text", "line", "words"), WRONG)
def test_what_is_refused_and_where(tmp_path: Path, text: str, line: int, words: str) -> None:
    with pytest.raises(SettingsError) as refused:
        read(tmp_path, text)
    message = str(refused.value)
    assert words in message
    if "TOML" not in words:
        assert message.startswith(f"{tmp_path / 'cfglint.toml'}:{line}: ")
        validator = Draft202012Validator(settings.schema())
        seen = not any(w in words for w in ("range of", "host bits", "no such file"))
        assert bool(list(validator.iter_errors(tomllib.loads(text)))) == seen


@pytest.mark.parametrize(
    "version",
    ["2", "v4.46.0", "2.5.1+cu124", "2.21.5-1", "0.9.4.dev0", "2.4.0a0+git1f2e3d", "1.0rc1"],
)
def test_versions_as_installers_write_them(tmp_path: Path, version: str) -> None:
    text = f'[versions]\ntorch = "{version}"\n'
    assert read(tmp_path, text).versions == {"torch": version}
    assert not list(Draft202012Validator(settings.schema()).iter_errors(tomllib.loads(text)))


@pytest.mark.parametrize(
    ("version", "words"),
    [
        ("99.9", "newest release that is"),
        ("0.1", "oldest release that is"),
        ("1.2", ""),
        ("1.2.1", ""),
    ],
)
def test_releases_that_are_not_described(tmp_path: Path, version: str, words: str) -> None:
    tree(tmp_path, {"a.yaml": CLEAN, "cfglint.toml": f'[versions]\naccelerate = "{version}"\n'})
    run = cfglint(tmp_path)
    assert run.code == 0
    start = f"cfglint: cfglint.toml:2: accelerate {version} is not known here"
    assert run.err.startswith(start) == bool(words)
    assert (words in run.err) if words else not run.err


def test_in_pyproject(tmp_path: Path) -> None:
    text = '[project]\nname = "x"\n\n[tool.cfglint]\nignore = ["PORT"]\n\n[tool.cfglint.site]\n'
    text += "gpu = 1\n"
    with pytest.raises(SettingsError, match=r"pyproject\.toml:8: site\.gpu: unknown setting 'gpu'"):
        read(tmp_path, text, "pyproject.toml")
    found = read(tmp_path, text.replace("gpu =", "gpus-per-node ="), "pyproject.toml")
    assert found.ignore == ("PORT",)
    assert found.origins["site.gpus-per-node"].endswith("pyproject.toml:8")


def test_extend(tmp_path: Path) -> None:
    base = (
        'ignore = ["PORT"]\nextend-ignore = ["NET001"]\nexclude = ["team/old"]\n'
        '[per-file-ignores]\n"team/a/*" = ["NET"]\n"*.sh" = ["RUN"]\n'
        '[site]\nsocket-interface = "eth0"\ngpus-per-node = 4\n'
    )
    own = (
        'extend = "../base.toml"\nignore = ["DS"]\nextend-ignore = ["NET002"]\n'
        "[site]\ngpus-per-node = 8\n"
    )
    tree(tmp_path, {"base.toml": base, "team/cfglint.toml": own})
    found = load(tmp_path / "team/cfglint.toml")
    assert found.ignore == ("DS", "NET001", "NET002")
    assert found.exclude == ("old",), "globs follow the folder they are used from"
    assert found.per_file_ignores == {"a/*": ("NET",), "*.sh": ("RUN",)}
    assert (found.site.socket_interface, found.site.gpus_per_node) == ("eth0", 8)
    assert found.origins["site.socket-interface"].endswith("base.toml:8")
    assert found.origins["site.gpus-per-node"].endswith("team/cfglint.toml:5")


def test_extend_in_a_circle(tmp_path: Path) -> None:
    tree(tmp_path, {"a.toml": 'extend = "b.toml"', "b.toml": 'extend = "a.toml"'})
    with pytest.raises(SettingsError, match="extends itself"):
        load(tmp_path / "a.toml")


@pytest.mark.parametrize(
    ("table", "severity"),
    [
        ("", "error"),
        ('PORT004 = "info"', "info"),
        ('port-out-of-range = "info"\nPORT004 = "warning"', "info"),
        ('PORT = "info"', "info"),
        ('PORT = "info"\nPORT004 = "warning"', "warning"),
        ('ALL = "info"\nPORT0 = "warning"', "warning"),
        ('port = "warning"\nALL = "info"', "warning"),
        ('NET = "info"', "error"),
    ],
)
def test_severities_are_overruled(tmp_path: Path, table: str, severity: str) -> None:
    tree(tmp_path, {"a.yaml": BAD, "cfglint.toml": f"[severity]\n{table}\n"})
    data = json.loads(cfglint(tmp_path, "--output-format", "json").out)
    assert [f["severity"] for f in data["findings"] if f["code"] == "PORT004"] == [severity]


@pytest.mark.parametrize(("key", "line"), [("select", 1), ("per-file-ignores", 2), ("severity", 2)])
def test_unknown_rules_in_settings(tmp_path: Path, key: str, line: int) -> None:
    text = {
        "select": 'select = ["port-out-of-rnge"]',
        "per-file-ignores": '[per-file-ignores]\n"a" = ["port-out-of-rnge"]',
        "severity": '[severity]\nport-out-of-rnge = "info"',
    }[key]
    tree(tmp_path, {"a.yaml": BAD, "cfglint.toml": text})
    run = cfglint(tmp_path)
    assert run.code == 2
    assert "unknown rule 'port-out-of-rnge'; did you mean port-out-of-range?" in run.err
    assert f"cfglint.toml:{line}: " in run.err


def test_kinds_overrule(tmp_path: Path) -> None:
    tree(tmp_path, {"conf/x.yaml": "main_process_port: 70000\n"})
    assert cfglint(tmp_path).code == 0
    tree(tmp_path, {"cfglint.toml": '[kinds]\n"conf/*.yaml" = "accelerate"\n'})
    assert "conf/x.yaml:1 PORT004" in places(cfglint(tmp_path, "--output-format", "concise"))


def test_required_version(tmp_path: Path) -> None:
    tree(tmp_path, {"a.yaml": CLEAN, "cfglint.toml": 'required-version = ">=99"\n'})
    run = cfglint(tmp_path)
    assert run.code == 2
    assert "required-version is >=99" in run.err


@pytest.mark.parametrize(
    ("keys", "line"),
    [(("a",), 1), (("t", "b c"), 4), (("t", "d", "e"), 5), (("u", "x"), 7), (("t", "zz"), 3)],
)
def test_lines_of_keys(keys: tuple[str, ...], line: int) -> None:
    text = 'a = 1\n\n[t]  # table\n"b c" = [1,\n2]\nd.e = 3\n'.replace("[1,\n2]", "1")
    text += "[[u]]\nx = 1\n"
    assert line_of(text, keys) == line


# -- the command ---------------------------------------------------------------------------------


def shown(folder: Path, *args: str) -> dict[str, Any]:
    run = cfglint(folder, "settings", "--format", "json", *args)
    assert run.code == 0, run.err
    data: dict[str, Any] = json.loads(run.out)
    return data


def test_settings_shows_where_values_come_from(tmp_path: Path) -> None:
    tree(tmp_path, {"a.yaml": BAD, "cfglint.toml": FULL.replace('"known.json"', '"cfglint.toml"')})
    data = shown(tmp_path, "a.yaml")
    assert data["source"] == "cfglint.toml"
    found = data["settings"]
    assert found["fail-on"] == {"value": "error", "from": "cfglint.toml:8"}
    assert found["site.socket-interface"] == {"value": "ib0", "from": "cfglint.toml:28"}
    assert found["version of torch"]["value"] == "2.4"
    assert found["kind"]["value"] == "accelerate"
    assert shown(tmp_path, "--isolated")["settings"]["fail-on"] == {
        "value": "warning",
        "from": "default",
    }


def test_settings_as_text(tmp_path: Path) -> None:
    text = 'fail-on = "info"\n[per-file-ignores]\n"a*" = ["NET"]\n'
    tree(tmp_path, {"a.yaml": BAD, "cfglint.toml": text})
    lines = cfglint(tmp_path, "settings", "a.yaml").out.splitlines()
    assert lines[0] == "Settings for a.yaml: cfglint.toml"
    rows = [line.split() for line in lines[2:]]
    assert ["fail-on", "info", "cfglint.toml:1"] in rows
    assert ["ignored", "here", "NET", "per-file-ignores", "'a*'"] in rows
    assert cfglint(tmp_path, "settings", "gone.yaml").code == 2
