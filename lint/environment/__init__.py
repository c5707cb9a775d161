"""The environment of a launch, and who reads what of it."""
