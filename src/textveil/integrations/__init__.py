"""Other engines and frameworks, each imported in one file."""
