"""Pages for readers: templates, one style, tables and figures; each is one file that asks nothing of the network."""
