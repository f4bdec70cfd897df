"""The geometry of high dimensions: exact laws of noise, neighbors, rank profiles."""
