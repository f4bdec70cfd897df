"""Research: exact distributions, evaluation, papers."""
