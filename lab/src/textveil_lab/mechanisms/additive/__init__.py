"""Perturb and project: noise on the vector, then the nearest word."""
