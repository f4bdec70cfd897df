"""Two mechanisms for textveil: each is its file, its proof, its test, and one line of pyproject.toml."""
