"""RUN: the command that starts the job."""

KINDS = (
    "accelerate", "compose", "dockerfile", "script", "slurm", "kubernetes", "makefile", "justfile",
    "workflow", "notebook", "dotenv",
)  # fmt: skip
