"""Numerics of the lab."""
