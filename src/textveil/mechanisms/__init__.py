"""Mechanisms: what is private to what is released, of words, sequences or whole texts, with the guarantee as data."""
