"""The pages of the rules, and the way to them from an error message."""
