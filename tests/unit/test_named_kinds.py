"""Configs that only the command which names them tells for what they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from cfglint.session import Session
from cfglint.settings import Settings

SFT = (
    "stage: sft\ndo_train: true\nfinetuning_type: lora\ntemplate: qwen\ndataset: d\noutput_dir: o\n"
)


def _kinds(folder: Path, files: dict[str, str], given: list[str]) -> dict[str, str | None]:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    paths = [folder / name for name in given]
    project = Session(Settings(root=folder), paths, folder, folder).lint().project
    return {d.path: d.kind for d in project.documents if d.given}


@pytest.mark.parametrize(
    ("command", "name", "text", "kind"),
    [
        ("llamafactory-cli train {}", "c.yaml", SFT, "llamafactory"),
        (
            "llamafactory-cli train {}",
            "c.json",
            '{"stage": "sft", "do_train": true}',
            "llamafactory",
        ),
        ("torchrun -m llamafactory.launcher {}", "c.yaml", SFT, "llamafactory"),
        ("accelerate launch --config_file {} t.py", "a.yaml", "num_processes: 8\n", "accelerate"),
        (
            "accelerate launch --config_file={} t.py",
            "a.yml",
            "mixed_precision: bf16\n",
            "accelerate",
        ),
        ("deepspeed t.py --deepspeed_config {}", "x.json", '{"train_batch_size": 8}', "deepspeed"),
        ("torchrun t.py --deepspeed {}", "x.json", '{"optimizer": {"type": "Adam"}}', "deepspeed"),
        # What speaks against it.
        ("torchrun train.py {}", "c.yaml", SFT, None),
        ("# llamafactory-cli train {}", "c.yaml", SFT, None),
        ("cd $W\nllamafactory-cli train {}", "c.yaml", SFT, None),
        ("llamafactory-cli train {}", "c.yaml", SFT + "base_model: m\n", None),
        ("llamafactory-cli train {}", "c.yaml", "stage: build\nimage: i\nonly: x\n", None),
        ("llamafactory-cli train {}", "c.yaml", "- stage: sft\n", None),
        ("llamafactory-cli train {}", "c.yaml", SFT.replace("sft", "{{{{ stage }}}}"), None),
        ("llamafactory-cli train {}", "c.yaml", "stage: [\n", None),
        ("torchrun t.py --deepspeed {}", "x.json", '{"optimizer": "adam", "lr": 1, "a": 2}', None),
        (
            "accelerate launch --config_file {} t.py",
            "a.yaml",
            "num_processes: 8\nx: 1\ny: 2\n",
            None,
        ),
    ],
)
def test_the_command_says_what_a_file_is(
    tmp_path: Path, command: str, name: str, text: str, kind: str | None
) -> None:
    files = {name: text.replace("{{{{", "{{").replace("}}}}", "}}")}
    files["run.sh"] = "#!/bin/bash\n" + command.format(name) + "\n"
    together = _kinds(tmp_path, files, [name, "run.sh"])
    assert together[name] == kind
    assert _kinds(tmp_path, files, [name])[name] == kind, "whether or not the script was asked for"
    assert _kinds(tmp_path, files, ["run.sh", name])[name] == kind


def test_the_same_name_in_another_folder_is_another_file(tmp_path: Path) -> None:
    files = {"a/c.yaml": SFT, "b/c.yaml": SFT, "b/run.sh": "llamafactory-cli train c.yaml\n"}
    found = _kinds(tmp_path, files, ["a/c.yaml", "b/c.yaml"])
    assert found == {"a/c.yaml": None, "b/c.yaml": "llamafactory"}


def test_what_the_command_gives_beside_the_file_is_not_missing(tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text(SFT)
    (tmp_path / "run.sh").write_text("llamafactory-cli train c.yaml model_name_or_path=m\n")
    result = Session(Settings(root=tmp_path), [tmp_path / "c.yaml"], tmp_path, tmp_path).lint()
    assert [d.kind for d in result.project.documents if d.given] == ["llamafactory"]
    assert [f for f in result.findings if f.rule.code == "LF004"] == []
