"""textveil: text sanitized with differential privacy that can be checked."""
