"""LF: LLaMA-Factory's config."""

KINDS = ("llamafactory", "dataset-info")
