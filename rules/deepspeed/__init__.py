"""DS: DeepSpeed's config and hostfile."""

KINDS = ("deepspeed", "hostfile")
# What names a config is asked only whether the config is there.
ALSO = dict.fromkeys(
    ("llamafactory", "script", "slurm", "makefile", "justfile", "compose", "dockerfile"),
    ("ds_config_missing",),
) | {"accelerate": ("ds_config_missing", "ds_trainer_mismatch")}
