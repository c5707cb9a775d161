"""Several Compose files as one project."""
