"""The version of this package, as its metadata and every report state it."""

VERSION = "0.1.0"
