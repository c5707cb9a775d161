"""Folders that hold nothing of a project's own, whatever is looked for."""

SKIPPED = frozenset(
    {
        ".git", ".hg", ".svn", ".jj", "node_modules", "__pycache__", "site-packages", ".tox",
        ".nox", ".venv", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis",
        ".ipynb_checkpoints", ".cache", ".eggs",
    }
)  # fmt: skip
