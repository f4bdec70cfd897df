"""Text to tokens to word ids and back; this layer never sees noise."""
