"""Sampling of mechanisms from integer weights."""
