"""Good LLaMA-Factory configs, from which the mutations are made; each with its command."""

from __future__ import annotations

from typing import Any

MODEL = {"model_name_or_path": "Qwen/Qwen2.5-0.5B-Instruct", "template": "qwen"}
TRAIN = {"do_train": True, "output_dir": "saves/x", "learning_rate": 1.5e-4, "bf16": True}

BASES: dict[str, tuple[str, dict[str, Any]]] = {
    "lora": ("train", {
        **MODEL, "stage": "sft", "finetuning_type": "lora", **TRAIN, "dataset": "identity",
        "lora_rank": 8, "lora_target": "all", "cutoff_len": 2048, "max_samples": 1000,
        "overwrite_cache": True, "preprocessing_num_workers": 4, "dataloader_num_workers": 2,
        "logging_steps": 10, "save_steps": 500, "plot_loss": True, "overwrite_output_dir": True,
        "report_to": "none", "per_device_train_batch_size": 1, "gradient_accumulation_steps": 8,
        "num_train_epochs": 3.0, "lr_scheduler_type": "cosine", "warmup_steps": 10,
        "ddp_timeout": 180000000, "val_size": 0.1, "per_device_eval_batch_size": 1,
        "eval_strategy": "steps", "eval_steps": 500,
    }),
    "deepspeed": ("train", {
        **MODEL, "stage": "sft", "finetuning_type": "full", **TRAIN, "dataset": "identity",
        "deepspeed": {
            "train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": "auto",
            "bf16": {"enabled": "auto"}, "zero_optimization": {"stage": 2},
        },
        "flash_attn": "sdpa", "optim": "adamw_torch", "save_strategy": "epoch",
        "save_total_limit": 2, "max_grad_norm": 1.0, "weight_decay": 0.1, "seed": 42,
    }),
    "quantised": ("train", {
        **MODEL, "stage": "sft", "finetuning_type": "lora", **TRAIN, "dataset": "identity",
        "quantization_bit": 4, "double_quantization": True, "use_rslora": True,
        "upcast_layernorm": True, "neftune_noise_alpha": 5.0, "packing": True,
        "additional_target": "embed_tokens",
    }),
    "dpo": ("train", {
        **MODEL, "stage": "dpo", "finetuning_type": "lora", **TRAIN, "dataset": "dpo_en_demo",
        "pref_beta": 0.1, "pref_loss": "sigmoid", "dpo_label_smoothing": 0.1, "pref_ftx": 0.0,
        "load_best_model_at_end": True, "eval_strategy": "steps", "eval_steps": 100,
        "save_steps": 100, "val_size": 0.1, "metric_for_best_model": "loss",
    }),
    "ppo": ("train", {
        **MODEL, "stage": "ppo", "finetuning_type": "lora", **TRAIN, "dataset": "identity",
        "reward_model": "saves/rm", "reward_model_type": "lora", "ppo_epochs": 4,
        "report_to": "tensorboard", "top_k": 0, "top_p": 0.9, "max_new_tokens": 512,
    }),
    "streaming": ("train", {
        **MODEL, "stage": "pt", "finetuning_type": "freeze", **TRAIN, "dataset": "c4_demo,wiki",
        "streaming": True, "max_steps": 1000, "mix_strategy": "interleave_under",
        "interleave_probs": "0.3,0.7", "buffer_size": 1024, "freeze_trainable_layers": 2,
        "dataloader_prefetch_factor": 2, "dataloader_num_workers": 1, "tokenized_path": None,
    }),
    "galore": ("train", {
        **MODEL, "stage": "sft", "finetuning_type": "full", **TRAIN, "dataset": "identity",
        "use_galore": True, "galore_target": "mlp,self_attn", "galore_rank": 128,
        "galore_scale": 2.0, "optim": "adamw_torch", "pure_bf16": False,
    }),
    "predict": ("train", {
        **MODEL, "stage": "sft", "finetuning_type": "lora", "do_predict": True,
        "predict_with_generate": True, "eval_dataset": "identity", "output_dir": "saves/p",
        "adapter_name_or_path": "saves/a", "per_device_eval_batch_size": 1,
        "image_max_pixels": 262144, "image_min_pixels": 1024, "ddp_timeout": 1800,
    }),
    "fsdp": ("train", {
        **MODEL, "stage": "kto", "finetuning_type": "lora", **TRAIN, "dataset": "kto_en_demo",
        "fsdp": "full_shard auto_wrap", "fsdp_config": {"min_num_params": 1000},
        "hub_strategy": "every_save", "gradient_checkpointing": True, "lora_dropout": 0.05,
    }),
    "chat": ("chat", {
        **MODEL, "finetuning_type": "lora", "adapter_name_or_path": "saves/a",
        "infer_backend": "huggingface", "trust_remote_code": True, "max_new_tokens": 512,
        "temperature": 0.7, "top_p": 0.9, "repetition_penalty": 1.1,
    }),
    "export": ("export", {
        **MODEL, "adapter_name_or_path": "saves/a", "finetuning_type": "lora",
        "export_dir": "merged", "export_size": 5, "export_device": "cpu",
        "export_legacy_format": False,
    }),
}  # fmt: skip
