"""Channels: explicit tables P(y given x) with integer weights."""
