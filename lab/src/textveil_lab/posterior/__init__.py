"""Posterior of an input given its output: from the channel and public facts alone, word by word."""
