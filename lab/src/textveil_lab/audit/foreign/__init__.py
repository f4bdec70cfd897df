"""Foreign code under audit: loaded, watched and checked."""
