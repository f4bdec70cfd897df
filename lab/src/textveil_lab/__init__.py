"""Two papers measured again, the laws behind them, and sentences rewritten by an auto-encoder."""
