"""Mechanisms at one verified guarantee: what each keeps and what each gives away, with the limits as lines."""
