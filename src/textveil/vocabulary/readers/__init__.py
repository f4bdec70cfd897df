"""Readers of word vectors: row by row, and whole arrays."""
