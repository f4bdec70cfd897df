"""Attacks from outside on proxies that claim to hide personal data: what a gateway leaks, loses and tells."""
