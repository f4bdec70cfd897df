"""The nearest word to a point: post-processing of a noisy vector."""
