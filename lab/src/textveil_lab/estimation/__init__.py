"""Estimates from released corpora: frequencies with intervals, features and laws of words; from public facts too."""
