"""Mechanisms that draw for the words of a document in their order, looking at its earlier outputs."""
