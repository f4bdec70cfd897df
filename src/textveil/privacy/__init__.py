"""Guarantees as data, their composition and their calibration."""
