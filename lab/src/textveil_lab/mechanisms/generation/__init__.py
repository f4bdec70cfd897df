"""Mechanisms that write a text token by token, with a language model on disk."""
