"""RUN: the command that starts the job."""

KINDS = (
    "compose", "dockerfile", "script", "slurm", "kubernetes", "makefile", "justfile", "workflow",
    "notebook", "dotenv",
)  # fmt: skip
# A config has no words of a command; only its own settings can be asked about.
ALSO = {"accelerate": ("ds_multinode_launcher",)}
