"""Mechanisms that release a random set of words for a word."""
