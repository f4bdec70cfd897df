"""Claims of the field put to the test: published forms, public code derived again, packages that are installed."""
