"""Public tables made once: what is computed from a vocabulary, whole, on disk, checked and mapped."""
