"""From paths to documents: what a run reads, and which kind of file each is."""
