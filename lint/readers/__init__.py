"""From trees to launches: one module for each kind of file."""
