"""The programs that launchers start, and what stands around their names."""
