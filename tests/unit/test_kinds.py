"""What a file is taken for: by content first, by name second."""

from __future__ import annotations

from pathlib import Path

import pytest

from cfglint.files.loading import from_bytes

ACC = "distributed_type: MULTI_GPU\nnum_machines: 1\nnum_processes: 2\n"
DS = '{"zero_optimization": {"stage": 2}, "train_batch_size": 8}'


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("any.yaml", ACC, "accelerate"),
        (
            "any.json",
            '{"distributed_type": "MULTI_GPU", "num_machines": 1, "num_processes": 2}',
            "accelerate",
        ),
        ("any.yaml", "compute_environment: LOCAL_MACHINE\nmachine_rank: 0\n", "accelerate"),
        ("any.yaml", "num_machines: 2\nmachine_rank: 0\nmain_process_port: 1\n", "accelerate"),
        ("any.json", DS, "deepspeed"),
        ("any.conf", DS, "deepspeed"),
        ("any.yaml", DS.replace(", ", ",\n"), "deepspeed"),
        (
            "any.json",
            '{"steps_per_print": 1, "gradient_clipping": 1, "fp16": {"enabled": true}}',
            "deepspeed",
        ),
        ("ds_config.json", '{"fp16": {"enabled": true}, "gradient_clipping": 1.0}', "deepspeed"),
        ("any.yaml", "model_name_or_path: x\nstage: sft\nfinetuning_type: lora\n", "llamafactory"),
        ("any.json", '{"my_data": {"file_name": "a.json"}}', "dataset-info"),
        ("any.yaml", "services:\n  a:\n    image: b\n", "compose"),
        ("any.yaml", "apiVersion: v1\nkind: Pod\n", "kubernetes"),
        ("any.yaml", "on: push\njobs:\n  a:\n    steps: []\n", "workflow"),
        ("any.sh", "torchrun t.py\n", "script"),
        ("any", "#!/usr/bin/env bash\ntorchrun t.py\n", "script"),
        ("any.sh", "#!/bin/bash\n#SBATCH --nodes=2\n", "slurm"),
        ("any.sh", "#!/usr/bin/env\n\ntorchrun t.py\n", "script"),
        ("pod.json", '{"apiVersion": "v1", "kind": "Pod", "spec": {}}', "kubernetes"),
        ("l.json", '{"apiVersion": "v1", "kind": "List", "items": []}', "kubernetes"),
        (
            "job.json",
            '{"kind": "MPIJob", "apiVersion": "kubeflow.org/v2beta1", "spec": {}}',
            "kubernetes",
        ),
        ("s.sh", "sbatch <<EOF\n#SBATCH --nodes=2\nEOF\n", "script"),
        ("s.sh", "cat > j.sh <<-'E O'\n\t#SBATCH -N2\n\tE O\nsbatch j.sh\n", "script"),
        ("s.sh", "#!/bin/bash\n#SBATCH -N2\ncat <<EOF\n#SBATCH -N1\nEOF\n", "slurm"),
        ("s.sh", "#!/bin/bash\ncat > j <<EOF\n#SBATCH -N1\nEOF\n#SBATCH -N2\n", "script"),
        ("s.sh", "#!/bin/bash\nset -e\n#SBATCH -N2\ncat <<EOF\nx\nEOF\n", "slurm"),
        ("s.sh", "#!/bin/bash\ncat <<<x\n#SBATCH -N2\n# cat <<EOF\n#SBATCH -n1\n", "slurm"),
        ("s.sh", "#!/bin/bash\n#SBATCH -N2\nN=$((1 << K))\nK\n", "slurm"),
        (
            "j.sh",
            "#!/bin/bash\n{% if gpus %}\n#SBATCH --gpus={{ gpus }}\n{% endif %}\n",
            "template",
        ),
        ("j.sh", "#!/bin/bash\ncat <<EOF\n{{ .Values.x }}\nEOF\ntorchrun t.py\n", "script"),
        ("j.sh", "#!/bin/bash\ntorchrun --nproc-per-node={{ n }} t.py\n", "template"),
        ("j.sh", "#!/bin/bash\n#SBATCH --nodes={{ n | default(2) }}\n", "template"),
        ("j.sh", '#!/bin/bash\nP=${P:-"{{ text }}"}\ntorchrun t.py --prompt $P\n', "script"),
        ("j.sh", "#!/bin/bash\n#SBATCH -N2\n# echo {{ n }}\n", "slurm"),
        ("j.sh", "#!/bin/bash\ndocker ps --format '{{ .Names }} {{ end }} {{.ID}}'\n", "script"),
        ("j.sh", "#!/bin/bash\ncp {{a,b}_c,d}.py $x\n", "script"),
        (
            "ns.tftpl.yaml",
            "apiVersion: v1\nkind: Namespace\n%{ if x }a: ${x}%{ endif }\n",
            "template",
        ),
        ("Dockerfile", "FROM a\n", "dockerfile"),
        ("gpu.Dockerfile", "FROM a\n", "dockerfile"),
        ("any", "ARG A=1\nFROM a:$A\n", "dockerfile"),
        (".env", "A=1\n", "dotenv"),
        ("train.env", "A=1\n", "dotenv"),
        (".deepspeed_env", "A=1\n", "deepspeed-env"),
        ("hostfile", "worker-1 slots=8\n", "hostfile"),
        ("host.txt", "worker-1 slots=8\n", "hostfile"),
        ("Makefile", "run:\n\ttorchrun t.py\n", "makefile"),
        ("justfile", "run:\n  torchrun t.py\n", "justfile"),
        ("a.ipynb", '{"cells": []}', "notebook"),
    ],
)
def test_kinds(name: str, text: str, kind: str) -> None:
    document = from_bytes(text.encode(), name, Path(name))
    assert (document.kind, bool(document.reason)) == (kind, True)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("any.yaml", "a: 1\n"),
        ("any.yaml", "services: [a, b]\n"),
        ("any.yaml", "base_model: x\ndatasets: []\nstage: 1\n"),
        ("any.json", '{"a": {"b": 1}}'),
        ("test.json", '{"6_56": {"file_name": "{root}/a.wav", "digit": "6", "len": 12624}}'),
        ("package.json", '{"scripts": {"fp16": "x"}}'),
        ("broken.yaml", "a: [\n"),
        ("any.conf", "server { listen 80; }\n"),
        ("host.txt", "some words about a host\n"),
        ("test_parse_hostfile.py", "import pytest\n"),
        ("hostfile.patch", "--- /dev/null\n+++ b/hostfile\n@@ -0,0 +1 @@\n+w1 slots=8\n"),
        ("hosts.md", "Write a hostfile:\n\nworker-1 slots=8\n"),
        ("Dockerfile.gpu.patch", "--- a/Dockerfile\n"),
        ("dockerfile.png", "PNG"),
        ("vlm.yaml", "_target_: m.Vlm\nmodel_name_or_path: x\ntemplate: qwen\n"),
        ("Dockerfile.dockerignore", "*.pyc\n"),
        ("any", "#!/usr/bin/env python3\nFROM = 1\n"),
        ("run.py", "import os\n"),
        ("package.json", '{"name": "x", "kind": "Pod", "version": "1.0.0"}'),
        ("answer.json", '{"apiVersion": "2.1", "kind": "youtube#videoListResponse", "items": []}'),
        ("arm.json", '{"apiVersion": "2023-01-01", "kind": "StorageV2", "spec": {}}'),
        ("template.json", '{"resources": [{"apiVersion": "v1", "kind": "Pod", "spec": {}}]}'),
        ("app.json", '{"apiVersion": "v1", "kind": "App"}'),
    ],
)
def test_strangers(name: str, text: str) -> None:
    assert from_bytes(text.encode(), name, Path(name)).kind is None


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.yaml.j2", ACC),
        ("acc.yaml", ACC + "main_process_port: {{ port }}\n"),
        ("acc.yaml", "{% if x %}\n" + ACC + "{% endif %}\n"),
        ("pod.yaml", "apiVersion: v1\nkind: Pod\nmetadata:\n  name: {{ .Release.Name }}\n"),
        (
            "ds.json",
            '{"zero_optimization": {"stage": CONFIG_STAGE}, "train_batch_size": CONFIG_BATCH}',
        ),
    ],
)
def test_templates(name: str, text: str) -> None:
    assert from_bytes(text.encode(), name, Path(name)).kind == "template"


