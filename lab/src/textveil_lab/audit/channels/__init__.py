"""Exact audits of finite channels."""
