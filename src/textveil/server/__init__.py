"""The server: texts sanitized over HTTP, a gateway in front of language models, budgets that cannot be overdrawn."""
