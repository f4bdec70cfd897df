"""Mechanisms that release a random vector for a vector computed from a text."""
