"""Budgets of privacy: what was spent on whom, and what is left; it never sees text."""
