"""Measures of results, and their tables."""
