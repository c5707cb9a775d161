"""SLURM: sbatch scripts."""

KINDS = ("slurm", "script")
