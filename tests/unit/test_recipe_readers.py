"""Commands inside other files: Makefiles, justfiles, workflows, notebooks; Kubernetes manifests."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cfglint.files import loading
from cfglint.fixing.witness import check
from cfglint.model.document import Document
from cfglint.model.edit import Edit
from cfglint.model.launch import Launch
from cfglint.model.values import Computed, Literal, Unknown, Variable, possible


def load(name: str, text: str) -> Document:
    return loading.from_bytes(text.encode(), name, Path("/project") / name)


def one(document: Document) -> Launch:
    assert not document.problems
    (launch,) = document.launches
    return launch


def after(document: Document, edit: Edit | None) -> str:
    assert edit is not None
    return check(document, [edit])


MAKEFILE = """\
GPUS ?= 8
PORT = 29500
export NCCL_DEBUG := WARN
.PHONY: train
train: data  # all of it
\t@echo $(GPUS)
\t-torchrun --nproc_per_node=$(GPUS) --master_port=$(PORT) \\
\t\t--node_rank=$$RANK train.py
"""


def test_makefile_recipe() -> None:
    document = load("Makefile", MAKEFILE)
    launch = one(document)
    settings = launch.settings
    assert settings["nproc_per_node"].value == Variable("GPUS", Literal("8"), ":-")
    assert settings["master_port"].number == 29500
    assert document.source.slice(settings["master_port"].span) == "29500"
    assert settings["node_rank"].value == Variable("RANK")
    assert launch.env["NCCL_DEBUG"].text == "WARN"
    assert launch.program
    assert launch.program.text == "train.py"
    assert "PORT = 29600\n" in after(document, settings["master_port"].write("29600"))


def test_makefile_dollar_signs_are_doubled() -> None:
    document = load("Makefile", "t:\n\ttorchrun --master_port=29500 train.py\n")
    port = Variable("MASTER_PORT", Literal("29500"), ":-")
    text = after(document, one(document).settings["master_port"].write(port))
    assert "--master_port=$${MASTER_PORT:-29500} train.py" in text


def test_justfile_recipes() -> None:
    document = load(
        "justfile",
        'port := "29500"\nexport NCCL_DEBUG := "WARN"\n\n'
        "train gpus:\n    @torchrun --nproc_per_node={{gpus}} --master_port={{ port }} train.py\n\n"
        "sft:\n    #!/usr/bin/env bash\n    export NNODES=1\n    llamafactory-cli train a.yaml\n",
    )
    first, second = document.launches
    assert first.settings["master_port"].number == 29500
    assert first.settings["nproc_per_node"].value == Variable("gpus")
    assert first.env["NCCL_DEBUG"].text == "WARN"
    assert second.launcher == "llamafactory"
    assert second.settings["nnodes"].text == "1"


WORKFLOW = """\
on: push
env: {NCCL_DEBUG: WARN}
jobs:
  train:
    runs-on: gpu
    env:
      PORT: "29500"
    steps:
      - uses: actions/checkout@v4
      - name: train
        env: {A: "${{ secrets.A }}"}
        run: |
          echo start
          torchrun --nproc_per_node=${{ inputs.gpus }} --master_port=$PORT train.py
      - shell: pwsh
        run: torchrun train.py
