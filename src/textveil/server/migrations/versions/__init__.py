"""The steps, each on the one before."""
