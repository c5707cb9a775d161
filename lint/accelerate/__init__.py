"""What `accelerate launch` makes of a config file."""
