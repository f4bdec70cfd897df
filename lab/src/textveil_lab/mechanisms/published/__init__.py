"""Mechanisms as published whose claims are false: for audits."""
