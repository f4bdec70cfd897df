"""Jobs: what was released, kept so that interrupted work goes on."""
