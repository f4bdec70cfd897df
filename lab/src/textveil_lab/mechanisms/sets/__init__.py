"""Mechanisms that map a word to a random set of words."""
