"""What each release of a package takes, and which release a file is judged by."""
