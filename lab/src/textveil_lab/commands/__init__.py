"""Commands that ``textveil`` finds by entry points: one file a command."""
