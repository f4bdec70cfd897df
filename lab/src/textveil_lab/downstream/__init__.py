"""Networks as classifiers trained on releases, and scores of the released texts."""
