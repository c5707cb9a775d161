"""Text to trees with spans. These modules know nothing of training."""
