"""ENV: environment variables."""

KINDS = (
    "compose", "dockerfile", "script", "slurm", "kubernetes", "dotenv", "deepspeed-env", "makefile",
    "justfile", "workflow", "notebook",
)  # fmt: skip
