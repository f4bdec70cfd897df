"""Audits of finite channels: exact."""
