"""A tree of configs as repositories hold them: the same every time, most of them sound.

40 % accelerate YAML, 20 % DeepSpeed JSON, 30 % LLaMA-Factory YAML, 10 % compose files.
"""

from __future__ import annotations

import json
import random
from pathlib import Path

MODELS = ("Qwen/Qwen2.5-7B-Instruct", "meta-llama/Llama-3.1-8B", "mistralai/Mistral-7B-v0.3")
TEMPLATES = ("qwen", "llama3", "mistral")


def make_tree(folder: Path, count: int, seed: int = 1) -> None:
    """Write `count` files below a folder, ten to each subfolder."""
    chance = random.Random(seed)
    for number in range(count):
        place = folder / f"team{number // 100:02d}" / f"run{number // 10:03d}"
        place.mkdir(parents=True, exist_ok=True)
        kind = ("accelerate", "deepspeed", "accelerate", "llamafactory", "accelerate",
                "llamafactory", "deepspeed", "accelerate", "llamafactory", "compose")[number % 10]  # fmt: skip  # noqa: E501
        name, text = MAKERS[kind](chance, number)
        (place / name).write_text(text, encoding="utf-8")


def accelerate(chance: random.Random, number: int) -> tuple[str, str]:
    """A config of one machine or of several, now and then with a section."""
    machines = chance.choice((1, 1, 1, 2))
    lines = [
        "compute_environment: LOCAL_MACHINE",
        "debug: false",
        f"distributed_type: {chance.choice(('MULTI_GPU', 'FSDP', 'DEEPSPEED'))}",
        "downcast_bf16: 'no'",
        "enable_cpu_affinity: false",
        "machine_rank: 0",
        "main_training_function: main",
        f"mixed_precision: {chance.choice(('bf16', 'fp16'))}",
        f"num_machines: {machines}",
        f"num_processes: {8 * machines}",
        "rdzv_backend: static",
        "same_network: true",
        "tpu_env: []",
        "tpu_use_cluster: false",
        "tpu_use_sudo: false",
        "use_cpu: false",
    ]
    if machines > 1:
        lines += [
            f"main_process_ip: 10.0.{number % 250}.4",
            f"main_process_port: {20_000 + number}",
        ]
    if "FSDP" in lines[2]:
        lines += [
            "fsdp_config:",
            "  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP",
            "  fsdp_offload_params: false",
            "  fsdp_sharding_strategy: FULL_SHARD",
            "  fsdp_state_dict_type: SHARDED_STATE_DICT",
        ]
    elif "DEEPSPEED" in lines[2]:
        lines += [
            "deepspeed_config:",
            "  gradient_accumulation_steps: 1",
            "  zero3_init_flag: true",
            "  zero_stage: 3",
        ]
    return f"accelerate_{number}.yaml", "\n".join(lines) + "\n"


def deepspeed(chance: random.Random, number: int) -> tuple[str, str]:
    """A config for the Hugging Face Trainer, ZeRO 2 or 3."""
    stage = chance.choice((2, 3))
    zero: dict[str, object] = {
        "stage": stage,
        "overlap_comm": True,
        "contiguous_gradients": True,
        "reduce_bucket_size": "auto",
    }
    if stage == 3:
        zero |= {
            "offload_optimizer": {"device": "cpu", "pin_memory": True},
            "stage3_prefetch_bucket_size": "auto",
            "stage3_param_persistence_threshold": "auto",
            "stage3_gather_16bit_weights_on_model_save": True,
        }
    config = {
        "bf16": {"enabled": "auto"},
        "zero_optimization": zero,
        "gradient_accumulation_steps": "auto",
        "gradient_clipping": "auto",
        "train_batch_size": "auto",
        "train_micro_batch_size_per_gpu": "auto",
        "steps_per_print": chance.choice((10, 100, 2000)),
        "wall_clock_breakdown": False,
    }
    return f"ds_config_{number}.json", json.dumps(config, indent=4) + "\n"


def llamafactory(chance: random.Random, number: int) -> tuple[str, str]:
    """A config for supervised fine-tuning with LoRA."""
    which = chance.randrange(len(MODELS))
    return (
        f"train_{number}.yaml",
        f"""\
### model
model_name_or_path: {MODELS[which]}
trust_remote_code: true

### method
stage: sft
do_train: true
finetuning_type: lora
lora_rank: {chance.choice((8, 16, 64))}
lora_target: all

### dataset
dataset: identity,alpaca_en_demo
template: {TEMPLATES[which]}
cutoff_len: 2048
max_samples: {chance.choice((1000, 5000))}
preprocessing_num_workers: 16

### output
output_dir: saves/run-{number}/lora/sft
logging_steps: 10
save_steps: 500
plot_loss: true
overwrite_output_dir: true

### train
per_device_train_batch_size: {chance.choice((1, 2, 4))}
gradient_accumulation_steps: 8
learning_rate: 1.0e-4
num_train_epochs: 3.0
lr_scheduler_type: cosine
warmup_ratio: 0.1
bf16: true
ddp_timeout: 180000000
""",
    )


def compose(chance: random.Random, number: int) -> tuple[str, str]:
    """A project with a trainer and a tracker."""
    return (
        "compose.yaml",
        f"""\
services:
  trainer:
    image: registry.example.com/team/train:{number}
    command: torchrun --standalone --nproc-per-node={chance.choice((2, 4, 8))} train.py -c cfg.yaml
    shm_size: 16gb
    environment:
      NCCL_DEBUG: WARN
      WANDB_MODE: offline
      OMP_NUM_THREADS: "8"
    volumes:
      - ./data:/data:ro
      - ./outputs:/outputs
    deploy:
      resources:
        reservations:
          devices:
            - driver: nvidia
              count: all
              capabilities: [gpu]
    depends_on:
      - tracker
  tracker:
    image: ghcr.io/mlflow/mlflow:v2.14.1
    command: mlflow server --host 0.0.0.0
    ports:
      - "5000:5000"
""",
    )


MAKERS = {
    "accelerate": accelerate,
    "deepspeed": deepspeed,
    "llamafactory": llamafactory,
    "compose": compose,
}
