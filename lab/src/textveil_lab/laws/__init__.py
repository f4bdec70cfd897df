"""Geometry of high dimensions: exact distributions of noise, neighbors, rank profiles."""
