"""Findings as text and data: one module for each format."""
