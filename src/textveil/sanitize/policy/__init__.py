"""What happens to each kind of token and span: policies as data, read from TOML, and what a sanitizer makes of them."""
