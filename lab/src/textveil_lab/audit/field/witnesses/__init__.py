"""One short script a claim: it needs the standard library and the package under test, and prints one line of JSON."""
