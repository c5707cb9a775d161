"""What LLaMA-Factory makes of its arguments and datasets."""
