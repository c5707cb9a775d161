"""Applying edits: proven by a second reader, written all or nothing."""
