"""Findings about cfglint's own comments and state."""
