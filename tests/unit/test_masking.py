"""Secrets are told from what only looks like them, and never leave."""

from __future__ import annotations

from pathlib import Path

import pytest

from cfglint.masking import Masker, secrets
from tests.running import cfglint, write

# Built from pieces, so that no scanner of this repository takes them for real.
HF = "hf_" + "aB3dE5gH7jK9mN1pQ3sT5vW7xY9zA1bC3d"
GH = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
AWS = "AKIA" + "J5Q7TZ4KD2MWNV3R"
WANDB = "8d4be5f60213a9c7be8d" + "4f6021a3c97b5e8df460"
WANDB_NEW = "wandb_" + "v1_B72pq4MSIqQHDfXbLPKZotbObv9h_U2Ku7RjKpPSo6Njrkm8Ob2BcM2JZmm"


def found(text: str) -> list[str]:
    return [text[span.start : span.end] for span in secrets(text)]


@pytest.mark.parametrize(
    "text",
    [
        f"x {HF} y", f"HF_TOKEN={HF}", f"ENV HF_TOKEN {HF}", f'"hf_token": "{HF}"', f"- HF_TOKEN={HF}",
        f"https://user:{GH}@github.com", f"aws_access_key_id = {AWS}",
    ],
)  # fmt: skip
def test_known_shapes(text: str) -> None:
    assert len(found(text)) == 1
    assert found(text)[0] in (HF, GH, AWS)


@pytest.mark.parametrize(
    "text",
    ["WANDB_API_KEY=0123456789abcdef0123", "MY_PASSWORD: hunter2-and-more", 'api_key: "a8f5f167f44f4964"',
     "SECRET_KEY = 'x9!kQ2mmPz'", "export MLFLOW_TRACKING_PASSWORD=s3cr3tpass",
     "DB_PASSWORD=correct-horse-battery"],
)  # fmt: skip
def test_told_by_their_names(text: str) -> None:
    assert len(found(text)) == 1


@pytest.mark.parametrize(
    "text",
    ["HF_TOKEN=$HF_TOKEN", "HF_TOKEN=${HF_TOKEN:-}", "token: <your token here>", "max_tokens: 2048123", "pad_token: [PAD]00",
     "HF_TOKEN=hf_xxxxxxxxxxxxxxxxxxxxxxxxxxxx", "API_KEY=changeme", "eos_token: <|im_end|>", "PASSWORD=password",
     "add_special_tokens: true", "SECRET_FILE=/run/secrets/hf", "tokens_per_step: 4000000", "api_key: null", "key: 1234567",
     'curl ${HF_TOKEN:+--header="Authorization: Bearer $HF_TOKEN"}', "SECRET=redis-auth", "credentials='same-origin'",
     "OPENAI_API_KEY=abc-123", "secretKey: connection_string", "hf-token: ($values.hf_token_base64)",
     "aws_access_key_id=S3_ACCESS_KEY,", "# sbatch --export=ALL,OPENAI_API_KEY=sk-proj-... run.job", "HF_TOKEN=hf_9aB..."],
)  # fmt: skip
def test_what_is_no_secret(text: str) -> None:
    assert found(text) == []


def test_masking_keeps_the_length() -> None:
    masker = Masker()
    masker.learn(f"A={HF}")
    assert masker.mask(f"before {HF} after") == f"before {'*' * len(HF)} after"


@pytest.mark.parametrize("form", ["full", "concise", "json"])
def test_no_output_shows_one(tmp_path: Path, form: str) -> None:
    write(tmp_path, {
        "compose.yaml": "services:\n  a:\n    image: b\n    command: torchrun --nnodes=2 --master-port=29500 t.py\n"
                        f"    environment:\n      HF_TOKEN: {HF}  # cfglint: ignore[PORT004]\n",
        "acc.yaml": f"distributed_type: {HF}\nnum_machines: {HF}\nmain_process_ip: {HF}\nmachine_rank: 0\n",
        "run.sh": f"export HF_TOKEN={HF}\ntorchrun --master_addr {HF} --nproc_per_node={HF} t.py\n",
    })  # fmt: skip
    for words in ([], ["--diff"], ["--diff", "--unsafe-fixes"]):
        run = cfglint(tmp_path, "--output-format", form, *words)
        assert HF not in run.out + run.err
        assert HF[4:24] not in run.out + run.err
        assert run.code in (1, 3)


def test_long_lines_take_no_time() -> None:
    for text in (
        "a." * 100_000,
        "TOKEN" * 50_000,
        "key-" * 60_000,
        "=" * 200_000,
        "A_TOKEN " * 30_000,
    ):
        assert found(text) == [] or len(text) > 0


@pytest.mark.parametrize(
    "text",
    [f"wandb login {WANDB}", f"wandb login --relogin '{WANDB}'", f'wandb.login(key="{WANDB}")', f"--wandb-key={WANDB}",
     f"train.py --wandb_api_key {WANDB} \\", f"export WANDB_KEY={WANDB}", f"x {WANDB_NEW} y",
     f'echo "machine api.wandb.ai login user password {WANDB}" > ~/.netrc', f"machine a.b\\n  login user\\n  password {WANDB}"],
)  # fmt: skip
def test_keys_of_weights_and_biases(text: str) -> None:
    assert len(found(text)) == 1
    assert found(text)[0] in (WANDB, WANDB_NEW)


@pytest.mark.parametrize(
    "text",
    ["wandb login $WANDB_API_KEY", "wandb login --relogin", "wandb.login(key=os.environ['K'])", "--wandb-key ${WANDB_KEY}",
     "--hub_token --some_long_option_of_the_program 1", "--hub_token name_of_a_secret_in_the_vault", "wandb_v1_",
     "machine api.wandb.ai login user password $KEY", "the machine has a login page and a password 8d4be5f60213a9c7be8d4f"],
)  # fmt: skip
def test_no_keys_of_weights_and_biases(text: str) -> None:
    assert found(text) == []
