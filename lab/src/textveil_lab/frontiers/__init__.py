"""Mechanisms at one verified guarantee: what each keeps and reveals, with the limits as lines."""
