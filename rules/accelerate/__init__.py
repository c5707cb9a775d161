"""ACC: accelerate's config and launcher."""

KINDS = (
    "accelerate",
    "script",
    "slurm",
    "compose",
    "dockerfile",
    "kubernetes",
    "makefile",
    "justfile",
    "notebook",
    "workflow",
)
