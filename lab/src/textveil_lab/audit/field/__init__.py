"""Claims of the field, tested: published forms, public code derived again, installed packages."""
