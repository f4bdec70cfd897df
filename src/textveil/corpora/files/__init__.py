"""Files: inputs, compression, identity, and outputs that appear whole."""
