"""Reports: HTML, tables and figures in one style, and the folder that they are written to."""
