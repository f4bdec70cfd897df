"""Verdicts on claims: exact for finite channels, in closed form for noise, by sampling for anything callable."""
