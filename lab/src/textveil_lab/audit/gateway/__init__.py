"""Attacks from outside on proxies that say they hide personal data: what a gateway lets through, loses and tells."""
