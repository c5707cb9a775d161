"""The rules, one module each, in the folder of their family."""
