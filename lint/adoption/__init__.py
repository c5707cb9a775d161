"""Which findings are reported: suppressions, baselines, changes since a revision."""
