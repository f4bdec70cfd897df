"""Channels of the literature."""
