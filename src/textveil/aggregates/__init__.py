"""Releases about a whole corpus, with one epsilon for all that a person wrote: counts, classifiers, synthetic text."""
