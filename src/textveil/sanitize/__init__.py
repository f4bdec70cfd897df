"""Text in, release out."""
