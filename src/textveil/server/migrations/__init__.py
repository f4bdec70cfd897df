"""Steps that make the server's own tables and bring older ones into today's form."""
