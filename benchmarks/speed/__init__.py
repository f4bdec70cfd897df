"""How fast textveil is, as ratios in one run."""
