"""NET: the network that the processes talk over, and its interfaces."""

KINDS = (
    "compose", "dockerfile", "script", "slurm", "kubernetes", "dotenv", "makefile", "justfile", "workflow",
    "notebook",
)  # fmt: skip
