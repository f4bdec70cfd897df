"""Verdicts and the reports that hold them."""
