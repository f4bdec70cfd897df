"""Mechanisms of the literature."""