"""


def test_workflow_step() -> None:
    document = load("ci.yml", WORKFLOW)
    assert document.kind == "workflow"
    launch = one(document)
    assert launch.settings["nproc_per_node"].value == Unknown("${{ inputs.gpus }}")
    assert launch.settings["master_port"].text == "29500"
    assert document.source.slice(launch.settings["master_port"].span) == '"29500"'
    assert launch.env["NCCL_DEBUG"].text == "WARN"
    assert isinstance(launch.env["A"].value, Unknown)


def notebook(*cells: list[str]) -> str:
    cells_ = [{"cell_type": "code", "source": cell} for cell in cells]
    return json.dumps(
        {"cells": cells_, "nbformat": 4},
        indent=1,
    )


def test_notebook_cells() -> None:
    document = load(
        "train.ipynb",
        notebook(
            ["import os\n", 'os.environ["MASTER_PORT"] = "29500"  # é\n', "%env NNODES=1"],
            ["n = 2\n", "!torchrun --nproc_per_node={n} \\\n", "  --master_port 29501 train.py"],
            ["%%bash\n", "llamafactory-cli train a.yaml\n"],
        ),
    )
    first, second = document.launches
    assert first.settings["nproc_per_node"].value == Unknown("{n}")
    assert first.settings["master_port"].number == 29501
    assert document.source.slice(first.settings["master_port"].span) == "29501"
    assert second.settings["master_port"].text == "29500"
    assert second.settings["nnodes"].text == "1"
    assert "--master_port 29502 train.py" in after(
        document, first.settings["master_port"].write("29502")
    )
    assert '\\"29503\\"' in after(document, second.settings["master_port"].write("29503"))


POD = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: sft}
spec:
  nprocPerNode: "4"
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      template:
        spec: &pod
          containers:
            - name: pytorch
              image: img:1
              env:
                - name: PORT
                  value: "29500"
                - {name: ENDPOINT, value: $(PORT)}
                - {name: IP, valueFrom: {fieldRef: {fieldPath: status.podIP}}}
              command: [bash, -c]
              args:
                - torchrun --rdzv_endpoint=m:$(PORT) --local_addr $IP train.py
              resources: {limits: {nvidia.com/gpu: 4}}
    Worker:
      replicas: 3
      template:
        spec: *pod
"""


def test_kubernetes_pod() -> None:
    document = load("job.yaml", POD)
    launch = one(document)
    assert launch.machines() == 4
    assert launch.env["ENDPOINT"].text == "29500"
    own = launch.env["IP"].value
    assert isinstance(own, Computed)
    assert (own.per_node, own.idiom) == (True, "hostname-ip")
    assert launch.settings["endpoint_port"].text == "29500"
    assert launch.settings["nproc_per_node"].text == "4"
    assert isinstance(launch.settings["master_addr"].value, Unknown)
    assert launch.network.mode == "pod"
    assert launch.container
    assert (launch.container.name, launch.container.gpus) == ("pytorch", 4)
    workload = document.workloads[0]
    assert [(pod.role, pod.replicas) for pod in workload.pods] == [("Master", 1), ("Worker", 3)]


def test_kubernetes_edits_speak_for_every_alias() -> None:
    document = load("job.yaml", POD)
    launch = one(document)
    assert 'value: "29501"' in after(document, launch.env["PORT"].write("29501"))
    assert "name: PORT\n" not in after(document, launch.env["PORT"].remove())
    added = after(document, launch.set_env("NCCL_DEBUG", "WARN"))
    assert "                - name: NCCL_DEBUG\n                  value: WARN\n" in added
    assert launch.container
    assert launch.container.set_option
    edits = launch.container.set_option("shm_size", "16gb")
    assert edits
    text = check(document, edits)
    assert "mountPath: /dev/shm" in text
    assert "medium: Memory" in text


def test_kubernetes_envsubst_is_not_a_value() -> None:
    text = POD.replace("replicas: 3", "replicas: $N").replace("[bash, -c]", "[torchrun]")
    text = text.replace(
        "torchrun --rdzv_endpoint=m:$(PORT) --local_addr $IP train.py", "--nnodes=$N"
    )
    launch = one(load("job.yaml", text))
    assert launch.settings["nnodes"].value == Variable("N")
    assert launch.nodes is None


