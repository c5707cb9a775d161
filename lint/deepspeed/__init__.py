"""What DeepSpeed, and the trainers that use it, make of a config file."""
