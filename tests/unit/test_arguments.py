"""The loader's own checks, asked of values; and what a LLaMA-Factory config comes to."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from cfglint.files import loading
from cfglint.jobs.linking import linked
from cfglint.llamafactory.arguments import Arguments, arguments, form_of
from cfglint.llamafactory.faults import faults, unknown_keys
from cfglint.llamafactory.history import elsewhere, may_know, may_take
from cfglint.releases.check_plan import Plan
from cfglint.releases.checks import UNKNOWN, Checks, Failure
from cfglint.releases.data import Package
from cfglint.settings import Settings

CHECKS = [
    {"when": ["and", "$a", ["<", "$size", 1]], "error": "ValueError", "says": "`size` too small"},
    {"when": ["and", "$a", ["is", "$name", None]], "error": "ValueError", "says": "name"},
    {"tries": ["enum", "$mode", "Mode"]},
    {"tries": ["split", "$words", ","], "when": ["isnot", "$words", None]},
    {"when": ["and", "$late", ["context", "zero3"]], "error": "E", "says": "z", "late": True},
    {"when": ["or", ["context", "zero3"], "$both"], "error": "E", "says": "or"},
    {"when": "#size.1", "error": "E", "says": "bound", "until": "1.0"},
]  # fmt: skip
DEFAULTS = {
    "a": False,
    "size": 8,
    "mode": "x",
    "name": "n",
    "words": None,
    "late": False,
    "both": False,
}


def package() -> Package:
    return Package(
        {
            "package": "p", "versions": ["1.0", "2.0"], "sections": {},
            "checks": CHECKS,
            "bound": {"size.1": [{"is": [">", "$size", 100]}]},
            "settled": {}, "enums": {"Mode": [{"is": ["x", "y"]}]},
        }
    )  # fmt: skip


def failures(given: dict[str, Any], version: str = "2.0", **contexts: Any) -> list[Failure]:
    release = package().at(version)
    context = {"zero3": UNKNOWN, **contexts}
    plan = Plan(release, "train", None, DEFAULTS.__getitem__)
    checks = Checks(release, given, DEFAULTS.__getitem__, context.__getitem__)
    plain = (checks.outcome(step.check, release) for step in plan.steps)
    expected = [failure for failure in plain if failure is not None]
    for _ in range(3):  # the third time its way is known as that of files with its keys
        asked = Checks(release, given, DEFAULTS.__getitem__, context.__getitem__)
        assert list(plan.failures(asked)) == expected
    return expected


def test_what_other_files_answered_changes_nothing() -> None:
    chance = random.Random(4)
    release = package().at("2.0")
    plan = Plan(release, "train", None, DEFAULTS.__getitem__)
    values = {
        "a": (True, False, 1, UNKNOWN), "size": (0, 0.0, False, "0", 8, UNKNOWN),
        "mode": ("x", "z"), "name": (None, "n"), "words": ("a,b", ["a", "b"], [1], None),
        "late": (True, 0), "both": (True, False), "free": range(40),
    }  # fmt: skip
    failed = 0
    for _ in range(2_000):
        keys = chance.sample(sorted(values), chance.choice((1, 2, 7, 8)))
        given = {key: chance.choice(values[key]) for key in keys}
        context = {"zero3": chance.choice((True, False, UNKNOWN))}
        checks = Checks(release, given, DEFAULTS.__getitem__, context.__getitem__)
        plain = (checks.outcome(step.check, release) for step in plan.steps)
        expected = [failure for failure in plain if failure is not None]
        assert list(plan.failures(checks)) == expected, given
        failed += bool(expected)
    assert 500 < failed < 2_000


def test_nothing_given_nothing_fails() -> None:
    assert failures({}) == []


def test_a_combination_names_the_keys_that_decided_it() -> None:
    (failure,) = failures({"a": True, "size": 0})
    assert (failure.error, failure.keys, failure.key) == ("ValueError", ("a", "size"), "")


def test_an_absent_key_that_has_to_be_there() -> None:
    (failure,) = failures({"a": True, "name": None})
    assert (failure.says, failure.missing) == ("name", "")


def test_a_comparison_that_python_refuses_blames_the_value() -> None:
    (failure,) = failures({"a": True, "size": "0"})
    assert (failure.error, failure.key) == ("TypeError", "size")


def test_a_value_outside_an_enum_comes_with_the_choices() -> None:
    (failure,) = failures({"mode": "z"})
    assert (failure.key, failure.choices) == ("mode", ("x", "y"))
    assert failure.says == "z is not a valid Mode, please select one of ['x', 'y']"


def test_text_is_split_and_a_list_is_not() -> None:
    assert failures({"words": "a,b"}) == []
    (failure,) = failures({"words": ["a"]})
    assert (failure.error, failure.key) == ("AttributeError", "words")


@pytest.mark.parametrize(("zero3", "count"), [(True, 2), (False, 0), (UNKNOWN, 0)])
def test_what_is_not_known_fails_nothing(zero3: Any, count: int) -> None:
    found = failures({"late": True}, zero3=zero3)
    assert len(found) == count
    assert all(f.contexts == ("zero3",) for f in found)


def test_an_unknown_beside_a_certainty_does_not_matter() -> None:
    assert [f.says for f in failures({"both": True})] == ["or"]
    assert failures({"a": UNKNOWN, "size": 0}) == []


def test_a_check_lives_from_release_to_release() -> None:
    assert [f.says for f in failures({"size": 200}, "1.0")] == ["bound"]
    assert failures({"size": 200}, "2.0") == []


BASE = """model_name_or_path: Qwen/Qwen2.5-7B
stage: sft
do_train: true
finetuning_type: lora
template: qwen
dataset: identity
output_dir: saves/x
"""


def config(tmp_path: Path, text: str, **versions: str) -> Arguments:
    file = tmp_path / "train.yaml"
    file.write_text(text, encoding="utf-8")
    document = loading.load(file, tmp_path, True, 10**6)
    project = linked([document], Settings(versions=versions), tmp_path, lambda path, given: None)
    found = arguments(document, project)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("text", "form"),
    [
        (BASE, "train"),
        ("model_name_or_path: x\ntemplate: qwen\ninfer_backend: vllm\n", "infer"),
        ("model_name_or_path: x\ntemplate: qwen\nexport_dir: out\n", "export"),
        ("model_name_or_path: x\ntemplate: fewshot\ntask: mmlu_test\nlang: en\n", "eval"),
        ("model: x\ntemplate: qwen3\ntrain_dataset: d.yaml\n", "v1"),
    ],
)
def test_what_a_file_is_for_shows_in_its_keys(tmp_path: Path, text: str, form: str) -> None:
    assert form_of(set(config(tmp_path, text).root.names())) == form


@pytest.mark.parametrize(("version", "value"), [("0.9.3", "1e-4"), ("0.9.5", 1e-4)])
def test_each_release_reads_numbers_in_its_way(tmp_path: Path, version: str, value: Any) -> None:
    given = config(tmp_path, BASE + "learning_rate: 1e-4\n", llamafactory=version)
    assert given.value("learning_rate") == value


def test_transformers_is_the_newest_that_llamafactory_allows(tmp_path: Path) -> None:
    given = config(tmp_path, BASE, llamafactory="0.9.3")
    assert (
        str(given.transformers) == "transformers 4.52.4, the newest that LLaMA-Factory 0.9.3 allows"
    )


def test_one_wrong_value_is_one_fault(tmp_path: Path) -> None:
    text = BASE.replace("lora", "loraa") + "quantization_bit: 4\nuse_dora: true\n"
    assert [(f.kind, f.key) for f in faults(config(tmp_path, text))] == [
        ("value", "finetuning_type")
    ]


def test_a_wrong_word_is_blamed_before_what_follows_from_it(tmp_path: Path) -> None:
    text = BASE.replace("sft", "dpo") + "pref_loss: sigmoidal\ndpo_label_smoothing: 0.1\n"
    assert [(f.kind, f.key) for f in faults(config(tmp_path, text))] == [("value", "pref_loss")]


def test_kinds_of_faults(tmp_path: Path) -> None:
    text = BASE.replace("dataset: identity\n", "") + "streaming: true\nmax_samples: 5\n"
    found = {f.key: f.kind for f in faults(config(tmp_path, text + "optim: adam\nmax_steps: 9\n"))}
    assert found == {"dataset": "missing", "max_samples": "combination", "optim": "value"}


def test_other_releases(tmp_path: Path) -> None:
    given = config(tmp_path, BASE)
    known = elsewhere(given, "group_by_length")
    assert known is not None
    assert known.title.startswith("transformers 5.")
    assert not known.is_newer
    assert elsewhere(given, "no_such_key") is None
    assert may_know(given, "save_safetensors")
    assert not may_know(given, "no_such_key")
    assert may_take(given, "template", "of_tomorrow")
    pinned = config(tmp_path, BASE, llamafactory="0.9.5", transformers="5.6.0")
    assert not may_know(pinned, "save_safetensors")
    assert not may_take(pinned, "template", "of_tomorrow")


def test_unknown_keys_say_what_is_known_of_them(tmp_path: Path) -> None:
    text = BASE + "compute_dtype: x\nper_device_train_batchsize: 1\nsave_safetensors: true\n"
    found = {k.name: k for k in unknown_keys(config(tmp_path, text))}
    assert found["compute_dtype"].reason == "derived"
    assert found["per_device_train_batchsize"].meant == "per_device_train_batch_size"
    assert found["save_safetensors"].idle
    assert not found["save_safetensors"].certain
