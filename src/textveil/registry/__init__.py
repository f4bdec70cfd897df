"""Names to what they make: tables of entries, plug-ins, presets, and options declared in signatures."""
