"""Sentences rewritten by an auto-encoder, with noise at a stated place."""
