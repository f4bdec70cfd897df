"""How channels draw: row tables, caches and their locks."""
