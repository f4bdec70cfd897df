"""Audits by sampling: lower bounds with confidence."""
