"""How results are measured and shown."""
