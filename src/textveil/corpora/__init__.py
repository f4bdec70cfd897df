"""Readers and writers of corpora: records in, records out, streamed, written atomically."""
