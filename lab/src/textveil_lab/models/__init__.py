"""Models of the lab."""
