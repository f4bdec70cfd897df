"""Attacks on a release, measured: whether its records are linked to persons, and what is left that links them."""
