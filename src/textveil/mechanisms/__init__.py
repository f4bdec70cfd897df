"""Mechanisms: word ids to word ids, with the guarantee as data."""
