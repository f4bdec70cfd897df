"""Where pyarrow is imported: only when zstd or parquet is asked for."""

from importlib import import_module
from typing import Any

from textveil.errors import MissingExtra


def arrow(module: str = "pyarrow") -> Any:
    """The package pyarrow, or a module of it by its full name. Raises MissingExtra: it is not installed."""
    try:
        return import_module(module)
    except ImportError:
        raise MissingExtra("pyarrow", "arrow") from None
