"""Spans to values that pass for real: draws from public pools, under a guarantee of one span."""
