"""Statements about a whole corpus by the pages of it that a person read: bounds on what was missed, thresholds."""
