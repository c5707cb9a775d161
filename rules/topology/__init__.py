"""TOPO: nodes, ranks and processes."""

from cfglint.files.kinds import COMMANDS
from cfglint.files.kinds import LAUNCHING as KINDS

# A config has accelerate as its launcher, no srun, no node with a name of its own, and no
# expression that is filled in too early.
ONLY = dict.fromkeys(
    (
        "master_not_rank0", "rank_env_name", "rank_expanded_early", "rank_ignored",
        "slurm_first_node_only", "slurm_ntasks", "slurm_rendezvous_missing",
        "slurm_srun_sequential", "standalone_multinode",
    ),
    COMMANDS,
)  # fmt: skip

__all__ = ["KINDS", "ONLY"]
