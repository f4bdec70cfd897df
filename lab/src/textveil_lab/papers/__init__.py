"""Reproductions, one package for each paper: its figures and tables, with verdicts."""
