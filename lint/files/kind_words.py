"""The words by which a file of a kind is known, and those that speak against it."""

from __future__ import annotations

# A YAML or JSON file that holds none of these words is of no kind; it is not even parsed.
YAML_WORDS = (
    "distributed_type", "compute_environment", "num_machines", "machine_rank", "main_process_",
    "model_name_or_path", "finetuning_type", "train_dataset", "dist_config", "services",
    "apiVersion", "jobs:", "include:", "networks:",
)  # fmt: skip
JSON_WORDS = (
    "zero_optimization", "zero_optimisation", "train_micro_batch_size_per_gpu",
    "train_batch_size", "gradient_accumulation_steps", "zero_allow_untested_optimizer",
    "steps_per_print", "distributed_type", "compute_environment", "model_name_or_path",
    "file_name", "hf_hub_url", "ms_hub_url", "om_hub_url", "script_url", "cloud_file_name",
    "gradient_clipping", '"cells"', '"apiVersion"',
)  # fmt: skip

ACCELERATE_TYPES = frozenset(
    {
        "NO", "MULTI_CPU", "MULTI_GPU", "MULTI_NPU", "MULTI_MLU", "MULTI_SDAA", "MULTI_MUSA",
        "MULTI_XPU", "MULTI_HPU", "MULTI_NEURON", "DEEPSPEED", "FSDP", "XLA", "TPU",
        "MEGATRON_LM", "MPS", "TP", "DATA_PARALLEL", "MODEL_PARALLEL",
    }
)  # fmt: skip
ACCELERATE_WEAK = frozenset(
    {
        "machine_rank", "num_machines", "main_process_ip", "main_process_port", "rdzv_backend",
        "same_network", "main_training_function", "downcast_bf16", "tpu_use_cluster",
        "num_processes", "mixed_precision", "deepspeed_config", "fsdp_config", "dynamo_config",
        "use_cpu", "gpu_ids",
    }
)  # fmt: skip
LLAMAFACTORY = frozenset(
    {
        "stage", "finetuning_type", "template", "cutoff_len", "dataset_dir", "lora_target",
        "lora_rank", "infer_backend", "export_dir", "quantization_method", "freeze_vision_tower",
        "neat_packing", "preprocessing_num_workers", "overwrite_cache", "pref_loss", "plot_loss",
    }
)  # fmt: skip
# Of these, what many other trainers with a model_name_or_path call theirs, too.
COMMON_IN_TRAINERS = frozenset(
    {"lora_target", "lora_rank", "preprocessing_num_workers", "overwrite_cache"}
)
LLAMAFACTORY_V1 = frozenset(
    {
        "train_dataset", "dist_config", "kernel_config", "peft_config", "model_class",
        "quant_config", "init_config",
    }
)  # fmt: skip
FOREIGN_TO_LLAMAFACTORY = frozenset(
    {
        "base_model", "datasets", "dataset_name", "dataset_mixture", "dataset_mixer", "torch_dtype",
        "sequence_len", "train_type", "tuner_type", "use_peft", "lora_r",
    }
)  # fmt: skip
DEEPSPEED = frozenset(
    {"zero_optimization", "train_micro_batch_size_per_gpu", "zero_allow_untested_optimizer"}
)
DEEPSPEED_WEAK = frozenset(
    {
        "train_batch_size", "gradient_accumulation_steps", "gradient_clipping", "steps_per_print",
        "fp16", "bf16", "bfloat16", "optimizer", "scheduler", "wall_clock_breakdown",
        "activation_checkpointing", "zero_force_ds_cpu_optimizer", "prescale_gradients",
        "communication_data_type", "aio", "amp", "flops_profiler", "comms_logger", "tensorboard",
        "data_types", "zero_optimisation",
    }
)  # fmt: skip
# Names that few other programs use; one of them and another key of DeepSpeed's settle it.
DEEPSPEED_OWN = frozenset(
    {
        "steps_per_print", "wall_clock_breakdown", "prescale_gradients",
        "zero_force_ds_cpu_optimizer", "comms_logger", "activation_checkpointing",
        "flops_profiler", "communication_data_type", "data_efficiency", "compression_training",
        "quantize_training", "hybrid_engine", "elasticity", "sparse_gradients", "autotuning",
        "expert_parallel", "checkpoint", "wandb", "tensorboard",
    }
)  # fmt: skip
DATASET_COLUMNS = frozenset(
    {"file_name", "hf_hub_url", "ms_hub_url", "om_hub_url", "script_url", "cloud_file_name"}
)
# Beside them; an annotation of a recording has a file_name, and much else.
DATASET_OTHERS = frozenset(
    {
        "ranking", "subset", "split", "folder", "num_samples", "formatting", "columns", "tags",
        "dataset_sha1", "cached",
    }
)  # fmt: skip
