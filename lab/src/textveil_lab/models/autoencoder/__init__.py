"""An auto-encoder of sentences over a vocabulary's words: a code of fixed length in, words out."""
