"""Mechanisms that map a vector computed from a text to a random vector, which is released as it is."""
