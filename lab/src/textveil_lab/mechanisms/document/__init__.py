"""Mechanisms that map a whole document to a text."""
