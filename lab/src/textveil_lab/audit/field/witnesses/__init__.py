"""One short script for each claim: it needs the standard library and the package under test, and prints a JSON line."""
