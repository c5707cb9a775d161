"""cfglint: a linter and fixer for the files that start distributed training."""

__version__ = "0.1.0"
