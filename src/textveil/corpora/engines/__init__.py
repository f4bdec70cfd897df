"""Engines: where blocks are released."""
