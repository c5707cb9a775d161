"""SEC: secrets in files."""
