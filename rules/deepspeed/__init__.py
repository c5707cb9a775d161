"""DS: DeepSpeed's config and hostfile."""

KINDS = ("deepspeed", "hostfile", "accelerate", "llamafactory", "script", "slurm")
