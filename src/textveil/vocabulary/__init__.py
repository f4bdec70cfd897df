"""Public vocabularies: words with their vectors, read from files or embedded."""
