"""Policies: what happens to each kind of token and span, as data, read from TOML."""