@pytest.mark.parametrize(
    ("text", "port"),
    [
        ("X := 1\nifdef A\n  X := 2\nendif\n", ("1", "2")),
        ("ifdef A\nX := 2\nelse\nX := 3\nendif\n", ("2", "3")),
        ("X = 0\nifeq ($(A),1)\nX=1\nelse ifeq ($(A),2)\nX=2\nelse\nX=3\nendif\n", ("1", "2", "3")),
        ("X = 0\nifeq ($(A),1)\nX=1\nelse ifeq ($(A),2)\nX=2\nendif\n", ("0", "1", "2")),
        ("ifeq ($(A),1)\nX=1\nendif\nX=4\n", ("4",)),
        ("ifndef X\nX = 2\nendif\n", ("2",)),
        ("ifdef A\nX=1\nendif\nX ?= 2\n", ("1", "2")),
        ("X = 1\nX ?= 2\nifndef X\nX = 3\nendif\n", ("1",)),
        ("define d\nX := 3\nendef\nX := 1\n", ("1",)),
        ("override X = 1\n", ("1",)),
    ],
)
def test_conditionals_of_make_leave_open_which_line_counts(
    text: str, port: tuple[str, ...]
) -> None:
    launch = one(load("Makefile", text + "t:\n\ttorchrun --master_port=$(X) train.py\n"))
    assert tuple(possible(launch.value("master_port"))) == port
    sure = len(port) == 1 and "ifndef X\nX = 2" not in text
    assert isinstance(launch.value("master_port"), Literal) is sure


@pytest.mark.parametrize(
    ("line", "exported"),
    [("export A X # both\n", True), ("export\n", True), ("unexport X\n", False), ("", False)],
)
def test_what_make_exports(line: str, exported: bool) -> None:
    launch = one(load("Makefile", f"X := 1\n{line}t:\n\ttorchrun train.py\n"))
    assert ("X" in launch.env) is exported


def test_variables_of_one_target() -> None:
    document = load(
        "Makefile",
        "export NCCL_DEBUG = WARN\nMODE = a\n"
        "train eval: export CUDA_VISIBLE_DEVICES = 0,1\ntrain: NCCL_DEBUG = INFO\ntrain: MODE := b\n"
        "train: data\n\ttorchrun --standalone --nproc_per_node=2 train.py $(MODE)\n"
        "eval:\n\ttorchrun --standalone --nproc_per_node=2 eval.py $(MODE)\n"
        "test: data\n\ttorchrun --standalone --nproc_per_node=2 test.py $(MODE)\n",
    )
    train, evaluation, test = document.launches
    assert [x.env.get("CUDA_VISIBLE_DEVICES") is not None for x in document.launches] == [
        True,
        True,
        False,
    ]
    assert [x.env["NCCL_DEBUG"].text for x in document.launches] == ["INFO", "WARN", "WARN"]
    assert "MODE" not in train.env
    assert [x.program.args[0].text for x in (train, evaluation, test) if x.program] == [
        "b",
        "a",
        "a",
    ]


def test_all_variables_of_a_makefile_are_exported() -> None:
    text = "CUDA_VISIBLE_DEVICES = 0,1\n\ntrain:\n\ttorchrun --standalone train.py\n"
    assert "CUDA_VISIBLE_DEVICES" not in one(load("Makefile", text)).env
    launch = one(load("Makefile", f".EXPORT_ALL_VARIABLES:\n{text}"))
    assert launch.env["CUDA_VISIBLE_DEVICES"].text == "0,1"


def test_env_expressions_of_a_workflow() -> None:
    document = load(
        ".github/workflows/t.yml",
        "on: push\nenv: {PORT: 29600, NODES: 1}\njobs:\n  a:\n    runs-on: gpu\n    env: {NODES: 2}\n    steps:\n"
        "      - run: torchrun --nnodes=${{ env.NODES }} --master_port ${{env.PORT}} --nproc_per_node=${{ env.OTHER }} t.py\n",
    )
    settings = one(document).settings
    assert settings["nnodes"].text == "2"
    assert settings["master_port"].number == 29600
    assert settings["nproc_per_node"].text is None
    edit = settings["master_port"].write("29700")
    assert after(document, edit).count("29700") == 1
