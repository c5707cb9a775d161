"""Good accelerate configs, one for each way to launch, that the oracle test mutates."""

from __future__ import annotations

from typing import Any

LOCAL: dict[str, Any] = {
    "compute_environment": "LOCAL_MACHINE",
    "mixed_precision": "bf16",
    "num_machines": 1,
    "machine_rank": 0,
    "main_training_function": "main",
    "use_cpu": False,
}
WIDE: dict[str, Any] = LOCAL | {
    "num_machines": 2,
    "num_processes": 8,
    "main_process_ip": "10.1.0.7",
    "main_process_port": 29411,
    "rdzv_backend": "static",
    "same_network": True,
}

BASES: dict[str, dict[str, Any]] = {
    "one": LOCAL | {"distributed_type": "NO", "num_processes": 1, "debug": False},
    "gpus": LOCAL
    | {
        "distributed_type": "MULTI_GPU",
        "num_processes": 4,
        "gpu_ids": "0,1,2,3",
        "main_process_port": 29433,
        "downcast_bf16": "no",
        "enable_cpu_affinity": False,
        "dynamo_config": {
            "dynamo_backend": "INDUCTOR",
            "dynamo_mode": "default",
            "dynamo_use_dynamic": True,
            "dynamo_use_fullgraph": False,
        },
    },
    "nodes": WIDE | {"distributed_type": "MULTI_GPU"},
    "node1": WIDE | {"distributed_type": "MULTI_GPU", "machine_rank": 1},
    "cpus": WIDE | {"distributed_type": "MULTI_CPU", "mixed_precision": "no", "use_cpu": True},
    "fsdp1": LOCAL
    | {
        "distributed_type": "FSDP",
        "num_processes": 8,
        "fsdp_config": {
            "fsdp_version": 1,
            "fsdp_sharding_strategy": "HYBRID_SHARD",
            "fsdp_auto_wrap_policy": "TRANSFORMER_BASED_WRAP",
            "fsdp_transformer_layer_cls_to_wrap": "LlamaDecoderLayer",
            "fsdp_backward_prefetch": "BACKWARD_PRE",
            "fsdp_forward_prefetch": False,
            "fsdp_state_dict_type": "SHARDED_STATE_DICT",
            "fsdp_offload_params": False,
            "fsdp_use_orig_params": True,
            "fsdp_cpu_ram_efficient_loading": True,
            "fsdp_sync_module_states": True,
            "fsdp_activation_checkpointing": False,
        },
    },
    "fsdp1_size": LOCAL
    | {
        "distributed_type": "FSDP",
        "num_processes": 2,
        "fsdp_config": {
            "sharding_strategy": 1,
            "auto_wrap_policy": "SIZE_BASED_WRAP",
            "min_num_params": 20000,
            "state_dict_type": "FULL_STATE_DICT",
            "offload_params": True,
        },
    },
    "fsdp2": WIDE
    | {
        "distributed_type": "FSDP",
        "fsdp_config": {
            "fsdp_version": 2,
            "fsdp_reshard_after_forward": True,
            "fsdp_auto_wrap_policy": "TRANSFORMER_BASED_WRAP",
            "fsdp_cpu_ram_efficient_loading": True,
            "fsdp_offload_params": False,
            "fsdp_state_dict_type": "SHARDED_STATE_DICT",
            "fsdp_activation_checkpointing": True,
            "fsdp_activation_checkpointing_offload": True,
        },
        "parallelism_config": {
            "parallelism_config_dp_replicate_size": 1,
            "parallelism_config_dp_shard_size": 4,
            "parallelism_config_cp_size": 2,
            "parallelism_config_tp_size": 1,
            "parallelism_config_cp_comm_strategy": "alltoall",
        },
    },
    "zero3": LOCAL
    | {
        "distributed_type": "DEEPSPEED",
        "num_processes": 8,
        "deepspeed_config": {
            "zero_stage": 3,
            "gradient_accumulation_steps": 4,
            "gradient_clipping": 1.0,
            "offload_optimizer_device": "cpu",
            "offload_param_device": "none",
            "zero3_init_flag": True,
            "zero3_save_16bit_model": True,
            "deepspeed_multinode_launcher": "standard",
        },
    },
    "zero_file": {k: v for k, v in WIDE.items() if k != "mixed_precision"}
    | {
        "distributed_type": "DEEPSPEED",
        "deepspeed_config": {
            "deepspeed_config_file": "ds.json",
            "deepspeed_multinode_launcher": "standard",
            "zero3_init_flag": False,
        },
    },
    "fp8": LOCAL
    | {
        "distributed_type": "MULTI_GPU",
        "mixed_precision": "fp8",
        "num_processes": 2,
        "fp8_config": {
            "backend": "TE",
            "fp8_format": "E4M3",
            "margin": 0,
            "interval": 1,
            "amax_history_len": 1024,
            "amax_compute_algo": "max",
            "use_autocast_during_eval": False,
            "override_linear_precision": [False, False, True],
        },
    },
    "sequence": LOCAL
    | {
        "distributed_type": "DEEPSPEED",
        "num_processes": 8,
        "deepspeed_config": {"zero_stage": 2},
        "parallelism_config": {
            "parallelism_config_sp_size": 2,
            "parallelism_config_sp_backend": "deepspeed",
            "parallelism_config_sp_seq_length": 4096,
            "parallelism_config_sp_seq_length_is_variable": False,
            "parallelism_config_sp_attn_implementation": "flash_attention_2",
        },
    },
}

DEEPSPEED_FILE = {"train_micro_batch_size_per_gpu": 2, "zero_optimization": {"stage": 2}}
