"""Arithmetic that mechanisms and audits share: integer weights and exact products."""
