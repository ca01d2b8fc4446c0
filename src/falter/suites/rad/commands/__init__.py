"""The commands of RAD."""
