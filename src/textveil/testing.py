"""Checks that third parties run on their own backends: what textveil demands of its own."""
