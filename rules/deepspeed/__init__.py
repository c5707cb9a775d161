"""DS: DeepSpeed's config and hostfile."""

KINDS = ("deepspeed", "hostfile", "llamafactory")
# What names a config is asked only whether the config is there.
ALSO = dict.fromkeys(("accelerate", "script", "slurm"), ("ds_config_missing",))
