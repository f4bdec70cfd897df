"""Budgets of persons, tenants and keys: reserved before a draw, committed after it, in a database."""
