"""Metrics on the words of a public vocabulary whose distances are ranks or counts, not lengths."""
