"""BOX: the container around the job."""

KINDS = (
    "compose",
    "dockerfile",
    "script",
    "slurm",
    "kubernetes",
    "makefile",
    "justfile",
    "workflow",
    "notebook",
)
