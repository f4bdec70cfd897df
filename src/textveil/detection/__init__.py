"""Text to spans with kinds: what names somebody, and where it stands. Recall is measured, never proved."""