@pytest.mark.parametrize(
    ("name", "text", "kind", "code"),
    [
        ("acc.yaml", ACC + "x: [\n", "accelerate", "SYN002"),
        ("docker-compose.yml", "services:\n  a: [\n", "compose", "SYN002"),
        ("ds.json", DS[:-1], "deepspeed", "SYN003"),
    ],
)
def test_files_that_do_not_parse(name: str, text: str, kind: str, code: str) -> None:
    document = from_bytes(text.encode(), name, Path(name))
    assert document.kind == kind
    assert "does not parse" in document.reason
    assert [p.code for p in document.problems] == [code]


def test_a_dollar_before_braces_is_no_template() -> None:
    text = 'services:\n  a:\n    image: b\n    command: echo "$${HOME} ${{X}}"\n'
    assert from_bytes(text.encode(), "compose.yaml", Path("compose.yaml")).kind == "compose"


def test_the_settings_may_say_otherwise() -> None:
    document = from_bytes(b"a: 1\n", "x.yaml", Path("x.yaml"), kind="accelerate")
    assert (document.kind, document.reason) == ("accelerate", "the settings say so")


def test_blank_lines_take_no_time() -> None:
    import time

    started = time.process_time()
    for text in (
        "\n" * 50_000 + "x",
        "ARG a\n" * 20_000,
        "# x\n" * 20_000,
        " \n" * 50_000,
        "#!" + "/sh" * 20_000,
    ):
        from_bytes(text.encode(), "any", Path("any"))
    assert time.process_time() - started < 5
