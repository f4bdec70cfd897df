"""Closed-form audits of additive noise."""
