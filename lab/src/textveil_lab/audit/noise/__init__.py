"""Audits of additive noise: closed form."""
