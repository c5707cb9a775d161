"""SYN: files that do not load."""

from cfglint.files.kinds import COMMANDS

ONLY = {
    "invalid_dockerfile": ("dockerfile",),
    "merge_conflict": ("script", "slurm", "makefile", "justfile", "dotenv", "deepspeed-env"),
    "shell_assignment_cut": COMMANDS,
    "shell_continuation_broken": COMMANDS,
    "shell_unclosed_quote": ("script", "slurm", "makefile", "justfile", "workflow", "notebook"),
}
