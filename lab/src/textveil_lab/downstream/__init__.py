"""What classifiers that are networks learn from releases, and what became of the texts."""
