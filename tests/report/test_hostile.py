"""What a config says cannot drive a terminal or forge an annotation; secrets are in no report."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from cfglint.jobs.linking import linked
from cfglint.model.document import Document
from cfglint.model.edit import Edit, Fix
from cfglint.report import FORMATS, render
from cfglint.report.github import job_summary
from cfglint.report.model import Report, dump
from cfglint.result import Result
from cfglint.rule import WARNING, Related, Rule
from cfglint.settings import Settings
from cfglint.text import SourceText, Span
from cfglint.wording import visible
from tests.commandline import BAD, cfglint, tree

RULE = Rule(code="TEST001", name="test-rule", severity=WARNING, summary="a rule of the tests")
UNWANTED = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]")
MEGABYTE = "x" * 1_000_000
VALUES = {
    "escape": "\x1b]0;owned\x07\x1b[2J\x1b[31m",
    "eight-bit escape": "\x9b2J",
    "command": "::error file=a.yaml,line=1::forged",
    "command on a line of its own": "a\n  ::error::forged\r\n::set-output name=x::y",
    "old command": "a ##[error]forged ##vso[task.setvariable variable=x]y",
    "cdata": "]]></failure><testcase name='forged'/>",
    "markup": "<script>alert(1)</script> | [a](javascript:b) `c` @everyone",
    "percent": "%0A::error::forged%0D",
    "direction": "abc\u202edef\u2066ghi\u200b\u2028jkl",
    "surrogate": "half \ud83d of a pair",
    "tags": "hidden \U000e0041\U000e0042",
    "not xml": "\x00\x0b\ufffe\uffff",
    "megabyte": MEGABYTE,
    "megabyte of lines": "::error::forged\n" * 60_000,
}


def report(value: str, path: str = "a.yaml", source: str | None = None) -> Report:
    """A report of one finding that says a value in every place where a finding can."""
    text = source if source is not None else f"key: {value}\nother: 1\n"
    document = Document(path, Path("/nowhere/a.yaml"), SourceText(text), kind="accelerate")
    other = Document("b.yaml", Path("/nowhere/b.yaml"), SourceText("b: 1\n"), kind="accelerate")
    finding = RULE.finding(
        document,
        Span(5, 5 + len(value)) if source is None else Span(0, len(text)),
        f"the value is {value}",
        cause=value,
        help=f"Do not write {value}\n{value}",
        fix=Fix(value, (Edit(path, Span(0, 3), value),), safe=True),
        related=[Related(other, Span(0, 1), value)],
    )
    project = linked([document, other], Settings(root=Path("/nowhere")), Path("/nowhere"), _none)
    return Report(Result(project, [finding]))


def _none(file: Path, given: bool) -> None:
    return None


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
@pytest.mark.parametrize("name", FORMATS)
def test_values_are_only_text(name: str, value: str) -> None:
    text = render(name, report(value))
    assert UNWANTED.search(text) is None
    text.encode("utf-8")
    assert "##[" not in text
    assert "##vso[" not in text
    commands = [line for line in text.splitlines() if line.lstrip().startswith("::")]
    if name == "github":
        assert len(commands) == 1
        assert commands[0].startswith("::warning file=a.yaml,line=1,")
        assert len(text.splitlines()) == 2, "the command and the summary"
        message = commands[0].split("::", 2)[2]
        assert "%" not in message.replace("%25", "").replace("%0A", "")
        assert message.startswith("the value is ")
    else:
        assert commands == []
    if name in ("json", "sarif", "gitlab", "rdjson"):
        json.loads(text)
    if name == "junit":
        assert len(ET.fromstring(text).findall("*/testcase")) == 2  # a.yaml's finding, clean b.yaml
    # Only a fix's text is given whole: it would not be one otherwise.
    whole = len(value) * 8 if name in ("json", "sarif", "rdjson") else 0
    assert len(text) < 40_000 + whole


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize(
    "path",
    ["::error::x.yaml", "a\n::error::x.yaml", "a\x1b[2J.yaml", "a,line=1::x.yaml", "##[x].yaml"],
)
def test_file_names_are_only_text(name: str, path: str) -> None:
    text = render(name, report("1", path))
    commands = [line for line in text.splitlines() if line.lstrip().startswith("::")]
    assert len(commands) == (1 if name == "github" else 0)
    assert "\x1b" not in text
    assert "##[" not in text
    if name == "github":
        assert commands[0].count("::") == 2, "one at the start and one before the message"


def test_long_lines_are_cut_around_the_place() -> None:
    source = "a" * 500_000 + " port: 70000 " + "b" * 500_000
    text = render("full", report("v", source=source))
    assert max(map(len, text.splitlines())) < 1_500


def test_the_job_summary_has_no_markup_of_a_config() -> None:
    for value in VALUES.values():
        text = job_summary(report(value))
        row = next(line for line in text.splitlines() if line.startswith("| warning"))
        assert row.count("|") == 5
        assert not re.search(r"[<>`@\[\]]", row)
        assert "javascript:" not in row


def test_json_text_says_what_the_data_say() -> None:
    for value in VALUES.values():
        assert json.loads(dump({"a": value})) == {"a": value}


def test_visible_leaves_plain_text_alone() -> None:
    for text in ("port 29500", "::1 and fe80::1", "a ## b", "naïve 日本語 😀", "tab\tand\nline"):
        assert visible(text) == text


# -- secrets -------------------------------------------------------------------------------------

TOKEN = "hf_" + "AbCdEfGhIjKlMnOpQrStUvWxYz012345"
PASSWORD = "Tr0ub4dor&3-horse"
SECRETS = f"HF_TOKEN: {TOKEN}\nDB_PASSWORD: {PASSWORD}\n"


@pytest.mark.parametrize("name", FORMATS)
def test_secrets_are_masked(name: str) -> None:
    for secret in (TOKEN, PASSWORD):
        text = render(name, report(secret, source=SECRETS))
        assert secret not in text
        assert secret[4:20] not in text


def test_a_secret_is_not_cut_out_of_its_mask() -> None:
    one = report(TOKEN, source=SECRETS)
    for length in range(900, 1_100):
        assert TOKEN[:12] not in one.text("x" * length + TOKEN + "y" * 3_000)


def test_no_fix_is_offered_that_would_write_stars() -> None:
    one = report(TOKEN, source=SECRETS)
    assert "fixes" not in json.loads(render("sarif", one))["runs"][0]["results"][0]
    assert "suggestions" not in json.loads(render("rdjson", one))["diagnostics"][0]


def test_secrets_stay_out_of_every_output_of_the_command_line(tmp_path: Path) -> None:
    bad = BAD.replace("70000", f"70000  # HF_TOKEN={TOKEN}")
    tree(tmp_path, {"a.yaml": bad, "b.sh": f"export HF_TOKEN={TOKEN}\naccelerate launch x.py\n"})
    runs = [cfglint(tmp_path, "--output-format", name) for name in FORMATS]
    runs.append(cfglint(tmp_path, "--diff", "--unsafe-fixes"))
    runs.append(cfglint(tmp_path, "baseline", "write"))
    runs.append(cfglint(tmp_path, "--add-ignores", "--diff"))
    for run in runs:
        assert TOKEN not in run.out + run.err
    assert "PORT004" in (tmp_path / "cfglint-baseline.json").read_text()
    assert TOKEN not in (tmp_path / "cfglint-baseline.json").read_text()


def test_a_real_config_of_hostile_values(tmp_path: Path) -> None:
    text = BAD.replace("70000", '"70000\\n::error::forged\\e[2J##[error]x"')
    tree(tmp_path, {"a.yaml": text + 'main_process_ip: "user@::error::x"\n' + "x: ::error::\n"})
    for name in FORMATS:
        run = cfglint(tmp_path, "--output-format", name)
        assert "\x1b" not in run.out
        assert "##[" not in run.out
        forged = [line for line in run.out.splitlines() if line.lstrip().startswith("::error::")]
        assert forged == []
