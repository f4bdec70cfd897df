"""The command line: one file a command; heavy imports wait until a command runs."""
