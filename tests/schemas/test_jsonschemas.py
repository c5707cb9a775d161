"""The printed schemas: valid draft 2020-12, and as open as the real loaders."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from cfglint.jsonschemas import build


def errors(name: str, data: Any, version: str | None = None) -> list[str]:
    return [error.message for error in Draft202012Validator(build(name, version)).iter_errors(data)]


@pytest.mark.parametrize("name", ["accelerate", "deepspeed", "llamafactory", "cfglint"])
def test_schemas_are_valid(name: str) -> None:
    schema = build(name)
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"].endswith("2020-12/schema")
    assert schema["title"]


def test_unknown_names_are_refused() -> None:
    with pytest.raises((KeyError, FileNotFoundError)):
        build("slurm")


CLUSTER = {"distributed_type": "FSDP", "num_processes": 8}


@pytest.mark.parametrize(
    "more",
    [
        {"mixed_precision": "BF16"},
        {"distributed_type": False},
        {"fsdp_config": {"fsdp_version": 2, "unheard_of": 1}},
        {"fsdp_config": {"version": 2}},
        {"fsdp_config": None},
        {"compute_environment": "LOCAL_MACHINE", "downcast_bf16": "no", "same_network": True},
        {"fp16": True},
    ],
)
def test_what_accelerate_takes(more: dict[str, Any]) -> None:
    assert errors("accelerate", CLUSTER | more) == []


@pytest.mark.parametrize(
    "more",
    [
        {"mixed_precision": False},
        {"mixed_precision": "fp32"},
        {"distributed_type": "multi_gpu"},
        {"num_process": 2},
        {"fsdp_config": {"fsdp_version": 3}},
        {"fsdp_config": {"version": 3}},
        {"ec2_instance_type": "x"},
    ],
)
def test_what_accelerate_refuses(more: dict[str, Any]) -> None:
    assert errors("accelerate", CLUSTER | more)


def test_sagemaker_is_another_form() -> None:
    data = {
        "compute_environment": "AMAZON_SAGEMAKER",
        "distributed_type": "DATA_PARALLEL",
        "ec2_instance_type": "x",
        "iam_role_name": "r",
    }
    assert errors("accelerate", data) == []
    assert errors("accelerate", data | {"num_processes": 2})


def test_a_release_knows_its_own_keys() -> None:
    assert errors("accelerate", CLUSTER | {"ipex_config": {}}, "1.12.0") == []
    assert errors("accelerate", CLUSTER | {"ipex_config": {}}, "1.13.0")


def test_the_settings_schema_knows_every_setting() -> None:
    from cfglint import settingkeys

    assert set(build("cfglint")["properties"]) == set(settingkeys.KEYS)


@pytest.mark.parametrize(
    ("table", "right"),
    [
        ({"ignore": ["PORT001"], "versions": {"accelerate": "1.15.0"}}, True),
        ({"site": {"port-range": [20000, 20999]}, "job": [{"files": ["a*.yaml"]}]}, True),
        ({"versions": {"acelerate": "1"}}, False),
        ({"fail-on": "fatal"}, False),
        ({"site": {"port-range": [1]}}, False),
    ],
)
def test_settings_tables(table: dict[str, Any], right: bool) -> None:
    assert (errors("cfglint", table) == []) is right
