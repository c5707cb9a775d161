"""Each format, held against the schema of those who read it."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft4Validator, Draft202012Validator

from tests.commandline import BAD, CLEAN, cfglint, tree

DATA = Path(__file__).parent.parent / "data"
# Findings with a safe fix, without one, with a related place, in a second file, and a broken file.
FILES = {
    "configs/bad.yaml": BAD,
    "configs/clean.yaml": CLEAN,
    "configs/node0.yaml": (
        "compute_environment: LOCAL_MACHINE\ndistributed_type: MULTI_GPU\nmachine_rank: 0\n"
        "main_process_ip: 10.0.0.1\nmain_process_port: 20500\nnum_machines: 2\nnum_processes: 16\n"
    ),
    "configs/node1.yaml": (
        "# é😀 in a comment\n"
        "compute_environment: LOCAL_MACHINE\ndistributed_type: MULTI_GPU\nmachine_rank: 1\n"
        "main_process_ip: 10.0.0.9\nmain_process_port: 20500\nnum_machines: 2\nnum_processes: 16\n"
    ),
    "configs/stale.yaml": CLEAN
    + "machine_rank: 0  # é😀 cfglint: no  # cfglint: ignore[PORT004]\n",
    "configs/broken.yaml": "distributed_type: MULTI_GPU\nnum_machines: [1\n",
}


def test_a_file_that_is_not_text_has_no_line_to_show(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_bytes(BAD.encode() + b"                        # caf\xe9\n")
    out = cfglint(tmp_path).out.splitlines()
    assert out[0].startswith("a.yaml:6:30: error SYN001")
    assert out[1] == "  | not readable: byte 0xe9 is not UTF-8 text"
    assert "^" not in "".join(out)


@cache
def schema(name: str) -> Any:
    return json.loads((DATA / name).read_text())


def errors(validator: Any, name: str, data: Any) -> list[str]:
    found = validator(schema(name)).iter_errors(data)
    return [f"{list(error.absolute_path)}: {error.message[:200]}" for error in found]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tree(tmp_path_factory.mktemp("formats"), FILES)


def findings(folder: Path) -> list[dict[str, Any]]:
    data = json.loads(cfglint(folder, "--output-format", "json").out)
    found: list[dict[str, Any]] = data["findings"]
    return found


def sarif(folder: Path, *args: str) -> dict[str, Any]:
    run = cfglint(folder, "--output-format", "sarif", *args)
    log: dict[str, Any] = json.loads(run.out)
    return log


def test_the_files_show_what_the_formats_must_carry(folder: Path) -> None:
    found = findings(folder)
    codes = {f["code"] for f in found}
    assert {"PORT004", "ADDR007", "META001", "SYN002"} <= codes
    assert any(f["related"] for f in found)
    assert any(f["fix"] and f["fix"]["applicability"] == "safe" for f in found)


# -- SARIF -------------------------------------------------------------------------------------


def test_sarif_is_valid(folder: Path) -> None:
    log = sarif(folder)
    assert errors(Draft4Validator, "sarif-schema-2.1.0.json", log) == []
    run = log["runs"][0]
    assert len(run["results"]) == len(findings(folder))
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    assert all(rule["help"]["markdown"].strip() for rule in rules)
    assert run["columnKind"] == "unicodeCodePoints"


def test_sarif_without_findings_is_valid(tmp_path: Path) -> None:
    log = sarif(tree(tmp_path, {"a.yaml": CLEAN}))
    assert errors(Draft4Validator, "sarif-schema-2.1.0.json", log) == []
    assert log["runs"][0]["results"] == []


def test_sarif_regions_begin_at_one(folder: Path) -> None:
    def regions(data: Any) -> list[dict[str, int]]:
        if isinstance(data, dict):
            own = [data[k] for k in ("region", "deletedRegion") if k in data]
            return own + [r for value in data.values() for r in regions(value)]
        if isinstance(data, list):
            return [r for value in data for r in regions(value)]
        return []

    found = regions(sarif(folder))
    assert len(found) > 5
    assert all(number >= 1 for region in found for number in region.values())
    assert all((r["endLine"], r["endColumn"]) >= (r["startLine"], r["startColumn"]) for r in found)


def test_sarif_carries_related_places_fixes_and_what_was_not_read(folder: Path) -> None:
    run = sarif(folder)["runs"][0]
    by_rule = {result["ruleId"]: result for result in run["results"]}
    related = by_rule["ADDR007"]["relatedLocations"][0]
    assert related["physicalLocation"]["artifactLocation"]["uri"] == "configs/node0.yaml"
    assert related["physicalLocation"]["region"]["startLine"] == 4
    (fix,) = by_rule["META001"]["fixes"]
    (change,) = fix["artifactChanges"]
    assert change["artifactLocation"]["uri"] == "configs/stale.yaml"
    assert change["replacements"][0]["insertedContent"] == {"text": ""}
    notes = run["invocations"][0]["toolExecutionNotifications"]
    uris = [n["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for n in notes]
    assert uris == ["configs/broken.yaml"]


def test_fingerprints_survive_lines_that_move_and_tell_equal_lines_apart(tmp_path: Path) -> None:
    def prints() -> list[str]:
        results = sarif(tmp_path)["runs"][0]["results"]
        return [r["partialFingerprints"]["cfglint/v1"] for r in results]

    tree(tmp_path, {"a.yaml": BAD})
    before = prints()
    tree(tmp_path, {"a.yaml": "# one\n# two\n\n" + BAD})
    assert prints() == before
    tree(tmp_path, {"a.yaml": BAD.replace("70000", "70001")})
    assert prints() != before
    tree(tmp_path, {"a.yaml": BAD + "---\n" + BAD, "b.yaml": BAD})
    assert len(set(prints())) == len(prints()) >= 2


# -- GitLab, rdjson, JUnit -----------------------------------------------------------------------


def test_gitlab_is_valid(folder: Path) -> None:
    issues = json.loads(cfglint(folder, "--output-format", "gitlab").out)
    assert errors(Draft202012Validator, "gitlab-codequality.schema.json", issues) == []
    assert len(issues) == len(findings(folder))
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)
    port = next(issue for issue in issues if issue["check_name"] == "PORT004")
    assert port["severity"] == "major"
    assert port["location"] == {"path": "configs/bad.yaml", "lines": {"begin": 5, "end": 5}}


@pytest.mark.parametrize("name", ["gitlab", "sarif", "github"])
def test_ci_paths_are_those_of_the_checkout(folder: Path, name: str) -> None:
    env = {"GITHUB_WORKSPACE": str(folder)}
    run = cfglint(folder / "configs", "--output-format", name, "bad.yaml", env=env)
    assert "configs/bad.yaml" in run.out


def test_rdjson_is_valid(folder: Path) -> None:
    report = json.loads(cfglint(folder, "--output-format", "rdjson").out)
    assert errors(Draft202012Validator, "rdjson.schema.json", report) == []
    assert len(report["diagnostics"]) == len(findings(folder))


def test_rdjson_suggestions_repair_and_count_bytes(folder: Path) -> None:
    report = json.loads(cfglint(folder, "--output-format", "rdjson").out)
    stale = next(d for d in report["diagnostics"] if d["code"]["value"] == "META001")
    (suggestion,) = stale["suggestions"]
    start, end = suggestion["range"]["start"], suggestion["range"]["end"]
    assert start["line"] == end["line"] == 5
    line = FILES["configs/stale.yaml"].splitlines()[4].encode()
    fixed = line[: start["column"] - 1] + suggestion["text"].encode() + line[end["column"] - 1 :]
    assert fixed.decode() == "machine_rank: 0  # é😀 cfglint: no"


def test_junit_is_valid(folder: Path) -> None:
    xmlschema = pytest.importorskip("xmlschema")
    text = cfglint(folder, "--output-format", "junit").out
    (folder / "out.junit.txt").write_text(text)
    problems = list(
        xmlschema.XMLSchema(str(DATA / "junit-10.xsd")).iter_errors(str(folder / "out.junit.txt"))
    )
    assert [str(problem) for problem in problems] == []
    root = ET.fromstring(text)
    suites = {suite.get("name"): suite for suite in root}
    assert suites["configs/clean.yaml"].find("testcase/failure") is None
    assert suites["configs/clean.yaml"].get("tests") == "1"
    failure = suites["configs/bad.yaml"].find("testcase/failure")
    assert failure is not None
    assert failure.get("type") == "PORT004"
    assert suites["configs/broken.yaml"].find("testcase/error") is not None
    assert int(root.get("failures") or 0) == len(root.findall("*/*/failure"))


def test_junit_passes_what_does_not_fail_the_run(tmp_path: Path) -> None:
    tree(tmp_path, {"a.yaml": BAD})
    text = cfglint(tmp_path, "--output-format", "junit", "--fail-on", "never").out
    root = ET.fromstring(text)
    assert root.get("failures") == root.get("errors") == "0"
    assert "70000" in (root.findtext("*/*/system-out") or "")


# -- GitHub --------------------------------------------------------------------------------------


def test_github_commands(folder: Path) -> None:
    lines = cfglint(folder, "--output-format", "github").out.splitlines()
    port = next(line for line in lines if "PORT004" in line)
    head, _, message = port.removeprefix("::").partition("::")
    assert head == (
        "error file=configs/bad.yaml,line=5,col=20,endColumn=24,endLine=5"
        ",title=PORT004 port-out-of-range"
    )
    assert message.startswith("70000 is no port")
    assert "%0A" in message
    assert sum(line.startswith("::") for line in lines) == len(findings(folder))


def test_github_job_summary(folder: Path, tmp_path: Path) -> None:
    page = tmp_path / "summary.md"
    page.write_text("before\n")
    env = {"GITHUB_STEP_SUMMARY": str(page)}
    cfglint(folder, "--output-format", "github", env=env)
    text = page.read_text()
    assert text.startswith("before\n### cfglint\n")
    rows = [line for line in text.splitlines() if line.startswith("| error")]
    assert any("PORT004" in row and "configs/bad.yaml&#58;5" in row for row in rows)
    before = page.read_text()
    cfglint(folder, "--output-format", "concise", env=env)
    assert page.read_text() == before, "only the github format writes the page"


# -- several at once -----------------------------------------------------------------------------


def test_several_formats_in_one_run(folder: Path, tmp_path: Path) -> None:
    target = tmp_path / "new" / "out.sarif"
    run = cfglint(
        folder, "--output-format", "concise", "--output-format", f"sarif:{target}",
        "--output-format", f"gitlab:{tmp_path / 'q.json'}",
    )  # fmt: skip
    assert "PORT004" in run.out
    assert run.code == 1
    assert json.loads(target.read_text())["version"] == "2.1.0"
    assert len(json.loads((tmp_path / "q.json").read_text())) == len(findings(folder))


def test_output_file(folder: Path, tmp_path: Path) -> None:
    target = tmp_path / "report.txt"
    run = cfglint(folder, "--output-file", str(target))
    assert run.out == ""
    assert "PORT004" in target.read_text()


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--output-format", "sarfi"], "did you mean sarif?"),
        (["--output-format", "full", "--output-format", "json"], "cannot both go to"),
        (["--output-file", "a", "--output-format", "json:b"], "--output-file is for one"),
        (["--statistics", "--output-format", "sarif"], "--statistics goes with"),
        (["--output-file", "configs/bad.yaml"], "cannot be written to it"),
    ],
)
def test_outputs_that_cannot_be(folder: Path, args: list[str], words: str) -> None:
    run = cfglint(folder, *args)
    assert run.code == 2
    assert words in run.err
    assert (folder / "configs/bad.yaml").read_text() == BAD


def test_statistics(folder: Path) -> None:
    text = cfglint(folder, "--statistics").out
    row = next(line for line in text.splitlines() if "META001" in line)
    assert row.split() == ["1", "META001", "warning", "unused-ignore", "all", "with", "--fix"]
    rows = json.loads(cfglint(folder, "--statistics", "--output-format", "json").out)
    assert sum(row["count"] for row in rows) == len(findings(folder))
    assert next(row for row in rows if row["code"] == "META001")["safe_fixes"] == 1
