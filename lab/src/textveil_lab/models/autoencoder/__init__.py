"""Auto-encoder of sentences over a vocabulary's words: words to a code of fixed length, and back."""
