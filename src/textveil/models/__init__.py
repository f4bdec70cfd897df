"""Language models over the words of a public vocabulary: embedded n-grams, and any model on disk."""
