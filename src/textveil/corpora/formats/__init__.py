"""Corpus formats: records out of bytes, releases back into them."""
