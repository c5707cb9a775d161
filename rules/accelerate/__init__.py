"""ACC: accelerate's config and launcher."""

KINDS = (
    "accelerate",
    "script",
    "slurm",
    "compose",
    "dockerfile",
    "makefile",
    "notebook",
    "workflow",
)
