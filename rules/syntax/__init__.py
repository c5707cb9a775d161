"""SYN: files that do not load."""
