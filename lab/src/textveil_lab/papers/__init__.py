"""One package a paper: its figures and tables, with the verdict beside them."""
