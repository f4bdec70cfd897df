"""Released text to better text: the most probable original, from releases, the channel and public data only."""
