"""Mechanisms, a detector and a surrogate: each is its file, its proof, its test, and one line of pyproject.toml."""
